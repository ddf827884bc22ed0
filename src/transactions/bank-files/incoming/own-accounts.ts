import type { BankCoordinates } from '../../../payment-accounts/payment-account.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { AccountName } from '../formats.ts'

const plain = (text: string) => text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()

/** Some banks drop or add leading zeros. */
const withoutZeros = (number: string) => plain(number).replace(/^0+(?=.)/, '')

/** Finds the account of ours that a message names; undefined for a foreign account, or when several fit. */
export function findOwnAccount(accounts: readonly BankAccount[], named: AccountName): BankAccount | undefined {
  const fitting = accounts.filter(
    ({ files, currency }) =>
      files !== null &&
      (named.currency === undefined || named.currency === currency) &&
      isNamed(files.coordinates, named),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

function isNamed(coordinates: BankCoordinates, { iban, number, bankId }: AccountName): boolean {
  if (iban !== undefined) return coordinates.iban !== undefined && plain(iban) === plain(coordinates.iban)
  if (number === undefined) return false
  const { accountNumber = '', iban: ownIban, institutionNumber, transitNumber } = coordinates
  const bank = [institutionNumber, transitNumber].filter((part) => part !== undefined)
  const spellings = [accountNumber, `${bank.join('')}${accountNumber}`, `${bank.toReversed().join('')}${accountNumber}`]
  const isNumber = [...spellings, ownIban ?? ''].some(
    (spelling) => spelling !== '' && withoutZeros(spelling) === withoutZeros(number),
  )
  return isNumber && isBankOf(coordinates, { bankId })
}

/** True unless the message names another bank than that of the account. */
export function isBankOf(coordinates: BankCoordinates, named: { bankId?: string | undefined }): boolean {
  return compareBank(coordinates, named) !== 'OTHER'
}

/** Compares a BIC with the BIC, and another code with the national ones; undefined for what cannot be compared. */
export function compareBank(
  coordinates: BankCoordinates,
  { bankId: named }: { bankId?: string | undefined },
): 'SAME' | 'OTHER' | undefined {
  if (named === undefined) return undefined
  const bankId = plain(named)
  const { bicSwift, routingNumber, ifscCode, institutionNumber = '', transitNumber = '' } = coordinates
  if (/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bankId)) {
    if (bicSwift === undefined) return undefined
    return plain(bicSwift).slice(0, 8) === bankId.slice(0, 8) ? 'SAME' : 'OTHER'
  }
  const canadian = [institutionNumber, `${institutionNumber}${transitNumber}`, `0${institutionNumber}${transitNumber}`]
  const codes = [routingNumber, ifscCode, ...(institutionNumber === '' ? [] : canadian)].filter(
    (code) => code !== undefined,
  )
  if (codes.length === 0) return undefined
  return codes.some((code) => plain(code) === bankId) ? 'SAME' : 'OTHER'
}
