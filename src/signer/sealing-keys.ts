import { randomBytes } from 'node:crypto'
import type { Database, Tx } from '../db/database.ts'
import { openBytes, sealBytes } from '../encryption/seal.ts'
import { openSealingKey, readPublicKey, type SealingKey } from '../lib/seals/seal.ts'
import * as store from './seal-store.ts'
import { computeSignerKeyId } from './seed.ts'

export type SealingKeyService = ReturnType<typeof createSealingKeyService>

/** A key ring to make seals with the key in use, and to check seals of all keys that are not retired. */
export type SealingKeyring = { inUse: SealingKey; findKey(keyId: string): ReturnType<typeof readPublicKey> | undefined }

/** Stores the sealing keys, their secrets encrypted with the signer's own key. */
export function createSealingKeyService({ database, signerKey }: { database: Database; signerKey: Buffer }) {
  const signerKeyId = computeSignerKeyId(signerKey)
  const insertNewKey = (tx: Tx): Promise<boolean> => {
    const secret = randomBytes(32)
    const { keyId, publicKey } = openSealingKey(secret)
    const sealedSecret = sealBytes(signerKey, secret, describeKey(keyId))
    secret.fill(0)
    return store.insertSealingKey(tx, { keyId, publicKey, sealedSecret, signerKeyId })
  }
  const open = async (): Promise<SealingKeyring | undefined> => {
    const keys = await store.readSealingKeys(database)
    const stored = keys.find(({ replacedAt }) => replacedAt === null)
    // The secret of a key that another signer key encrypts is lost to this process. Its seals can still be checked.
    if (stored?.signerKeyId !== signerKeyId) return undefined
    const secret = openBytes(signerKey, stored.sealedSecret, describeKey(stored.keyId))
    const inUse = openSealingKey(secret)
    secret.fill(0)
    const valid = keys.filter(({ retiredAt }) => retiredAt === null)
    const publicKeys = new Map(valid.map(({ keyId, publicKey }) => [keyId, readPublicKey(publicKey)]))
    return { inUse, findKey: (keyId) => publicKeys.get(keyId) }
  }
  const replace = (expected?: string) =>
    database.inTx(async (tx) => {
      const inUse = await store.lockSealingKey(tx, 'replace')
      if (inUse !== undefined && inUse === expected) await store.replaceSealingKey(tx, inUse)
      await insertNewKey(tx)
    })
  return {
    /** Opens the key in use. Creates one when there is none, or when the signer key was replaced. */
    openOrCreate: async (): Promise<SealingKeyring> => {
      const opened = await open()
      if (opened) return opened
      const [stored] = (await store.readSealingKeys(database)).filter(({ replacedAt }) => replacedAt === null)
      await replace(stored?.keyId)
      const created = await open()
      if (!created) throw new Error('another signer with another SVC_SIGNER_KEY is running: give all signers one key')
      return created
    },
  }
}

function describeKey(keyId: string): string {
  return `svc sealing key ${keyId}`
}
