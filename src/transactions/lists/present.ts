import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound } from '../../lib/refusal.ts'
import { findListed } from '../store.ts'
import type { ListedTransaction } from '../transaction.ts'
import { addFields, addMetadata, presentTransaction, type TransactionView } from '../wire.ts'
import { type Expandable, type ExpandDeps, expand, requireExpansions } from './expand.ts'
import type { Expansion } from './expansions.ts'

export type PresentDeps = ExpandDeps & {
  database: Queryable
  /** Adds the link of the pay page to the JSON of a transaction that awaits a transfer. */
  addTransferLink(shown: string, version: number): string
}

/** Completes the JSON of transactions with what is not stored in it: the link, metadata and included resources. */
export async function presentListed(
  deps: PresentDeps,
  caller: Caller,
  wanted: readonly Expansion[],
  transactions: readonly ListedTransaction[],
): Promise<string[]> {
  const texts = transactions.map(({ shown, linkVersion, metadata }) =>
    addMetadata(deps.addTransferLink(shown, linkVersion), metadata),
  )
  if (wanted.length === 0) return texts
  const expanded = await expand(deps, caller, wanted, transactions.map(presentTransaction).map(namesOf))
  return texts.map((text, place) => addFields(text, expanded[place] ?? {}))
}

function namesOf({ customerId, quoteId, source, destination }: TransactionView): Expandable {
  const { sourcePaymentAccountId } = source
  return {
    customerId,
    quoteId,
    sourcePaymentAccountId,
    destinationPaymentAccountId: destination.destinationPaymentAccountId,
  }
}

/** Reads a transaction as JSON text, the same that lists show. */
export async function readTransaction(
  deps: PresentDeps,
  caller: Caller,
  transactionId: string,
  wanted: readonly Expansion[],
): Promise<string> {
  requireExpansions(caller, wanted)
  const found = await findListed(deps.database, caller.organizationIds, transactionId)
  const [text] = await presentListed(deps, caller, wanted, found ? [found] : [])
  if (text === undefined) throw notFound()
  return text
}
