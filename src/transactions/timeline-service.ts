import { scaleOf } from '../catalog/currencies.ts'
import type { Database } from '../db/database.ts'
import type { LedgerService } from '../ledger/service.ts'
import { formatAmount } from '../lib/money.ts'
import * as store from './timeline-store.ts'
import type { TransactionRow } from './transaction.ts'

/** What webhooks tried to tell about a resource; asked of whoever delivers them. */
export type DeliveryLog = (
  organizationId: string,
  resourceId: string,
) => Promise<readonly { at: Date; details: Record<string, unknown> }[]>

export type TimelineEntry = { at: string; kind: string; details: Record<string, unknown> }

export type TimelineOptions = { database: Database; ledger: LedgerService; deliveryLog: DeliveryLog }

/** Tells the story of a transaction, from everywhere it was written down. */
export function makeTimeline({ database, ledger, deliveryLog }: TimelineOptions) {
  const entriesAbout = ({ organizationId, transactionId }: TransactionRow) =>
    ledger.entriesAbout(database, organizationId, { type: 'transaction', id: transactionId })
  return {
    /** Oldest first: quote, states, deposits, postings, tries at banks and chains, acts of people, webhooks. */
    timeline: async (row: TransactionRow): Promise<TimelineEntry[]> => {
      const { organizationId, transactionId, quoteId } = row
      const [steps, entries, told] = await Promise.all([
        store.readSteps(database, organizationId, transactionId, quoteId),
        entriesAbout(row),
        deliveryLog(organizationId, transactionId),
      ])
      const states = row.statusHistory.map(({ status, at }) => ({ at, kind: 'STATUS', details: { status } }))
      const postings = new Map(entries.map(({ reference, fact, createdAt }) => [reference, { fact, createdAt }]))
      const posted = [...postings].map(([reference, { fact, createdAt }]) => {
        return { at: createdAt.toISOString(), kind: 'POSTING', details: { reference, fact } }
      })
      const others = [...steps, ...told.map((each) => ({ ...each, kind: 'WEBHOOK' }))]
      const written = others.map(({ at, kind, details }) => ({ at: at.toISOString(), kind, details }))
      return [...states, ...posted, ...written].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    },

    /** Every line that was posted about it, on whatever account; the lines of one posting sum to zero in each asset. */
    ledgerEntries: async (row: TransactionRow) =>
      (await entriesAbout(row)).map(({ postingId, reference, fact, kind, holder, asset, amount, createdAt }) => ({
        ...{ postingId, reference, fact },
        account: { kind, ...(holder === '' ? {} : { holder }), asset },
        amount: formatAmount(amount, scaleOf(asset as Parameters<typeof scaleOf>[0])),
        createdAt: createdAt.toISOString(),
      })),
  }
}
