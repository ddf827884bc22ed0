import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import type { AccountName, HeldAccount, PaymentFile } from './formats.ts'

/** Names an account as messages do. */
export function nameOf(coordinates: BankCoordinates): AccountName {
  const { iban, accountNumber, interacEmail } = coordinates
  if (iban !== undefined) return { iban }
  const bankId = bankIdOf(coordinates)
  return { number: accountNumber ?? interacEmail ?? '', ...(bankId === undefined ? {} : { bankId }) }
}

/** The code of the bank: a routing number, an IFSC, or the numbers of institution and branch as Canada writes them. */
function bankIdOf({ routingNumber, ifscCode, institutionNumber, transitNumber }: BankCoordinates): string | undefined {
  if (institutionNumber !== undefined) return `0${institutionNumber}${transitNumber ?? ''}`
  return routingNumber ?? ifscCode
}

/** The key of an account in the bank's ledger. */
export function keyOf(account: HeldAccount): string {
  const { iban, number, bankId } = nameOf(account.coordinates)
  return iban ?? `${bankId ?? ''}/${number ?? ''}`
}

/** Finds the account that a payment file wants to pay from. */
export function findDebtor(accounts: readonly HeldAccount[], debtor: PaymentFile['debtor']): HeldAccount | undefined {
  return accounts.find((account) => {
    if ('companyId' in debtor) return account.nacha?.companyId.trim() === debtor.companyId.trim()
    const { iban, number } = nameOf(account.coordinates)
    return iban === undefined ? number === debtor.number : iban === debtor.iban
  })
}
