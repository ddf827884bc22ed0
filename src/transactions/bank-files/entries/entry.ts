import type { FiatRail } from '../../../catalog/currencies.ts'
import type { EntryDetail, EntryRecord } from '../formats.ts'
import type { Evidence, Recognized } from '../recognition/sameness.ts'

export type EntrySource = 'NOTIFICATION' | 'STATEMENT'

export type EntryOutcome =
  | ('DEPOSIT' | 'PAYMENT' | 'RETURN' | 'REVERSING' | 'REVERSAL')
  | ('REPEATED' | 'QUARANTINED' | 'UNMATCHED' | 'RESOLVED')

/** An entry that another message may have told before. A repetition answers for the entry that it repeats. */
export type KnownEntry = Evidence & {
  bankEntryId: string
  externalId: string | null
  outcome: EntryOutcome
  isDoubtful: boolean
}

export type Recognition = Recognized<KnownEntry>

/** A transaction of an entry with its amount, which a single one shares with the entry. */
export type Part = { place: number; amount: bigint; detail: EntryDetail }

const noDetail: EntryDetail = { references: {}, charges: [], counterparty: {}, remittance: [], creditorReferences: [] }

/** Splits an entry into its transactions; one part when their amounts are unknown or do not add up to the entry. */
export function partsOf({ amount, details }: EntryRecord): Part[] {
  const [only, ...more] = details
  if (more.length === 0) return [{ place: 1, amount: amount.units, detail: only ?? noDetail }]
  const parts = details.map((detail, at) => ({ place: at + 1, amount: detail.amount?.units ?? 0n, detail }))
  const sum = parts.reduce((total, part) => total + part.amount, 0n)
  const isWhole = sum === amount.units && parts.every((part) => part.amount > 0n)
  return isWhole ? parts : [{ place: 1, amount: amount.units, detail: noDetail }]
}

/**
 * Tells how many transactions of a credit the message names without telling them, 0 when it does not say; undefined when
 * it tells them.
 */
export function untoldCountOf(told: EntryRecord): number | undefined {
  const { direction, details, batch } = told
  if (direction !== 'CREDIT') return undefined
  const isTold = details.length > 1 ? partsOf(told).length > 1 : details.length === 1
  const count = batch?.count ?? (details.length > 1 ? details.length : 0)
  if (count === 1 || (isTold && count <= details.length)) return undefined
  return count
}

/** Reversal due to a payment return, or to a cancellation: sub-families of ISO 20022 bank transaction codes. */
const returnCodes = /\/(RRTN|RPCR)$/

/** Marks a credit as a return where only its transaction code says so. */
export function withMark(told: EntryRecord): EntryRecord {
  const { direction, bankTransactionCode = '', details } = told
  if (direction !== 'CREDIT' || !returnCodes.test(bankTransactionCode)) return told
  if (details.length === 0) return { ...told, isReversal: true }
  return { ...told, details: details.map((detail) => (detail.return ? detail : { ...detail, return: {} })) }
}

/**
 * Received credit transfers in the bank transaction codes of ISO 20022, of rails that share an account: those of the ACH,
 * and those with priority, on the same day or across borders.
 */
const railCodes: readonly (readonly [FiatRail, RegExp])[] = [
  ['ACH', /^PMNT\/RCDT\/(ACDT|ACOR|APAC|ASET|ATXN)$/],
  ['WIRE', /^PMNT\/RCDT\/(PRCT|SDVA|XBCT)$/],
]

/** Tells the rail of a credit among those of the account that received it; undefined when its code names none. */
export function railOf({ bankTransactionCode = '' }: EntryRecord, rails: readonly FiatRail[]): FiatRail | undefined {
  return railCodes.find(([rail, codes]) => rails.includes(rail) && codes.test(bankTransactionCode))?.[0]
}

/** True when the bank marks an entry as a reversal, or all of it as returned. */
export function isGivenBack({ isReversal, details }: EntryRecord): boolean {
  return isReversal || (details.length > 0 && details.every((each) => each.return))
}

/** True for money that a creditor collected from us: its references are not ours. */
export function isCollected({ bankTransactionCode = '' }: EntryRecord): boolean {
  return /(^|\/)(RDDT|RRDD)(\/|$)/.test(bankTransactionCode)
}
