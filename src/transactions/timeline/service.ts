import { type Asset, type Currency, scaleOf } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Transaction } from '../transaction.ts'
import * as store from './store.ts'
import { presentDetails, sortEntries, type TimelineEntry, type WriteOrder } from './timeline.ts'
import type { Transfer } from './transfer.ts'
import { readTransfers } from './transfer-store.ts'

/** Reads the webhook deliveries about a resource. */
export type DeliveryLog = (
  organizationId: string,
  resourceId: string,
) => Promise<readonly { at: Date; details: Record<string, unknown> }[]>

export type TimelineDeps = {
  database: Database
  ledger: LedgerService
  deliveryLog: DeliveryLog
  currencyOf(asset: Asset): Currency
}

function writeOrderOf(id: string | null, writtenAt: Date | null): WriteOrder {
  if (id !== null) return { id }
  return writtenAt ? { before: writtenAt } : 'last'
}

/** True for entries about watch-list matches and review decisions: only readers of reviews may see them. */
function isAboutReview({ kind, details }: TimelineEntry): boolean {
  return kind === 'FROZEN' || (kind === 'OPERATOR' && details.action === 'review.decided')
}

/** Collects the timeline and ledger entries of a transaction. */
export function createTimelineService({ database, ledger, deliveryLog, currencyOf }: TimelineDeps) {
  const entriesAbout = ({ organizationId, transactionId }: Transaction) =>
    ledger.entriesAbout(database, organizationId, { type: 'transaction', id: transactionId })
  return {
    /** Reads what the payers of transactions may see. */
    readTransfers: (transactionIds: readonly string[]): Promise<Transfer[]> => readTransfers(database, transactionIds),

    /** Lists quote, status changes, deposits, postings, rail attempts, operator acts and webhooks, oldest first. */
    timeline: async ({ scopes }: Caller, transaction: Transaction): Promise<TimelineEntry[]> => {
      const { organizationId, transactionId, quoteId } = transaction
      const [steps, entries, deliveries] = await Promise.all([
        store.readSteps(database, organizationId, transactionId, quoteId),
        entriesAbout(transaction),
        deliveryLog(organizationId, transactionId),
      ])
      const states = transaction.statusHistory.map(({ status, at }, place) => {
        const writtenAt = transaction.statusWrittenAt[place]
        const written = writtenAt ? { after: writtenAt } : { id: transactionId }
        return { at, kind: 'STATUS', details: { status }, written }
      })
      const postings = new Map(entries.map((entry) => [entry.postingId, entry])).values()
      // Tokens that come to our treasury afterwards are not part of the customer's story.
      const told = [...postings].filter(({ fact }) => fact !== 'COLLECTION')
      const posted = told.map(({ postingId: id, reference, fact, createdAt }) => {
        return { at: createdAt.toISOString(), kind: 'POSTING', details: { reference, fact }, written: { id } }
      })
      const performed = steps.map(({ at, kind, details, id, writtenAt }) => {
        const written = writeOrderOf(id, writtenAt)
        return { at: at.toISOString(), kind, details: presentDetails(details, currencyOf), written }
      })
      const webhooks = deliveries.map(({ at, details }) => {
        return { at: at.toISOString(), kind: 'WEBHOOK', details, written: 'last' as const }
      })
      const timeline = sortEntries([...states, ...posted, ...performed, ...webhooks])
      return scopes.has('reviews:read') ? timeline : timeline.filter((entry) => !isAboutReview(entry))
    },

    /**
     * Lists the ledger entries of a transaction on all accounts; the entries of one posting sum to zero in each asset.
     */
    ledgerEntries: async (transaction: Transaction) =>
      (await entriesAbout(transaction)).map(
        ({ postingId, reference, fact, kind, holder, asset, amount, createdAt }) => ({
          postingId,
          reference,
          fact,
          account: { kind, ...(holder === '' ? {} : { holder }), asset },
          amount: formatAmount(amount, scaleOf(asset as Parameters<typeof scaleOf>[0])),
          createdAt: createdAt.toISOString(),
        }),
      ),
  }
}
