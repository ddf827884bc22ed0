import { createHmac } from 'node:crypto'
import type { EntryDetail, EntryRecord } from '../formats.ts'

/** The facts that tell an entry from others, without the names and texts themselves. */
export type EntryIdentity = {
  bankReference: string | null
  referenceHashes: Buffer[]
  /** The end-to-end ids of its transactions, or the file that it books; null without either. */
  endToEndHash: Buffer | null
  fingerprint: Buffer
}

/** Identifies an entry of an account. Payers choose names, texts and some references: they are hashed with a key. */
export function identify(key: Buffer, bankAccountId: string, entry: EntryRecord): EntryIdentity {
  const { direction, isReversal, amount, bookingDate, valueDate, details } = entry
  const hash = (parts: readonly unknown[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest()
  const [only] = details
  const own = details.length === 1 ? only?.references.bankReference : undefined
  const batchId = entry.batch?.fileId ?? entry.batch?.paymentInformationId
  const single = details.length === 1 ? only?.references.endToEndId : undefined
  const ids = details.map(({ references }) => references.endToEndId)
  const isNamed = direction === 'CREDIT' && ids.length > 1 && ids.every((id) => id !== undefined)
  const all = isNamed ? JSON.stringify(ids.toSorted()) : undefined
  const endToEndId = single ?? (batchId === undefined ? all : `batch ${batchId}`)
  return {
    bankReference: entry.bankReference ?? own ?? null,
    referenceHashes: details.flatMap(referencesOf).map((each) => hash(['reference', bankAccountId, each])),
    endToEndHash: endToEndId === undefined ? null : hash(['end to end', bankAccountId, endToEndId]),
    fingerprint: hash([
      'entry',
      bankAccountId,
      direction,
      isReversal,
      amount.currency,
      String(amount.units),
      bookingDate ?? null,
      valueDate ?? null,
      details.map(textsOf),
    ]),
  }
}

function referencesOf({ references }: EntryDetail): string[] {
  const { endToEndId, transactionId, uetr, instructionId, clearingReference } = references
  const named = { endToEndId, transactionId, uetr, instructionId, clearingReference }
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
}

function textsOf({ references, counterparty, remittance, amount }: EntryDetail): unknown {
  const { iban, number } = counterparty.account ?? {}
  const units = amount === undefined ? null : String(amount.units)
  return [references.endToEndId ?? null, counterparty.name ?? null, iban ?? number ?? null, remittance, units]
}
