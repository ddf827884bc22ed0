import type { Tx } from '../../../db/database.ts'
import type { EntryRecord, ReturnRecord } from '../formats.ts'
import { partsOf } from './entry.ts'
import type { EntryMeaning, NewEntry } from './entry-store.ts'
import type { ReportDeps } from './payments.ts'
import { findSent } from './reference-store.ts'
import * as store from './return-store.ts'

export type ReturnDeps = ReportDeps & {
  /** A bank credited less than its message told: it kept a fee. */
  onFee(told: { reference: string; returnId: string }): void
}

type Told = {
  reference: string
  amount: bigint
  reason: string
  valueDate: string | null
} & ({ messageReturnId: string } | { bankEntryId: string; identity: string })

/**
 * Records a return once, whether a message or an entry of a statement tells it first. Each message pairs with one entry,
 * so that two equal parts count twice, and a return that two messages tell counts once.
 */
async function recordReturn(deps: ReturnDeps, tx: Tx, told: Told): Promise<void> {
  const { reference, amount, reason, valueDate } = told
  const known = await store.readKnownReturns(tx, reference)
  const isMessage = 'messageReturnId' in told
  if (isMessage && known.some(({ messageReturnId }) => messageReturnId === told.messageReturnId)) return
  const unpaired = known.filter((each) => (isMessage ? each.messageReturnId : each.bankEntryId) === null)
  const isNet = (each: store.KnownReturn) => (isMessage ? BigInt(each.amount) < amount : amount < BigInt(each.amount))
  const lessFees = unpaired.filter(isNet)
  const pair =
    unpaired.find((each) => BigInt(each.amount) === amount) ?? (lessFees.length === 1 ? lessFees[0] : undefined)
  if (pair) {
    if (BigInt(pair.amount) !== amount) deps.onFee({ reference, returnId: pair.returnId })
    const half = isMessage
      ? { messageReturnId: told.messageReturnId }
      : { bankEntryId: told.bankEntryId, creditedAmount: amount }
    return store.pairReturn(tx, reference, pair.returnId, half)
  }
  const returnId = isMessage ? told.messageReturnId : told.identity
  const messageReturnId = isMessage ? told.messageReturnId : null
  const bankEntryId = isMessage ? null : told.bankEntryId
  await store.insertReturn(tx, { reference, returnId, amount, reason, valueDate, messageReturnId, bankEntryId })
  const dated = valueDate === null ? {} : { valueDate }
  await deps.report(tx, {
    reportId: `return ${reference} ${returnId}`,
    reference,
    report: { state: 'RETURNED', returnId, reason, amount, ...dated },
  })
}

/** Records a return that a message tells. A return of a return, or of something that we never sent, is for a person. */
export async function recordReturnMessage(deps: ReturnDeps, tx: Tx, told: ReturnRecord): Promise<void> {
  const { reference, returnId, code, isDishonored, isContested, original, effectiveDate } = told
  const [sent] = reference === '' ? [] : await findSent(tx, [reference])
  if (!sent || isDishonored || isContested || original === 'DEBIT') {
    const why = isDishonored || isContested ? 'dishonored return' : 'return'
    await deps.report(tx, { reportId: returnId, reference: `${why} ${reference}`, report: { state: 'DEAD' } })
    return
  }
  await recordReturn(deps, tx, {
    reference,
    amount: told.amount.units,
    reason: code,
    valueDate: effectiveDate ?? null,
    messageReturnId: returnId,
  })
}

/**
 * Records a credit that the bank itself marks as a return or reversal of a payment of ours. Only our own reference names
 * the payment: the text that a receiver wrote does not.
 */
export async function recordReturnEntry(
  deps: ReturnDeps,
  tx: Tx,
  entry: NewEntry,
  told: EntryRecord,
): Promise<EntryMeaning> {
  const parts = partsOf(told)
  const named = parts.flatMap(({ detail }) => detail.references.endToEndId ?? [])
  const sent = (await findSent(tx, named)).filter(({ bankAccountId }) => bankAccountId === entry.bankAccountId)
  const isOurs = (reference: string | undefined) => sent.some((item) => item.reference === reference)
  if (!parts.every(({ detail }) => isOurs(detail.references.endToEndId))) return { outcome: 'UNMATCHED' }
  const after = parts.map(
    ({ place, amount, detail }) =>
      () =>
        recordReturn(deps, tx, {
          reference: detail.references.endToEndId ?? '',
          amount,
          reason: detail.return?.reason?.code ?? 'reversed',
          valueDate: entry.valueDate ?? entry.bookingDate,
          bankEntryId: entry.bankEntryId,
          identity: `${entry.bankReference ?? `${entry.statementKey}:${entry.position}`}/${place}`,
        }),
  )
  return { outcome: 'RETURN', after }
}
