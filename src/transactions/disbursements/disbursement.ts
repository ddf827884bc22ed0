import type { Asset } from '../../catalog/currencies.ts'
import type { ReturnedFunds } from '../refunds/returned-funds.ts'

/** CANCELLED: an operator withdrew it before it was sent. RETURNED: the money is among the returned funds again. */
export const disbursementStatuses = ['PENDING', 'COMPLETED', 'REFUSED', 'RETURNED', 'CANCELLED'] as const
export type DisbursementStatus = (typeof disbursementStatuses)[number]

/** DEVELOPER_FEES: an organization orders them, for the customer that stands for it. */
export type DisbursementSource = 'WALLET' | 'RETURNED_FUNDS' | 'DEVELOPER_FEES'

/** Money that Svc keeps for a customer, and that an operator pays to one of the customer's registered accounts. */
export type Disbursement = {
  organizationId: string
  /** Also the id of its payout. */
  disbursementId: string
  customerId: string
  source: DisbursementSource
  /** The service wallet, or the ledger account of the returned funds or developer fees. */
  sourceAccountId: string
  status: DisbursementStatus
  asset: Asset
  /** In smallest units. */
  amount: string
  destinationPaymentAccountId: string
  externalReference: string
  createdAt: Date
}

/** The part of a disbursement that comes from one cause of returned funds. */
export type DisbursementPart = Pick<ReturnedFunds, 'cause' | 'causeId'> & { amount: bigint }

export type ChosenParts = {
  amount: bigint
  /** The holding that keeps the money. */
  heldAt: string
  /** The address that pays; null when our bank or treasury pays. */
  walletId: string | null
  parts: readonly DisbursementPart[]
}

/**
 * Chooses the causes that a disbursement takes, oldest first. One payout leaves from one place, so all of them are kept
 * at the same place: the first with the whole amount, or without an amount the place with the most. Undefined when no
 * place has the amount.
 */
export function chooseParts(funds: readonly ReturnedFunds[], wanted: bigint | undefined): ChosenParts | undefined {
  const places = [...Map.groupBy(funds, ({ heldAt, walletId }) => `${heldAt} ${walletId}`).values()].map((kept) => ({
    kept,
    amount: kept.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
  }))
  const [largest] = places.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
  const amount = wanted ?? largest?.amount ?? 0n
  const place = places.find((each) => each.amount >= amount)
  const [oldest] = place?.kept ?? []
  if (!place || !oldest || amount <= 0n) return undefined
  const parts: DisbursementPart[] = []
  let missing = amount
  for (const { cause, causeId, amount: left } of place.kept) {
    const taken = BigInt(left) < missing ? BigInt(left) : missing
    if (taken > 0n) parts.push({ cause, causeId, amount: taken })
    missing -= taken
  }
  return { amount, heldAt: oldest.heldAt, walletId: oldest.walletId, parts }
}
