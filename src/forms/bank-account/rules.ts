import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import { badFields, type FieldProblem } from '../../lib/refusal.ts'
import type { PreparedCompletion } from '../../payment-accounts/completion.ts'
import type { BankDetails } from '../../payment-accounts/payment-account.ts'
import { isOwnName } from '../../screening/same-name.ts'
import { readBankCountry } from './wire.ts'

/**
 * The rules of the form beyond those of the API. An integrator answers for the owner that it names; the holder of a link
 * is known by the link alone, and the owner of an account is an expected sender.
 */
export function requireFormRules(
  prepared: PreparedCompletion,
  customer: OpenCustomer,
  answers: unknown,
): PreparedCompletion {
  const { details, opened } = prepared
  const ownerProblems = opened.account.isThirdParty ? [] : findOwnerProblems(details, customer)
  const problems = [...findCountryProblems(details, readBankCountry(answers)), ...ownerProblems]
  if (problems.length > 0) throw badFields(problems)
  return prepared
}

const ownerField = 'externalBankAccount.bankAccountOwner'

/** An account that is no third party's belongs to the customer. A customer without a name cannot be compared. */
function findOwnerProblems(
  { owner, ownerName }: BankDetails,
  { customer: { customerType }, profile }: OpenCustomer,
): FieldProblem[] {
  const name = profile?.name ?? ''
  if (!owner || name === '') return []
  if (owner.type !== customerType) {
    return [{ field: `${ownerField}.type`, message: 'must be the customer: the account is not of a third party' }]
  }
  if (isOwnName(ownerName, name)) return []
  const last = customerType === 'BUSINESS' ? 'businessName' : 'lastName'
  return [{ field: `${ownerField}.${last}`, message: 'must be the customer: the account is not of a third party' }]
}

/** Territories whose banks have the IBANs of another country: the IBAN registry of SWIFT. */
const ibanCountries: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['BL', 'GF', 'GP', 'MF', 'MQ', 'PM', 'RE', 'YT'].map((territory) => [territory, 'FR'])),
  ...Object.fromEntries(['GG', 'IM', 'JE'].map((territory) => [territory, 'GB'])),
  AX: 'FI',
}

/** The country that the customer chose, and the one that the IBAN names, are the same one. */
function findCountryProblems({ coordinates: { iban } }: BankDetails, country: string | undefined): FieldProblem[] {
  if (iban === undefined || country === undefined) return []
  const expected = ibanCountries[country] ?? country
  if ([country, expected].includes(iban.slice(0, 2))) return []
  return [{ field: 'externalBankAccount.iban', message: `must begin with ${expected}, the country of the bank` }]
}
