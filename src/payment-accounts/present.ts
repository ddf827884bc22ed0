import { type Asset, assetOf, assets, type Currency, methodsOf } from '../catalog/currencies.ts'
import { defaultBankAccountType } from './bank-accounts/bank-account.ts'
import {
  type AccountProfile,
  mainNetwork,
  networksOf,
  type PaymentAccountRow,
  type PaymentAccountStatus,
  type PaymentAccountType,
} from './payment-account.ts'

/** A payment account as the interface shows it, in answers and in events alike. */
export type PaymentAccountView = {
  paymentAccountId: string
  pendingPaymentAccountId?: string
  paymentAccountType: PaymentAccountType
  nickname: string
  createdAt?: string
  customerId: string
  paymentAccountStatus: PaymentAccountStatus
  isThirdParty: boolean
  bankAccountFormLink?: string
  externalBankAccount?: object
  svcAutoFiatAccount?: object
  externalCryptoWallet?: object
  svcCryptoWallet?: object
}

export type Shown = { currencyOf(asset: Asset): Currency; formLink: string; isOffered(method: string): boolean }

export function presentAccount(
  row: PaymentAccountRow,
  profile: AccountProfile | undefined,
  shown: Shown,
): PaymentAccountView {
  const isPending = row.status === 'PENDING'
  return {
    // The contract shows no id before there is an account; the other name says where it will be.
    paymentAccountId: isPending ? '' : row.paymentAccountId,
    ...(isPending ? { pendingPaymentAccountId: row.paymentAccountId } : {}),
    paymentAccountType: row.paymentAccountType,
    nickname: profile?.nickname ?? '',
    ...(row.createdAt ? { createdAt: row.createdAt.toISOString() } : {}),
    customerId: row.customerId,
    paymentAccountStatus: row.status,
    isThirdParty: row.isThirdParty,
    ...(isPending ? { bankAccountFormLink: shown.formLink } : {}),
    ...presentKind(row, profile ?? {}, shown),
  }
}

function presentKind(row: PaymentAccountRow, profile: AccountProfile, shown: Shown) {
  const { currencyOf, isOffered } = shown
  switch (row.paymentAccountType) {
    case 'EXTERNAL_BANK_ACCOUNT':
      return row.createdAt ? { externalBankAccount: presentBankAccount(row, profile, currencyOf) } : {}
    case 'SVC_AUTO_FIAT_ACCOUNT':
      return { svcAutoFiatAccount: presentAutoFiatAccount(row, profile, shown) }
    case 'EXTERNAL_CRYPTO_WALLET': {
      const { currency, paymentMethod: chain, address } = row
      return { externalCryptoWallet: { currency: currencyOf(assetIn(currency, chain)), address: { address, chain } } }
    }
    case 'SVC_CRYPTO_WALLET':
      return { svcCryptoWallet: presentServiceWallet(row, isOffered) }
  }
}

/** After an erasure names and numbers are gone, and stand here as empty texts. */
function presentBankAccount(row: PaymentAccountRow, profile: AccountProfile, currencyOf: Shown['currencyOf']) {
  return {
    bankAccountType: profile.bankAccountType ?? defaultBankAccountType,
    bankAccountOwnerName: profile.ownerName ?? '',
    bankAccountOwnerEmail: profile.ownerEmail ?? '',
    bankName: profile.bankName ?? '',
    bankAccountCurrency: currencyOf(assetIn(row.currency)),
    bankAccountMask: profile.mask ?? '',
    bankAccountPaymentMethod: row.paymentMethod,
  }
}

function presentAutoFiatAccount(row: PaymentAccountRow, profile: AccountProfile, { currencyOf, isOffered }: Shown) {
  const supported = assets.filter((asset) => asset !== row.currency && methodsOf(asset).some(isOffered))
  return {
    currency: currencyOf(assetIn(row.currency)),
    supportedDestinationCurrencies: supported.map(currencyOf),
    destinationPaymentAccountId: row.destinationPaymentAccountId,
    destinationCurrency: currencyOf(assetIn(row.destinationCurrency, row.destinationPaymentMethod)),
    destinationPaymentMethod: row.destinationPaymentMethod,
    bankName: profile.bankName ?? '',
    ...profile.coordinates,
  }
}

function presentServiceWallet({ walletType, address }: PaymentAccountRow, isOffered: Shown['isOffered']) {
  const kind = walletType ?? 'EVM'
  const chains = networksOf(kind).filter(isOffered)
  return { cryptoWalletType: kind, address: { address, chain: mainNetwork[kind] }, chains }
}

/** What is stored was checked when it came; a gap is a fault. */
function assetIn(label: string | null, method?: string | null): Asset {
  const asset = assetOf(label ?? '', method ?? undefined)
  if (!asset) throw new Error(`a payment account is stored with the currency ${label} on ${method}`)
  return asset
}
