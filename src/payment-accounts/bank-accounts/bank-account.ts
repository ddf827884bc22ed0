import { assetOf, type FiatRail, fiatRails } from '../../catalog/currencies.ts'
import { paymentMethods } from '../../catalog/payment-methods.ts'
import { addressProblems } from '../../customers/identity/validate.ts'
import type { FieldProblem } from '../../lib/refusal.ts'
import type { AccountOwner, AccountProfile, BankDetails } from '../payment-account.ts'
import { readCoordinates } from './bank-coordinates.ts'
import { maskCoordinates } from './mask.ts'

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The customer, who owns the account unless the request names an owner. */
export type AccountHolder = { name: string; isThirdParty: boolean }

export const defaultBankAccountType = 'CHECKING'

/**
 * Reads a bank account and checks the rules across its fields. Values of a wrong type are skipped, because the schema
 * reports them. Returns complete details only if there are no problems.
 */
export function readBankAccount(
  sent: unknown,
  holder: AccountHolder,
): { details: BankDetails | undefined; problems: FieldProblem[] } {
  if (!isTree(sent)) return { details: undefined, problems: [] }
  const rail = fiatRails.find((name) => name === sent.bankAccountPaymentMethod)
  const owner = readOwner(sent.bankAccountOwner, holder)
  if (!rail) return { details: undefined, problems: owner.problems }
  const { coordinates, problems } = readCoordinates(rail, sent)
  const all = [...currencyProblems(rail, sent.bankAccountCurrency), ...problems, ...owner.problems]
  if (all.length > 0) return { details: undefined, problems: all }
  const bankName = textOf(sent.bankName)
  const bankAddress = textOf(sent.bankAddress)
  const details: BankDetails = {
    paymentMethod: rail,
    currency: paymentMethods[rail].currencies[0],
    bankAccountType: textOf(sent.bankAccountType) ?? defaultBankAccountType,
    coordinates,
    ...(bankName ? { bankName } : {}),
    ...(bankAddress ? { bankAddress } : {}),
    ...(owner.owner ? { owner: owner.owner } : {}),
    ownerName: owner.ownerName,
  }
  return { details, problems: [] }
}

/** Checks the currency, which is optional because each rail has only one. */
function currencyProblems(rail: FiatRail, currency: unknown): FieldProblem[] {
  if (currency === undefined || (typeof currency === 'string' && assetOf(currency, rail))) return []
  const [expected] = paymentMethods[rail].currencies
  return [{ field: 'bankAccountCurrency', message: `must be ${expected} for ${rail}` }]
}

const ownerField = 'bankAccountOwner'

type ReadOwner = { owner?: AccountOwner; ownerName: string; problems: FieldProblem[] }

/** Reads the owner: the customer by default. An account of a third party must name its owner. */
function readOwner(sent: unknown, holder: AccountHolder): ReadOwner {
  if (sent === undefined) {
    if (holder.isThirdParty) return withoutOwner('is required for an account of a third party')
    if (holder.name === '') return withoutOwner('is required while the customer has no name')
    return { ownerName: holder.name, problems: [] }
  }
  if (!isTree(sent)) return { ownerName: '', problems: [] }
  const problems = [...nameProblems(sent), ...addressProblems(`${ownerField}.address`, sent.address)]
  const names = sent.type === 'BUSINESS' ? [sent.businessName] : [sent.firstName, sent.lastName]
  const ownerName = names.map((name) => textOf(name)?.trim() ?? '').join(' ')
  return { owner: sent as AccountOwner, ownerName, problems }
}

function withoutOwner(message: string): ReadOwner {
  return { ownerName: '', problems: [{ field: ownerField, message }] }
}

const namesOf = { INDIVIDUAL: ['firstName', 'lastName'], BUSINESS: ['businessName'] } as const

function nameProblems(owner: Tree): FieldProblem[] {
  const { type } = owner
  if (type !== 'INDIVIDUAL' && type !== 'BUSINESS') return []
  const other = type === 'INDIVIDUAL' ? 'BUSINESS' : 'INDIVIDUAL'
  return [
    ...namesOf[type]
      .filter((name) => !textOf(owner[name] ?? '')?.trim())
      .map((name) => ({ field: `${ownerField}.${name}`, message: `is required for an owner of type ${type}` })),
    ...namesOf[other]
      .filter((name) => owner[name] !== undefined)
      .map((name) => ({ field: `${ownerField}.${name}`, message: `must be left out for an owner of type ${type}` })),
  ]
}

/** Builds the part of the account that answers show. */
export function bankProfile(details: BankDetails, customerEmail: string | undefined): AccountProfile {
  const { owner, ownerName, bankAccountType, bankName, coordinates } = details
  const ownerEmail = owner ? owner.email : customerEmail
  return {
    bankAccountType,
    ownerName,
    mask: maskCoordinates(coordinates),
    ...(ownerEmail ? { ownerEmail } : {}),
    ...(bankName ? { bankName } : {}),
  }
}
