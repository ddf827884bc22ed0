import type { CustomerKey } from '../customers/sealed-customer.ts'
import type { AccountProfile, BankDetails, PaymentAccount } from './payment-account.ts'

/** An account with its customer's key in hand; without one when the customer was erased. */
export type OpenAccount = {
  row: PaymentAccount
  key: CustomerKey | undefined
  profile: AccountProfile | undefined
}

export function openAccountRow(account: PaymentAccount, key: CustomerKey | undefined): OpenAccount {
  const profile =
    key && (JSON.parse(key.open(placeOf(account, 'profile'), account.sealedProfile).toString()) as AccountProfile)
  return { row: account, key, profile }
}

/** The numbers themselves: opened for a payout, never for an answer. */
export function openBankDetails({ row, key }: OpenAccount): BankDetails | undefined {
  if (!key || !row.sealedDetails) return undefined
  return JSON.parse(key.open(placeOf(row, 'details'), row.sealedDetails).toString()) as BankDetails
}

type RowId = { paymentAccountId: string }

export function sealProfile(key: CustomerKey, row: RowId, profile: AccountProfile): Buffer {
  return key.seal(placeOf(row, 'profile'), JSON.stringify(profile))
}

export function sealBankDetails(key: CustomerKey, row: RowId, details: BankDetails): Buffer {
  return key.seal(placeOf(row, 'details'), JSON.stringify(details))
}

function placeOf({ paymentAccountId }: RowId, column: string) {
  return { table: 'payment_accounts', row: paymentAccountId, column }
}
