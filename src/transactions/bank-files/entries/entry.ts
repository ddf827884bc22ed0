import type { EntryDetail, EntryRecord } from '../formats.ts'

export type EntrySource = 'NOTIFICATION' | 'STATEMENT'

export type EntryOutcome =
  | ('DEPOSIT' | 'PAYMENT' | 'RETURN' | 'REVERSING' | 'REVERSAL')
  | ('REPEATED' | 'QUARANTINED' | 'UNMATCHED' | 'RESOLVED')

/** An entry that another message may have told before. */
export type KnownEntry = {
  bankEntryId: string
  bankFileId: string
  source: EntrySource
  statementKey: string
  entryReference: string
  position: number
  partCount: number
  bankReference: string | null
  amount: string
  isSameFingerprint: boolean
  sharesReference: boolean
  /** Both have an end-to-end id, and they differ. */
  isOtherPayment: boolean
  isSameDay: boolean
  isPaired: boolean
  externalId: string | null
}

export type Told = {
  direction: 'CREDIT' | 'DEBIT'
  partCount: number
  bankFileId: string
  source: EntrySource
  statementKey: string
  entryReference: string
  position: number
  bankReference: string | null
  amount: bigint
}

/** NEW, a repetition of a known entry, or in doubt: a person decides whether it is another one. */
export type Recognition = { is: 'NEW' } | { is: 'REPEATED' | 'DOUBTFUL'; known: KnownEntry }

/**
 * Recognizes an entry among those of its account, direction and kind. The bank's own reference decides. Without one on
 * both sides, a statement repeats a notification of the same day, amount and details, one for one. The rest is in doubt:
 * it is neither credited twice nor dropped.
 */
export function recognize(told: Told, known: readonly KnownEntry[]): Recognition {
  const isSameAmount = ({ amount }: KnownEntry) => BigInt(amount) === told.amount
  const byReference = known.filter(
    ({ bankReference }) => told.bankReference !== null && bankReference === told.bankReference,
  )
  const [first] = byReference
  if (first) {
    const isOther = ({ isOtherPayment }: KnownEntry) => isOtherPayment && told.direction === 'CREDIT'
    const repeated = byReference.find(
      (each) => isSameAmount(each) && each.bankFileId !== told.bankFileId && !isOther(each),
    )
    return repeated ? { is: 'REPEATED', known: repeated } : { is: 'DOUBTFUL', known: first }
  }
  const comparable = known.filter(
    (each) => isSameAmount(each) && (told.bankReference === null || each.bankReference === null),
  )
  const others = comparable.filter((each) => each.bankFileId !== told.bankFileId && !each.isOtherPayment)
  const samePage = others.find(
    (each) =>
      each.source === told.source &&
      each.statementKey === told.statementKey &&
      each.position === told.position &&
      each.isSameFingerprint,
  )
  if (samePage) return { is: 'REPEATED', known: samePage }
  const unpaired = others.filter(({ source, isPaired }) => source !== told.source && !isPaired)
  // The transactions of a collective entry are compared one by one: one that is known says nothing about the others.
  const isWhole = (each: KnownEntry) => told.direction === 'DEBIT' || (told.partCount === 1 && each.partCount === 1)
  const pair =
    unpaired.find((each) => each.isSameFingerprint) ??
    unpaired.find((each) => each.sharesReference && each.isSameDay && isWhole(each))
  if (pair) return { is: 'REPEATED', known: pair }
  const doubtful =
    unpaired.find(({ isSameDay }) => isSameDay) ??
    others.find(
      (each) => each.source === told.source && (each.isSameFingerprint || (each.sharesReference && each.isSameDay)),
    )
  return doubtful ? { is: 'DOUBTFUL', known: doubtful } : { is: 'NEW' }
}

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

/** True for money that a creditor collected from us: its references are not ours. */
export function isCollected({ bankTransactionCode = '' }: EntryRecord): boolean {
  return /(^|\/)(RDDT|RRDD)(\/|$)/.test(bankTransactionCode)
}
