import { type Asset, assetOf, assets, type Currency, methodsOf } from '../catalog/currencies.ts'
import { type Metadata, presentOwnData } from '../lib/resources/own-data.ts'
import { defaultBankAccountType } from './bank-accounts/bank-account.ts'
import {
  type AccountProfile,
  mainNetwork,
  networksOf,
  type PaymentAccount,
  type PaymentAccountStatus,
  type PaymentAccountType,
} from './payment-account.ts'

/** A payment account in answers and in events. */
export type PaymentAccountView = {
  paymentAccountId: string
  pendingPaymentAccountId?: string
  paymentAccountType: PaymentAccountType
  nickname: string
  createdAt?: string
  deletedAt?: string
  customerId: string
  paymentAccountStatus: PaymentAccountStatus
  isThirdParty: boolean
  bankAccountFormLink?: string
  externalBankAccount?: object
  svcAutoFiatAccount?: object
  externalCryptoWallet?: object
  svcCryptoWallet?: object
  externalId?: string
  metadata?: Metadata
}

export type ViewOptions = { currencyOf(asset: Asset): Currency; formLink: string; isOffered(method: string): boolean }

export function presentAccount(
  account: PaymentAccount,
  profile: AccountProfile | undefined,
  options: ViewOptions,
): PaymentAccountView {
  const isPending = account.status === 'PENDING'
  return {
    // A PENDING account shows its id only as pendingPaymentAccountId.
    paymentAccountId: isPending ? '' : account.paymentAccountId,
    ...(isPending ? { pendingPaymentAccountId: account.paymentAccountId } : {}),
    paymentAccountType: account.paymentAccountType,
    nickname: profile?.nickname ?? '',
    ...(account.createdAt ? { createdAt: account.createdAt.toISOString() } : {}),
    ...(account.deactivatedAt ? { deletedAt: account.deactivatedAt.toISOString() } : {}),
    customerId: account.customerId,
    paymentAccountStatus: account.status,
    isThirdParty: account.isThirdParty,
    ...(isPending ? { bankAccountFormLink: options.formLink } : {}),
    ...presentOwnData({ externalId: account.externalId, metadata: profile?.metadata ?? null }),
    ...presentKind(account, profile ?? {}, options),
  }
}

function presentKind(account: PaymentAccount, profile: AccountProfile, options: ViewOptions) {
  const { currencyOf, isOffered } = options
  switch (account.paymentAccountType) {
    case 'EXTERNAL_BANK_ACCOUNT':
      return account.createdAt ? { externalBankAccount: presentBankAccount(account, profile, currencyOf) } : {}
    case 'SVC_AUTO_FIAT_ACCOUNT':
      return { svcAutoFiatAccount: presentAutoFiatAccount(account, profile, options) }
    case 'EXTERNAL_CRYPTO_WALLET': {
      const { currency, paymentMethod: chain, address } = account
      return { externalCryptoWallet: { currency: currencyOf(assetIn(currency, chain)), address: { address, chain } } }
    }
    case 'SVC_CRYPTO_WALLET':
      return { svcCryptoWallet: presentServiceWallet(account, isOffered) }
  }
}

/** Presents a bank account. After an erasure, names and numbers are empty strings. */
function presentBankAccount(account: PaymentAccount, profile: AccountProfile, currencyOf: ViewOptions['currencyOf']) {
  return {
    bankAccountType: profile.bankAccountType ?? defaultBankAccountType,
    bankAccountOwnerName: profile.ownerName ?? '',
    bankAccountOwnerEmail: profile.ownerEmail ?? '',
    bankName: profile.bankName ?? '',
    bankAccountCurrency: currencyOf(assetIn(account.currency)),
    bankAccountMask: profile.mask ?? '',
    bankAccountPaymentMethod: account.paymentMethod,
  }
}

function presentAutoFiatAccount(
  account: PaymentAccount,
  profile: AccountProfile,
  { currencyOf, isOffered }: ViewOptions,
) {
  const isOpen = (method: string) => isOffered(method) && (account.allowedMethods?.includes(method) ?? true)
  const supported = assets.filter((asset) => asset !== account.currency && methodsOf(asset).some(isOpen))
  return {
    currency: currencyOf(assetIn(account.currency)),
    supportedDestinationCurrencies: supported.map(currencyOf),
    destinationPaymentAccountId: account.destinationPaymentAccountId,
    destinationCurrency: currencyOf(assetIn(account.destinationCurrency, account.destinationPaymentMethod)),
    destinationPaymentMethod: account.destinationPaymentMethod,
    bankName: profile.bankName ?? '',
    ...profile.coordinates,
  }
}

function presentServiceWallet({ walletType, address }: PaymentAccount, isOffered: ViewOptions['isOffered']) {
  const kind = walletType ?? 'EVM'
  const chains = networksOf(kind).filter(isOffered)
  return { cryptoWalletType: kind, address: { address, chain: mainNetwork[kind] }, chains }
}

/** Returns a stored asset. It was validated on entry, so an unknown one is a fault. */
function assetIn(label: string | null, method?: string | null): Asset {
  const asset = assetOf(label ?? '', method ?? undefined)
  if (!asset) throw new Error(`a stored payment account has the unknown currency ${label} on ${method}`)
  return asset
}
