import { type FiatRail, isNetwork, type Network, networks } from '../catalog/currencies.ts'
import { kindOf, type NetworkKind } from '../catalog/network-kinds.ts'
import type { CustomerStatus } from '../customers/customer.ts'
import type { Metadata } from '../lib/resources/own-data.ts'
import type { Transitions } from '../lib/transitions.ts'

export const paymentAccountTypes = [
  'EXTERNAL_BANK_ACCOUNT',
  'SVC_AUTO_FIAT_ACCOUNT',
  'EXTERNAL_CRYPTO_WALLET',
  'SVC_CRYPTO_WALLET',
] as const
export type PaymentAccountType = (typeof paymentAccountTypes)[number]

export const paymentAccountStatuses = ['PENDING', 'ACTIVE', 'DEACTIVATED'] as const
export type PaymentAccountStatus = (typeof paymentAccountStatuses)[number]

/** The lifecycle of a payment account. Only a bank account without details begins as PENDING. */
export const paymentAccountMoves = {
  complete: { from: ['PENDING'], to: 'ACTIVE' },
  delete: { from: ['PENDING', 'ACTIVE'], to: 'DEACTIVATED' },
} as const satisfies Transitions<PaymentAccountStatus>

/** The customer statuses in which new accounts can be created. */
export const statusesWithAccounts: readonly CustomerStatus[] = [
  'CREATED',
  'UNDER_REVIEW',
  'NEEDS_ADDITIONAL_INFORMATION',
  'ACTIVE',
]

/**
 * Lists the customer statuses in which this caller can create an account of this type. A reviewer can register an
 * external account for a customer who may not move money: a disbursement of money that is kept for the customer needs a
 * destination. It comes with its details, because the hosted form is closed to such a customer.
 */
export function statusesFor(
  { paymentAccountType: type, externalBankAccount }: { paymentAccountType?: string; externalBankAccount?: unknown },
  isReviewer: boolean,
): readonly CustomerStatus[] {
  const isBank = type === 'EXTERNAL_BANK_ACCOUNT' && externalBankAccount !== undefined
  const isExternal = isBank || type === 'EXTERNAL_CRYPTO_WALLET'
  return isExternal && isReviewer ? [...statusesWithAccounts, 'REJECTED', 'DEACTIVATED'] : statusesWithAccounts
}

/** Lists the networks that one address of a wallet type serves. */
export function networksOf(walletType: NetworkKind): readonly Network[] {
  return networks.filter((network) => kindOf(network) === walletType)
}

/** The kind of service wallet that a network needs; undefined for a fiat rail. */
export function walletTypeOf(method: string): NetworkKind | undefined {
  return isNetwork(method) ? kindOf(method) : undefined
}

/** The network shown with the address of a service wallet; `chains` lists all of them. */
export const mainNetwork: Readonly<Record<NetworkKind, Network>> = { EVM: 'ETHEREUM', SOLANA: 'SOLANA' }

/** A stored payment account. Names and numbers are sealed with the customer's key. */
export type PaymentAccount = {
  organizationId: string
  paymentAccountId: string
  customerId: string
  paymentAccountType: PaymentAccountType
  status: PaymentAccountStatus
  version: number
  isThirdParty: boolean
  currency: string | null
  paymentMethod: FiatRail | Network | null
  walletType: NetworkKind | null
  address: string | null
  destinationPaymentAccountId: string | null
  destinationCurrency: string | null
  destinationPaymentMethod: string | null
  dataKeyId: string
  sealedProfile: Buffer
  sealedDetails: Buffer | null
  /** Counts the coordinates of a bank account, which its bank may correct. */
  detailsVersion: number
  accountHash: Buffer | null
  /** The signer's seal over the receiver; null until the signer has sealed it. */
  seal: Buffer | null
  linkVersion: number
  createdAt: Date | null
  deactivatedAt: Date | null
  /** The caller's own id; null for a deleted account. */
  externalId: string | null
  /** For an auto fiat account: the methods open to its customer; null before the approval, which tells them. */
  allowedMethods: readonly string[] | null
}

/** The fields of an answer that are personal data, sealed as one value. */
export type AccountProfile = {
  nickname?: string
  /** The caller's own pairs. */
  metadata?: Metadata
  bankAccountType?: string
  ownerName?: string
  ownerEmail?: string
  bankName?: string
  mask?: string
  /** For an auto fiat account: where customers send deposits. */
  coordinates?: BankCoordinates
}

export const coordinateNames = [
  'routingNumber',
  'accountNumber',
  'iban',
  'bicSwift',
  'ifscCode',
  'institutionNumber',
  'transitNumber',
  'interacEmail',
] as const
export type CoordinateName = (typeof coordinateNames)[number]
export type BankCoordinates = Partial<Record<CoordinateName, string>>

export type AccountOwner = {
  type: 'INDIVIDUAL' | 'BUSINESS'
  firstName?: string
  lastName?: string
  businessName?: string
  email?: string
  address?: object
}

/** The details that a payout to a bank account needs. */
export type BankDetails = {
  paymentMethod: FiatRail
  currency: string
  bankAccountType: string
  coordinates: BankCoordinates
  bankName?: string
  bankAddress?: string
  /** Absent for the customer's own account, unless the caller named the owner. */
  owner?: AccountOwner
  ownerName: string
}
