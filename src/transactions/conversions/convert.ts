import type { Database, Tx } from '../../db/database.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails } from '../change.ts'
import { recordStep } from '../change-store.ts'
import { chooseParts } from '../disbursements/disbursement.ts'
import { lockCauses } from '../disbursements/settlement.ts'
import { readReturnedFunds } from '../refunds/returned-funds-store.ts'
import { type CreateOutcome, createTransactions, type NewTransaction } from '../store.ts'
import { stepMoney } from '../timeline/timeline.ts'
import type { Transaction } from '../transaction.ts'
import * as store from './store.ts'

/** Rolls the database transaction back, and carries the outcome out of it. */
class Undone extends Error {
  readonly outcome: CreateOutcome
  constructor(outcome: CreateOutcome) {
    super(`the conversion was not created: ${outcome.outcome}`)
    this.outcome = outcome
  }
}

/**
 * Creates a transaction whose source is returned funds, and takes them from their causes, oldest first. It takes the
 * money that the source's rail keeps, because that is where it becomes ours. The locks of the causes' transactions keep
 * repayments out, and the lock of the reserve keeps disbursements and other conversions out: what is read after both
 * cannot be taken twice.
 */
export async function convertReturnedFunds(database: Database, wanted: NewTransaction): Promise<CreateOutcome> {
  try {
    return await database.inTx((tx) => convert(tx, wanted))
  } catch (error) {
    if (error instanceof Undone) return error.outcome
    throw error
  }
}

async function convert(tx: Tx, wanted: NewTransaction): Promise<CreateOutcome> {
  const quote = await store.findConversionQuote(tx, wanted.organizationIds, wanted.quoteId)
  if (!quote) throw notFound()
  const { organizationId, accountId, holding } = quote
  const read = async () =>
    (await readReturnedFunds(tx, quote)).filter((each) => each.accountId === accountId && each.heldAt === holding)
  const seen = await read()
  const transactionIds = seen.flatMap(({ cause, causeId }) => (cause === 'TRANSACTION' ? causeId : []))
  const locked = await lockCauses(tx, organizationId, transactionIds)
  const [created] = await createTransactions(tx, [wanted], { mayTakeReturnedFunds: true })
  if (created?.outcome !== 'CREATED') throw new Undone(created ?? { outcome: 'NOT_FOUND', answer: null })
  const known = new Set(seen.map(({ causeId }) => causeId))
  const left = (await read()).filter(({ causeId }) => known.has(causeId))
  const chosen = chooseParts(left, BigInt(quote.amount))
  if (!chosen) throw tooLittle()
  const { transactionId } = wanted
  await store.insertParts(tx, { organizationId, transactionId }, chosen.parts)
  const amountOf = new Map(chosen.parts.map(({ causeId, amount }) => [causeId, amount]))
  await showOnCauses(tx, locked, 'CONVERSION_OWED', (cause) => {
    const amount = amountOf.get(cause.transactionId)
    return amount === undefined ? undefined : { transactionId, ...stepMoney(amount, cause.destinationAsset) }
  })
  return created
}

/** Shows a step of a conversion in the timeline and in the `repayment` of the transactions whose funds it takes. */
export async function showOnCauses(
  tx: Tx,
  causes: readonly Transaction[],
  kind: 'CONVERSION_OWED' | 'CONVERSION_WITHDRAWN',
  detailsOf: (cause: Transaction) => object | undefined,
): Promise<void> {
  for (const cause of causes) {
    const details = detailsOf(cause)
    if (!details) continue
    await recordStep(tx, cause, kind, details)
    await changeDetails(tx, cause)
  }
}

function tooLittle(): Refusal {
  return new Refusal(
    'INSUFFICIENT_BALANCE',
    'The returned funds that the bank of this source rail keeps are below the amount: another payout may have taken them',
  )
}
