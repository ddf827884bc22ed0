import type { CustomerKey } from '../customers/sealed-customer.ts'
import type { AccountProfile, BankDetails, PaymentAccount } from './payment-account.ts'

/** An account with its customer's key; the key is undefined after an erasure. */
export type OpenAccount = {
  account: PaymentAccount
  key: CustomerKey | undefined
  profile: AccountProfile | undefined
}

export function unsealAccount(account: PaymentAccount, key: CustomerKey | undefined): OpenAccount {
  const profile =
    key && (JSON.parse(key.open(placeOf(account, 'profile'), account.sealedProfile).toString()) as AccountProfile)
  return { account, key, profile }
}

/** Opens the full account numbers: for a payout, never for an answer. */
export function openBankDetails({ account, key }: OpenAccount): BankDetails | undefined {
  if (!key || !account.sealedDetails) return undefined
  return JSON.parse(key.open(placeOf(account, 'details'), account.sealedDetails).toString()) as BankDetails
}

type AccountId = Pick<PaymentAccount, 'paymentAccountId'>

export function sealProfile(key: CustomerKey, account: AccountId, profile: AccountProfile): Buffer {
  return key.seal(placeOf(account, 'profile'), JSON.stringify(profile))
}

export function sealBankDetails(key: CustomerKey, account: AccountId, details: BankDetails): Buffer {
  return key.seal(placeOf(account, 'details'), JSON.stringify(details))
}

function placeOf({ paymentAccountId }: AccountId, column: string) {
  return { table: 'payment_accounts', row: paymentAccountId, column }
}
