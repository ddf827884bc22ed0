import { createHmac } from 'node:crypto'
import type { Evidence } from '../recognition/sameness.ts'
import { hashTraits, type Traits } from '../recognition/traits.ts'
import type { Part } from './entry.ts'

/** The facts that tell a transaction of an entry from others, without the names and texts themselves. */
export type PartIdentity = {
  place: number
  amount: bigint
  /** The bank's own reference of this transaction. A single one shares that of its entry. */
  bankReference: string | null
  /** Ids that banks give: UETR, transaction id, reference of the clearing system. */
  networkHashes: Buffer[]
  uetrHash: Buffer | null
  transactionHash: Buffer | null
  /** Ids that the payer chose (end-to-end id, instruction id), each with amount and payer. */
  payerHashes: Buffer[]
  /** Amount, payer and texts; null when there are none. */
  textHash: Buffer | null
  endToEndHash: Buffer | null
  traits: Traits
  /** A payment of ours that comes back. */
  isReturn: boolean
  /** Ids of the batch that the payer sent it in. */
  batchHashes: Buffer[]
}

/** Hashes the ids of a batch, which an entry or its transactions name. */
export function hashBatch(key: Buffer, bankAccountId: string, ids: readonly (string | undefined)[]): Buffer[] {
  return ids
    .filter((id) => id !== undefined)
    .map((id) =>
      createHmac('sha256', key)
        .update(JSON.stringify(['batch', bankAccountId, id]))
        .digest(),
    )
}

/** Identifies a transaction of a credit, or of the debit that takes it back: both name the payer. */
export function identifyPart(
  key: Buffer,
  bankAccountId: string,
  { place, amount, detail }: Part,
  entryReference: string | null,
  virtualAccountId?: string,
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
    uetrHash: uetr === undefined ? null : hash('uetr', uetr.toLowerCase()),
    transactionHash: transactionId === undefined ? null : hash('transactionId', transactionId),
    payerHashes: payer === undefined ? [] : given({ endToEndId, instructionId }, units, payer),
    textHash: payer === undefined && remittance.length === 0 ? null : hash('texts', units, payer ?? null, remittance),
    endToEndHash: endToEndId === undefined ? null : hash('end to end', endToEndId),
    traits: hashTraits(key, bankAccountId, [detail], [virtualAccountId]),
    isReturn: detail.return !== undefined,
    batchHashes: hashBatch(key, bankAccountId, [references.paymentInformationId]),
  }
}

/** A transaction that another entry has. A repetition answers for the transaction that it repeats. */
export type KnownPart = Evidence & { bankEntryId: string; place: number; externalId: string }
