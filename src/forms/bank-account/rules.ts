import { nameOf } from '../../customers/name.ts'
import { type OpenCustomer, openIdentity } from '../../customers/sealed-customer.ts'
import { badFields, type FieldProblem, Refusal } from '../../lib/refusal.ts'
import type { PreparedCompletion } from '../../payment-accounts/completion.ts'
import type { BankDetails } from '../../payment-accounts/payment-account.ts'
import type { OpenAccount } from '../../payment-accounts/sealed-account.ts'
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
  if (isWithoutOwner(opened, customer))
    throw new Refusal('CONFLICT', 'The account must be that of the customer, whose name is not confirmed yet')
  const ownerProblems = opened.account.isThirdParty ? [] : findOwnerProblems(details, customer)
  const problems = [...findCountryProblems(details, readBankCountry(answers)), ...ownerProblems]
  if (problems.length > 0) throw badFields(problems)
  if (details.owner || opened.account.isThirdParty) return prepared
  // The name of the profile may be half a name.
  return { ...prepared, details: { ...details, ownerName: confirmedNameOf(customer) } }
}

const ownerField = 'externalBankAccount.bankAccountOwner'

/** True while an own account cannot be compared with the customer, whose name is not confirmed. */
export function isWithoutOwner({ account }: OpenAccount, customer: OpenCustomer): boolean {
  return !account.isThirdParty && confirmedNameOf(customer) === ''
}

/** The whole name that the integrator has given, or that of an approved verification. Others are the customer's claim. */
export function confirmedNameOf(opened: OpenCustomer): string {
  const { customer, profile } = opened
  const { firstName, lastName, businessName, name = '' } = profile ?? {}
  if (customer.customerType === 'BUSINESS' ? businessName : firstName && lastName) return name
  return customer.status === 'ACTIVE' ? nameOf(customer.customerType, { email: '' }, openIdentity(opened)) : ''
}

/** An account that is no third party's belongs to the customer. */
function findOwnerProblems({ owner, ownerName }: BankDetails, opened: OpenCustomer): FieldProblem[] {
  if (!owner) return []
  const { customerType } = opened.customer
  if (owner.type !== customerType) {
    return [{ field: `${ownerField}.type`, message: 'must be the customer: the account is not of a third party' }]
  }
  if (isOwnName(ownerName, confirmedNameOf(opened))) return []
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
