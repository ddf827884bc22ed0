import { type Asset, assetOf, assets, type Currency, methodsOf } from '../catalog/currencies.ts'
import { defaultBankAccountType } from './bank-accounts/bank-account.ts'
import {
  type AccountProfile,
  mainNetwork,
  networksOf,
  type PaymentAccount,
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
  account: PaymentAccount,
  profile: AccountProfile | undefined,
  shown: Shown,
): PaymentAccountView {
  const isPending = account.status === 'PENDING'
  return {
    // The contract shows no id before there is an account; the other name says where it will be.
    paymentAccountId: isPending ? '' : account.paymentAccountId,
    ...(isPending ? { pendingPaymentAccountId: account.paymentAccountId } : {}),
    paymentAccountType: account.paymentAccountType,
    nickname: profile?.nickname ?? '',
    ...(account.createdAt ? { createdAt: account.createdAt.toISOString() } : {}),
    customerId: account.customerId,
    paymentAccountStatus: account.status,
    isThirdParty: account.isThirdParty,
    ...(isPending ? { bankAccountFormLink: shown.formLink } : {}),
    ...presentKind(account, profile ?? {}, shown),
  }
}

function presentKind(account: PaymentAccount, profile: AccountProfile, shown: Shown) {
  const { currencyOf, isOffered } = shown
  switch (account.paymentAccountType) {
    case 'EXTERNAL_BANK_ACCOUNT':
      return account.createdAt ? { externalBankAccount: presentBankAccount(account, profile, currencyOf) } : {}
    case 'SVC_AUTO_FIAT_ACCOUNT':
      return { svcAutoFiatAccount: presentAutoFiatAccount(account, profile, shown) }
    case 'EXTERNAL_CRYPTO_WALLET': {
      const { currency, paymentMethod: chain, address } = account
      return { externalCryptoWallet: { currency: currencyOf(assetIn(currency, chain)), address: { address, chain } } }
    }
    case 'SVC_CRYPTO_WALLET':
      return { svcCryptoWallet: presentServiceWallet(account, isOffered) }
  }
}

/** After an erasure names and numbers are gone, and stand here as empty texts. */
function presentBankAccount(account: PaymentAccount, profile: AccountProfile, currencyOf: Shown['currencyOf']) {
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

function presentAutoFiatAccount(account: PaymentAccount, profile: AccountProfile, { currencyOf, isOffered }: Shown) {
  const supported = assets.filter((asset) => asset !== account.currency && methodsOf(asset).some(isOffered))
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

function presentServiceWallet({ walletType, address }: PaymentAccount, isOffered: Shown['isOffered']) {
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
