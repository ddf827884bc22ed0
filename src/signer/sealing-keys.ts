import { randomBytes } from 'node:crypto'
import type { Database, Tx } from '../db/database.ts'
import { openBytes, sealBytes } from '../encryption/seal.ts'
import {
  createSignatureMemory,
  openSealingKey,
  readPublicKey,
  type SealingKey,
  type SignatureMemory,
} from '../lib/seals/seal.ts'
import * as store from './seal-store.ts'
import { computeSignerKeyId } from './seed.ts'

export type SealingKeyService = ReturnType<typeof createSealingKeyService>

/** A key ring to make seals with the key in use, and to check seals of all keys that are not retired. */
export type SealingKeyring = {
  inUse: SealingKey
  findKey(keyId: string): ReturnType<typeof readPublicKey> | undefined
  memory: SignatureMemory
}

/** Stores the sealing keys, their secrets encrypted with the signer's own key. */
export function createSealingKeyService({ database, signerKey }: { database: Database; signerKey: Buffer }) {
  const signerKeyId = computeSignerKeyId(signerKey)
  const memory = createSignatureMemory()
  const insertNewKey = (tx: Tx): Promise<boolean> => {
    const secret = randomBytes(32)
    const { keyId, publicKey } = openSealingKey(secret)
    const sealedSecret = sealBytes(signerKey, secret, describeKey(keyId))
    secret.fill(0)
    return store.insertSealingKey(tx, { keyId, publicKey, sealedSecret, signerKeyId })
  }
  const openRing = (keys: readonly store.StoredSealingKey[]): SealingKeyring | undefined => {
    const stored = findInUse(keys)
    // The secret of a key that another signer key encrypts is lost to this process. Its seals can still be checked.
    if (stored?.signerKeyId !== signerKeyId) return undefined
    const secret = openBytes(signerKey, stored.sealedSecret, describeKey(stored.keyId))
    const inUse = openSealingKey(secret)
    secret.fill(0)
    const valid = keys.filter(({ retiredAt }) => retiredAt === null)
    const publicKeys = new Map(valid.map(({ keyId, publicKey }) => [keyId, readPublicKey(publicKey)]))
    return { inUse, findKey: (keyId) => publicKeys.get(keyId), memory }
  }
  /** Opens the key in use, which must be encrypted with the signer key of this process. */
  const open = async (): Promise<SealingKeyring> => {
    const opened = openRing(await store.readSealingKeys(database))
    if (opened) return opened
    throw new Error(
      'the sealing key in use belongs to another SVC_SIGNER_KEY: give all signers one key and restart them',
    )
  }
  /** Replaces the key that the caller saw in use; does nothing when another process has replaced it already. */
  const replaceKey = async (seen: store.StoredSealingKey | undefined): Promise<SealingKeyring> => {
    await database.inTx(async (tx) => {
      const inUse = await store.lockSealingKey(tx, 'replace')
      if (inUse !== undefined && inUse === seen?.keyId) await store.replaceSealingKey(tx, inUse)
      await insertNewKey(tx)
    })
    return open()
  }
  return {
    open,

    /** Opens the key in use. Creates one when there is none, or when the signer key was replaced. */
    openOrCreate: async (): Promise<SealingKeyring> => {
      const keys = await store.readSealingKeys(database)
      return openRing(keys) ?? replaceKey(findInUse(keys))
    },

    /** Puts a new key into use. Seals of the former keys stay valid until those are retired. */
    replace: async (): Promise<SealingKeyring> => replaceKey(findInUse(await store.readSealingKeys(database))),
  }
}

function findInUse(keys: readonly store.StoredSealingKey[]): store.StoredSealingKey | undefined {
  return keys.find(({ replacedAt }) => replacedAt === null)
}

function describeKey(keyId: string): string {
  return `svc sealing key ${keyId}`
}
