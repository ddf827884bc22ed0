import { createHmac } from 'node:crypto'
import type { Part } from './entry.ts'

/** The facts that tell a transaction of an entry from others, without the names and texts themselves. */
export type PartIdentity = {
  place: number
  amount: bigint
  /** The bank's own reference of this transaction. A single one shares that of its entry. */
  bankReference: string | null
  /** Ids that banks give: UETR, transaction id, reference of the clearing system. */
  networkHashes: Buffer[]
  /** Ids that the payer chose (end-to-end id, instruction id), each with amount and payer. */
  payerHashes: Buffer[]
  /** Amount, payer and texts; null when there are none. */
  textHash: Buffer | null
  endToEndHash: Buffer | null
}

/** Identifies a transaction of a credit, or of the debit that takes it back: both name the payer. */
export function identifyPart(
  key: Buffer,
  bankAccountId: string,
  { place, amount, detail }: Part,
  entryReference: string | null,
): PartIdentity {
  const hash = (...parts: unknown[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['part', bankAccountId, ...parts]))
      .digest()
  const { references, counterparty, remittance } = detail
  const { bankReference, uetr, transactionId, clearingReference, endToEndId, instructionId } = references
  const payer = counterparty.account?.iban ?? counterparty.account?.number ?? counterparty.name
  const units = String(amount)
  const given = (named: Record<string, string | undefined>, ...more: unknown[]) =>
    Object.entries(named).flatMap(([name, id]) => (id === undefined ? [] : [hash(name, id, ...more)]))
  return {
    place,
    amount,
    bankReference: bankReference ?? entryReference,
    networkHashes: given({ uetr: uetr?.toLowerCase(), transactionId, clearingReference }),
    payerHashes: payer === undefined ? [] : given({ endToEndId, instructionId }, units, payer),
    textHash: payer === undefined && remittance.length === 0 ? null : hash('texts', units, payer ?? null, remittance),
    endToEndHash: endToEndId === undefined ? null : hash('end to end', endToEndId),
  }
}

/** A transaction that another entry has. */
export type KnownPart = {
  bankEntryId: string
  place: number
  externalId: string
  isSameFile: boolean
  isSameSource: boolean
  isSameAmount: boolean
  isSameReference: boolean
  /** Both have a reference of the bank, and they differ. */
  isOtherReference: boolean
  /** Both have an end-to-end id, and they differ. */
  isOtherPayment: boolean
  sharesNetworkId: boolean
  sharesPayerId: boolean
  sharesTexts: boolean
  isSameDay: boolean
  isNear: boolean
  isPaired: boolean
}

export type PartRecognition = { is: 'NEW' } | { is: 'REPEATED' | 'DOUBTFUL'; known: KnownPart }

/**
 * Recognizes a transaction of a collective entry among single ones, and the other way round. A reference of the banks
 * decides; ids and texts of the payer pair a notification with a statement of the same day, one for one. The rest is in
 * doubt: it is neither credited twice nor dropped.
 */
export function recognizePart(known: readonly KnownPart[]): PartRecognition {
  const certain = known.find(
    (each) =>
      !each.isSameFile &&
      each.isSameAmount &&
      !each.isOtherReference &&
      !each.isOtherPayment &&
      (each.isSameReference || each.sharesNetworkId),
  )
  if (certain) return { is: 'REPEATED', known: certain }
  const named = known.find((each) => each.isSameReference || each.sharesNetworkId)
  if (named) return { is: 'DOUBTFUL', known: named }
  const others = known.filter((each) => !each.isSameFile && each.isSameAmount && !each.isOtherPayment)
  const isLike = (each: KnownPart) => each.sharesPayerId || each.sharesTexts
  const unpaired = others.filter((each) => !each.isSameSource && !each.isPaired)
  const pair = unpaired.find((each) => isLike(each) && each.isSameDay && !each.isOtherReference)
  if (pair) return { is: 'REPEATED', known: pair }
  const doubtful =
    unpaired.find((each) => isLike(each) && each.isNear) ??
    unpaired.find((each) => each.isSameDay && !each.isOtherReference) ??
    others.find((each) => isLike(each) && each.isSameDay && !each.isOtherReference)
  return doubtful ? { is: 'DOUBTFUL', known: doubtful } : { is: 'NEW' }
}
