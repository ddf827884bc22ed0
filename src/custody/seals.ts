import { createHash, type KeyObject } from 'node:crypto'
import type { Database } from '../db/database.ts'
import {
  type SealedDestination,
  type SealedObligation,
  writeDestination,
  writeObligation,
} from '../lib/seals/content.ts'
import { createSignatureMemory, isSealOfInPool, keyIdOfSeal, readPublicKey } from '../lib/seals/seal.ts'
import { readSealingKeys } from './store.ts'

/** A payment account as it is stored. */
type StoredDestination = Omit<SealedDestination, 'detailsHash'> & { sealedDetails: Buffer | null; seal: Buffer | null }

export type SealService = ReturnType<typeof createSealService>

/** A retired key is refused within this time. */
const keysLiveMs = 5_000

/** Checks the signer's seals with its public keys. Only the signer can make one. */
export function createSealService({ database }: { database: Database }) {
  let keys = new Map<string, KeyObject>()
  let staleAtMs = 0
  let reading: Promise<void> | undefined
  const memory = createSignatureMemory()
  const readKeys = async (): Promise<void> => {
    const stored = await readSealingKeys(database)
    keys = new Map(stored.map((each) => [each.keyId, readPublicKey(each.publicKey)]))
    staleAtMs = performance.now() + keysLiveMs
  }
  /** Many seals are checked together: they share one reading. */
  const readTogether = (): Promise<void> =>
    (reading ??= readKeys().finally(() => {
      reading = undefined
    }))
  const findKeyFor = async (seal: Buffer | null): Promise<(keyId: string) => KeyObject | undefined> => {
    const keyId = seal ? keyIdOfSeal(seal) : undefined
    const isKnown = keyId !== undefined && keys.has(keyId) && performance.now() < staleAtMs
    if (keyId !== undefined && !isKnown) {
      await readTogether()
      // A reading that began before the key was registered does not have it.
      if (!keys.has(keyId)) await readTogether()
    }
    return (id) => keys.get(id)
  }
  const isSealed = async (content: Buffer, seal: Buffer | null): Promise<boolean> =>
    isSealOfInPool(content, seal, await findKeyFor(seal), memory)
  return {
    isAccountSealed: (account: StoredDestination): Promise<boolean> => {
      const { sealedDetails, seal } = account
      const detailsHash = sealedDetails && createHash('sha256').update(sealedDetails).digest()
      return isSealed(writeDestination({ ...account, detailsHash }), seal)
    },
    isObligationSealed: (obligation: SealedObligation & { seal: Buffer | null }): Promise<boolean> =>
      isSealed(writeObligation(obligation), obligation.seal),
  }
}
