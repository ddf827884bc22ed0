import { createHmac } from 'node:crypto'
import type { EntryDetail, EntryRecord } from '../formats.ts'
import { hashTraits, type Traits } from '../recognition/traits.ts'

/** The facts that tell an entry from others, without the names and texts themselves. */
export type EntryIdentity = {
  bankReference: string | null
  /** The bank's own reference of the entry in its statement; null without one. */
  statedReference: string | null
  referenceHashes: Buffer[]
  /** Ids that banks give a single transaction: UETR, transaction id, reference of the clearing system. */
  networkHashes: Buffer[]
  uetrHash: Buffer | null
  transactionHash: Buffer | null
  /** The end-to-end ids of its transactions, or the batch that it books; null without either. See `batchMark`. */
  endToEndHash: Buffer | null
  payerHash: Buffer
  traits: Traits
  fingerprint: Buffer
}

/** Makes the hash of a credit's batch id a byte longer: it is not compared with the hash of an end-to-end id. */
const batchMark = Buffer.of(0)

/**
 * Identifies an entry of an account. Payers choose names, texts and some references: they are hashed with a key.
 * `virtualAccountIds`: the virtual accounts that its transactions were sent to.
 */
export function identify(
  key: Buffer,
  bankAccountId: string,
  entry: EntryRecord,
  virtualAccountIds: readonly (string | undefined)[],
): EntryIdentity {
  const { direction, amount, details, entryReference } = entry
  const hash = (parts: readonly unknown[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest()
  const [only] = details
  const { bankReference, uetr, transactionId, clearingReference, endToEndId } =
    details.length === 1 ? (only?.references ?? {}) : {}
  const name = (kind: string, id: string | undefined) => (id === undefined ? null : hash([kind, bankAccountId, id]))
  const batchId = entry.batch?.fileId ?? entry.batch?.paymentInformationId
  const ids = details.map(({ references }) => references.endToEndId)
  const isNamed = direction === 'CREDIT' && ids.length > 1 && ids.every((id) => id !== undefined)
  const all = isNamed ? JSON.stringify(ids.toSorted()) : undefined
  const isBatch = endToEndId === undefined && batchId !== undefined
  const endToEndHash = name('end to end', isBatch ? `batch ${batchId}` : (endToEndId ?? all))
  const uetrHash = name('uetr', uetr?.toLowerCase())
  const transactionHash = name('transaction', transactionId)
  const networkHashes = [uetrHash, transactionHash, name('clearing', clearingReference)]
  return {
    bankReference: entry.bankReference ?? bankReference ?? null,
    statedReference: entryReference.startsWith('#') || isPlaceholder(entryReference) ? null : entryReference,
    referenceHashes: details.flatMap(referencesOf).map((each) => hash(['reference', bankAccountId, each])),
    networkHashes: networkHashes.filter((each) => each !== null),
    uetrHash,
    transactionHash,
    endToEndHash:
      endToEndHash && isBatch && direction === 'CREDIT' ? Buffer.concat([endToEndHash, batchMark]) : endToEndHash,
    payerHash: hash(['payer', bankAccountId, details.map(payerOf)]),
    traits: hashTraits(key, bankAccountId, details, virtualAccountIds),
    fingerprint: hash(['entry', bankAccountId, direction, amount.currency, String(amount.units), details.map(textsOf)]),
  }
}

/** Texts that banks write where they have no reference. */
const placeholders = /^(NON ?REF(ERENCE)?|NO ?REF(ERENCE)?|NOT ?PROVIDED|NOT ?AVAILABLE|NONE|UNKNOWN|N\/?A|[0\s./-]*)$/i

export function isPlaceholder(text: string): boolean {
  return placeholders.test(text.trim())
}

/** Leaves out references that name nothing, so that no rule takes one for an identifier. */
export function withoutPlaceholders(told: EntryRecord): EntryRecord {
  const { bankReference, ...rest } = told
  const isGiven = bankReference !== undefined && !isPlaceholder(bankReference)
  return { ...rest, ...(isGiven ? { bankReference } : {}), details: told.details.map(withoutPlaceholder) }
}

export function withoutPlaceholder(detail: EntryDetail): EntryDetail {
  const given = Object.entries(detail.references).filter(([, id]) => id !== undefined && !isPlaceholder(id))
  return { ...detail, references: Object.fromEntries(given) }
}

function referencesOf({ references }: EntryDetail): string[] {
  const { endToEndId, transactionId, uetr, instructionId, clearingReference } = references
  const named = { endToEndId, transactionId, uetr, instructionId, clearingReference }
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
}

function payerOf({ counterparty }: EntryDetail): string | null {
  return counterparty.account?.iban ?? counterparty.account?.number ?? counterparty.name ?? null
}

function textsOf({ references, counterparty, remittance, amount }: EntryDetail): unknown {
  const { iban, number } = counterparty.account ?? {}
  const units = amount === undefined ? null : String(amount.units)
  return [references.endToEndId ?? null, counterparty.name ?? null, iban ?? number ?? null, remittance, units]
}
