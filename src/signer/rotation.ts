import type { Database } from '../db/database.ts'
import { writeDestination, writeObligation } from '../lib/seals/content.ts'
import { isSealOf, keyIdOfSeal, sealContent } from '../lib/seals/seal.ts'
import * as store from './reseal-store.ts'
import type { Destination } from './seal-store.ts'
import type { SealingKeyService } from './sealing-keys.ts'

const sliceSize = 500
const firstId = '00000000-0000-0000-0000-000000000000'

export type RotationOutcome = {
  keyId: string
  /** Rows that the key in use has sealed instead of a former key. */
  resealed: number
  /** Rows whose former seal is wrong, one sentence each. While there is one, no key is retired. */
  wrong: string[]
  retired: string[]
}

type Sealed = { organizationId: string; id: string; content: Buffer; seal: Buffer | null }
type Reseal = (rows: readonly Sealed[], kind: string) => Promise<store.NewSeal[]>

/**
 * Replaces the sealing key, seals with it what the former keys had sealed, and retires them. It checks each former seal
 * first. Signers in operation use the new key from their next round on.
 */
export async function rotateSealingKey(database: Database, sealingKeys: SealingKeyService): Promise<RotationOutcome> {
  const keyring = await sealingKeys.replace()
  const outcome: RotationOutcome = { keyId: keyring.inUse.keyId, resealed: 0, wrong: [], retired: [] }
  const reseal: Reseal = async (rows, kind) => {
    const renewed = rows.flatMap(({ organizationId, id, content, seal }): store.NewSeal[] => {
      if (seal === null || keyIdOfSeal(seal) === keyring.inUse.keyId) return []
      if (isSealOf(content, seal, keyring.findKey, keyring.memory)) {
        return [{ organizationId, id, former: seal, seal: sealContent(keyring.inUse, content) }]
      }
      outcome.wrong.push(`the seal of ${kind} ${id} is wrong`)
      return []
    })
    outcome.resealed += renewed.length
    return renewed
  }
  await resealDestinations(database, reseal)
  await resealFormerDestinations(database, reseal)
  await resealObligations(database, reseal)
  if (outcome.wrong.length === 0) outcome.retired = await store.retireReplacedKeys(database)
  return outcome
}

async function resealDestinations(database: Database, reseal: Reseal): Promise<void> {
  for (let after = firstId, isLast = false; !isLast; ) {
    const slice = await store.readSealedDestinations(database, { after, limit: sliceSize })
    const rows = slice.map((each) => ({ ...each, id: each.paymentAccountId, content: writeDestination(each) }))
    await store.replaceDestinationSeals(database, await reseal(rows, 'payment account'))
    isLast = slice.length < sliceSize
    after = slice.at(-1)?.paymentAccountId ?? after
  }
}

/** Seals former coordinates anew: a payout that was created with them may still be open. */
async function resealFormerDestinations(database: Database, reseal: Reseal): Promise<void> {
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const slice: Destination[] = await store.readFormerDestinations(database, { after, limit: sliceSize })
    const rows = slice.map((each) => ({ ...each, id: each.paymentAccountId, content: writeDestination(each) }))
    await store.replaceFormerSeals(database, await reseal(rows, 'former details of payment account'))
    after = slice.at(-1)?.paymentAccountId
  }
}

async function resealObligations(database: Database, reseal: Reseal): Promise<void> {
  for (let after = firstId, isLast = false; !isLast; ) {
    const slice = await store.readSealedObligations(database, { after, limit: sliceSize })
    const rows = slice.map((each) => ({ ...each, id: each.payoutId, content: writeObligation(each) }))
    await store.replaceObligationSeals(database, await reseal(rows, 'payout'))
    isLast = slice.length < sliceSize
    after = slice.at(-1)?.payoutId ?? after
  }
}
