/** The facts of a payment account that decide who receives a payout. */
export type SealedDestination = {
  organizationId: string
  paymentAccountId: string
  customerId: string
  paymentAccountType: string
  currency: string | null
  paymentMethod: string | null
  walletType: string | null
  address: string | null
  accountHash: Buffer | null
  dataKeyId: string
  /** SHA-256 of the encrypted bank details. */
  detailsHash: Buffer | null
}

/** The facts of a payout obligation that never change. */
export type SealedObligation = {
  organizationId: string
  payoutId: string
  transactionId: string | null
  depositId: string | null
  customerId: string | null
  purpose: string
  method: string
  asset: string
  amount: string
  paymentAccountId: string | null
  /** The version of the receiver's coordinates. */
  detailsVersion: number
  fromWalletId: string | null
  paysFrom: string | null
  heldAt: string | null
  isReleased: boolean
}

/** Writes the bytes under a destination's seal. A JSON list: no two destinations give the same text. */
export function writeDestination(destination: SealedDestination): Buffer {
  return Buffer.from(
    JSON.stringify([
      'svc destination 1',
      destination.organizationId,
      destination.paymentAccountId,
      destination.customerId,
      destination.paymentAccountType,
      destination.currency,
      destination.paymentMethod,
      destination.walletType,
      destination.address,
      destination.accountHash?.toString('hex') ?? null,
      destination.dataKeyId,
      destination.detailsHash?.toString('hex') ?? null,
    ]),
  )
}

/** Writes the bytes under an obligation's seal. */
export function writeObligation(obligation: SealedObligation): Buffer {
  return Buffer.from(
    JSON.stringify([
      'svc obligation 1',
      obligation.organizationId,
      obligation.payoutId,
      obligation.transactionId,
      obligation.depositId,
      obligation.customerId,
      obligation.purpose,
      obligation.method,
      obligation.asset,
      obligation.amount,
      obligation.paymentAccountId,
      obligation.detailsVersion,
      obligation.fromWalletId,
      obligation.paysFrom,
      obligation.heldAt,
      obligation.isReleased,
    ]),
  )
}
