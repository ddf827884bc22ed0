import { type Asset, labelOf, scaleOf } from '../../catalog/currencies.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/outbox/events.ts'
import { readChanges, recordChangesRead } from '../../db/outbox/readers.ts'
import type { StandingDuty } from '../../db/standing-duty.ts'
import { newId } from '../../lib/ids.ts'
import { convert, formatAmount } from '../../lib/money.ts'
import { readRate } from '../../quotes/rates/rates.ts'
import * as store from './store.ts'

const organizationsPerBatch = 50
const eventsPerOrganization = 2_000n
const orderedPerBatch = 500
const centScale = 2

/**
 * Tells of the first large payout to each payment account: a thief who has a key sends much to an account that never
 * received as much. Reads the sequenced `transaction.created` events, and what was ordered outside of transactions, after
 * the fact, so no payment waits for it. One event for each account, for ever (primary key of `destination_alerts`).
 */
export function destinationAlertDuty(audit: Audit, { leastUsd }: { leastUsd: number }): StandingDuty {
  const leastCents = BigInt(leastUsd) * 100n
  return {
    name: 'watch destinations',
    due: store.hasUnwatched,
    runBatch: async (tx) => {
      const ordered = await store.takeOrderedPayouts(tx, orderedPerBatch)
      for (const { usdCents, isOld, ...payout } of ordered) {
        const isLarge = usdCents !== null && BigInt(usdCents) >= leastCents
        if (isLarge && !isOld) await tell(tx, audit, payout, BigInt(usdCents))
      }
      const changes = await readChanges(tx, 'destination alerts')
      const ranges = (await store.readUnwatchedRanges(tx, organizationsPerBatch)).map((range) => {
        const end = BigInt(range.after) + eventsPerOrganization
        return { ...range, upTo: end < BigInt(range.last) ? String(end) : range.last }
      })
      for (const { organizationId, after, upTo } of ranges) {
        for (const payout of await store.readPayouts(tx, organizationId, after, upTo)) {
          const usdCents = valueInCents(payout)
          if (usdCents >= leastCents) await tell(tx, audit, payout, usdCents)
        }
      }
      if (ranges.length > 0) await store.advanceWatches(tx, ranges)
      const isComplete = ranges.length < organizationsPerBatch && ranges.every(({ upTo, last }) => upTo === last)
      const isRecorded = isComplete && (await recordChangesRead(tx, changes))
      return ranges.length + ordered.length + Number(isRecorded)
    },
  }
}

async function tell(tx: Tx, audit: Audit, payout: store.WatchedPayout, usdCents: bigint): Promise<void> {
  const { organizationId, paymentAccountId, transactionId, customerId } = payout
  const alertId = newId()
  if (!(await store.insertAlert(tx, { organizationId, paymentAccountId, transactionId, alertId }))) return
  const asset = payout.asset as Asset
  const cause = transactionId === null ? {} : { transactionId }
  await appendEvent(tx, {
    organizationId,
    type: 'payment_account.large_payout',
    resourceId: alertId,
    resourceVersion: 1,
    parentResourceId: paymentAccountId,
    data: {
      alertId,
      paymentAccountId,
      customerId,
      ...cause,
      amount: formatAmount(BigInt(payout.amount), scaleOf(asset)),
      currency: labelOf(asset),
      usdAmount: formatAmount(usdCents, centScale),
      createdAt: payout.createdAt.toISOString(),
    },
  })
  await audit.append(tx, {
    organizationId,
    actor: 'worker',
    action: 'payment_account.large_payout',
    subjectId: paymentAccountId,
    details: cause,
  })
}

/** Values the source amount as it was quoted, in cents of USD. */
function valueInCents({ asset, amount, usdRate }: store.WatchedPayout & { usdRate: string }): bigint {
  const rate = readRate(usdRate)
  if (!rate) throw new Error(`${usdRate} is not a rate`)
  return convert(BigInt(amount), scaleOf(asset as Asset), rate, centScale, 'up')
}
