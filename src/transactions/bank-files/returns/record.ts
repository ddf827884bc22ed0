import type { Tx } from '../../../db/database.ts'
import type { NewReport } from '../../payouts/reports/service.ts'
import { bankFilesRail } from '../outgoing/rail.ts'
import { findPair, type Half, type Pair } from './pairs.ts'
import type { ToldReturn } from './return.ts'
import * as store from './return-store.ts'
import { listDebitedTwice } from './second-debit-store.ts'

export type ReportDeps = {
  /** Hands a report to the payouts, in the database transaction that records its cause; false for a known id. */
  report(tx: Tx, report: Omit<NewReport, 'rail'>): Promise<boolean>
}

export type ReturnDeps = ReportDeps & {
  /** A bank credited less than its message told: it kept a fee. */
  onFee(told: { reference: string; returnId: string }): void
}

/**
 * Records a return once, whether a message or an entry of a statement tells it first. Each message pairs with one entry,
 * so that two equal parts count twice, and a return that two messages tell counts once.
 */
export async function recordReturn(deps: ReturnDeps, tx: Tx, told: ToldReturn): Promise<unknown> {
  const { reference, amount, reason, valueDate, identity } = told
  await store.adoptRedirected(tx, bankFilesRail, reference)
  const known = await store.readKnownReturns(tx, reference)
  const half = told.bankEntryId === undefined ? 'message' : 'entry'
  if (half === 'message') {
    const same = known.find(({ messageReturnId }) => messageReturnId === identity)
    // Another return under the same id is for a person.
    if (same) return same.messageAmount === String(amount) ? undefined : reportDoubt(deps, tx, told)
  }
  // While a second debit stands, the credit may take that one back: a person decides.
  if ((await listDebitedTwice(tx, [reference])).length > 0) return reportDoubt(deps, tx, told)
  const pair = findPair(known, half, amount)
  if (pair) return joinReturn(deps, tx, told, pair)
  const isTaken = known.some(({ returnId }) => returnId === identity)
  const returnId = isTaken ? `${identity}@${told.bankEntryId ?? told.bankFileId}` : identity
  return bookReturn(deps, tx, { reference, returnId, amount, reason, valueDate, ...halves(told) })
}

function halves(told: ToldReturn): Pick<store.NewReturn, 'message' | 'entry'> {
  const { bankEntryId, identity, amount } = told
  if (bankEntryId === undefined) return { message: { messageReturnId: identity, messageAmount: amount }, entry: null }
  return { message: null, entry: { bankEntryId, creditedAmount: amount } }
}

async function bookReturn(deps: ReturnDeps, tx: Tx, booked: store.NewReturn): Promise<void> {
  const { reference, returnId, amount, reason, valueDate } = booked
  await store.insertReturn(tx, booked)
  await deps.report(tx, {
    reportId: `return ${reference} ${returnId}`,
    reference,
    report: { state: 'RETURNED', returnId, reason, amount, ...(valueDate === null ? {} : { valueDate }) },
  })
}

/** Joins a message with the entry of the same return. A half that only differed by a fee becomes a return of its own. */
async function joinReturn(deps: ReturnDeps, tx: Tx, told: ToldReturn, { known, displaced }: Pair): Promise<void> {
  const { reference, amount } = told
  const [message, entry] = [messageOf(known), entryOf(known)]
  const own = halves(told)
  const joined = { message: own.message ?? message, entry: own.entry ?? entry }
  const half: Half = own.message ? 'message' : 'entry'
  const former = half === 'message' ? { message, entry: null } : { message: null, entry }
  if (!displaced) {
    await store.pairReturn(tx, reference, known.returnId, joined)
    if (joined.message?.messageAmount !== joined.entry?.creditedAmount)
      deps.onFee({ reference, returnId: known.returnId })
    return
  }
  const { reason, valueDate } = known
  if (BigInt(known.amount) === amount) {
    await store.pairReturn(tx, reference, known.returnId, joined)
    const returnId = former.message?.messageReturnId ?? `${known.returnId}@${former.entry?.bankEntryId}`
    const less = former.message?.messageAmount ?? former.entry?.creditedAmount ?? 0n
    return bookReturn(deps, tx, { reference, returnId, amount: less, reason, valueDate, ...former })
  }
  await store.pairReturn(tx, reference, known.returnId, former)
  const returnId = joined.message?.messageReturnId ?? told.identity
  return bookReturn(deps, tx, {
    reference,
    returnId,
    amount,
    reason: told.reason,
    valueDate: told.valueDate,
    ...joined,
  })
}

function messageOf({ messageReturnId, messageAmount }: store.KnownReturn): store.Message | null {
  if (messageReturnId === null || messageAmount === null) return null
  return { messageReturnId, messageAmount: BigInt(messageAmount) }
}

function entryOf({ bankEntryId, creditedAmount }: store.KnownReturn): store.Entry | null {
  if (bankEntryId === null || creditedAmount === null) return null
  return { bankEntryId, creditedAmount: BigInt(creditedAmount) }
}

/** Leaves a return to an operator, who can let it count for a payout. */
export async function reportDoubt(deps: ReturnDeps, tx: Tx, told: ToldReturn): Promise<void> {
  const { bankFileId, identity: returnId, reference, reason, amount, currency, valueDate } = told
  const dated = valueDate === null ? {} : { valueDate }
  const entryId = told.bankEntryId === undefined ? {} : { entryId: told.bankEntryId }
  const report = { state: 'RETURNED', returnId, reason, amount, currency, ...dated, ...entryId } as const
  await reportOnce(deps, tx, `return ${bankFileId} ${returnId}`, { reference: `return ${reference}`, report })
}

/** Reports under an id of its own: banks use ids twice, even in one file. */
export async function reportOnce(
  deps: ReturnDeps,
  tx: Tx,
  id: string,
  told: Omit<Parameters<ReturnDeps['report']>[1], 'reportId'>,
): Promise<void> {
  let reportId = id
  for (let count = 2; !(await deps.report(tx, { reportId, ...told })); count += 1) reportId = `${id} ${count}`
}
