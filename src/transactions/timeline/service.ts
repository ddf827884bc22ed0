import { scaleOf } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Transaction } from '../transaction.ts'
import * as store from './store.ts'
import { inOrder, type TimelineEntry, type Written } from './timeline.ts'

/** What webhooks tried to tell about a resource; asked of whoever delivers them. */
export type DeliveryLog = (
  organizationId: string,
  resourceId: string,
) => Promise<readonly { at: Date; details: Record<string, unknown> }[]>

export type TimelineDeps = { database: Database; ledger: LedgerService; deliveryLog: DeliveryLog }

function writtenBy(id: string | null, writtenAt: Date | null): Written {
  if (id !== null) return { id }
  return writtenAt ? { before: writtenAt } : 'last'
}

/** That money was stopped because of a list, and what a person said to it, is for those who may read reviews. */
function isAboutReview({ kind, details }: TimelineEntry): boolean {
  return kind === 'FROZEN' || (kind === 'OPERATOR' && details.action === 'review.decided')
}

/** Tells the story of a transaction, from everywhere it was written down. */
export function createTimelineService({ database, ledger, deliveryLog }: TimelineDeps) {
  const entriesAbout = ({ organizationId, transactionId }: Transaction) =>
    ledger.entriesAbout(database, organizationId, { type: 'transaction', id: transactionId })
  return {
    /** Oldest first: quote, states, deposits, postings, tries at banks and chains, acts of people, webhooks. */
    timeline: async ({ scopes }: Caller, transaction: Transaction): Promise<TimelineEntry[]> => {
      const { organizationId, transactionId, quoteId } = transaction
      const [steps, entries, told] = await Promise.all([
        store.readSteps(database, organizationId, transactionId, quoteId),
        entriesAbout(transaction),
        deliveryLog(organizationId, transactionId),
      ])
      const states = transaction.statusHistory.map(({ status, at, writtenAt }) => ({
        at,
        kind: 'STATUS',
        details: { status },
        written: writtenAt ? { after: new Date(writtenAt) } : { id: transactionId },
      }))
      const postings = new Map(entries.map((entry) => [entry.postingId, entry])).values()
      const posted = [...postings].map(({ postingId: id, reference, fact, createdAt }) => {
        return { at: createdAt.toISOString(), kind: 'POSTING', details: { reference, fact }, written: { id } }
      })
      const done = steps.map(({ at, kind, details, id, writtenAt }) => {
        return { at: at.toISOString(), kind, details, written: writtenBy(id, writtenAt) }
      })
      const webhooks = told.map(({ at, details }) => {
        return { at: at.toISOString(), kind: 'WEBHOOK', details, written: 'last' as const }
      })
      const story = inOrder([...states, ...posted, ...done, ...webhooks])
      return scopes.has('reviews:read') ? story : story.filter((entry) => !isAboutReview(entry))
    },

    /** Every line that was posted about it, on whatever account; the lines of one posting sum to zero in each asset. */
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
