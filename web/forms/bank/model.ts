import { read, readText, write } from '../model/paths.ts'
import { addressFields } from '../model/steps.ts'
import type { Catalog, Tree } from '../model/types.ts'

/** The answers of the service: see src/forms/bank-account. */
export type OfferedRail = {
  rail: string
  currency: string
  countries: string[]
  alternatives: string[][]
  optional: string[]
}

export type SavedAccount = { rail: string; mask: string; bankName: string; ownerName: string }

/** `rails` and `owner`: while OPEN. `owner.name`: empty unless the customer owns the account. `account`: when SAVED. */
export type BankState = {
  status: 'OPEN' | 'WAITING' | 'SAVED' | 'CLOSED'
  version: number
  isSandbox: boolean
  nickname: string
  rails?: OfferedRail[]
  owner?: { type: 'INDIVIDUAL' | 'BUSINESS'; name: string; isThirdParty: boolean }
  account?: SavedAccount
}

export const countryPath = 'bankCountry'
/** Which set of fields names the account, by its place among the alternatives of the rail. */
export const wayPath = 'way'
export const differsPath = 'ownerDiffers'
export const withAddressPath = 'withAddress'
export const railPath = 'externalBankAccount.bankAccountPaymentMethod'
export const accountTypePath = 'externalBankAccount.bankAccountType'
export const ownerPath = 'externalBankAccount.bankAccountOwner'

type Answers = { state: BankState; values: Tree }

/** The rails that reach a bank of the chosen country. */
export function railsOf({ state, values }: Answers): OfferedRail[] {
  const country = readText(values, countryPath)
  return (state.rails ?? []).filter(({ countries }) => countries.includes(country))
}

export function chosenRail(answers: Answers): OfferedRail | undefined {
  return railsOf(answers).find(({ rail }) => rail === readText(answers.values, railPath))
}

/** Finds the first question that is open: without its answer there are no others. */
export function missingFirst(answers: Answers): string | undefined {
  if (railsOf(answers).length === 0) return countryPath
  return chosenRail(answers) ? undefined : railPath
}

/** The fields that the page shows, in order. Only these are sent. */
export type ShownFields = { account: string[]; owner: string[]; required: string[] }

export function fieldsOf(answers: Answers, catalog: Catalog): ShownFields {
  const rail = chosenRail(answers)
  if (!rail) return { account: [], owner: [], required: [countryPath, railPath] }
  const ways = rail.alternatives
  const chosen = ways[ways.length === 1 ? 0 : Number(readText(answers.values, wayPath) || 0)] ?? []
  const at = (names: readonly string[]) => names.map((name) => `externalBankAccount.${name}`)
  const bank = rail.rail === 'WIRE' ? ['bankName', 'bankAddress'] : ['bankName']
  const hasType = chosen.includes('accountNumber')
  const owner = ownerFields(answers, catalog)
  return {
    account: [...at([...chosen, ...rail.optional]), ...(hasType ? [accountTypePath] : []), ...at(bank)],
    owner: owner.shown,
    required: [countryPath, railPath, ...at(chosen), ...owner.required],
  }
}

/** The kind of owner, if it is known: that of the customer, unless the account is that of someone else. */
function knownTypeOf({ state: { owner } }: Answers): string {
  return owner === undefined || owner.name === '' ? '' : owner.type
}

/** The owner is the customer, unless the account is that of someone else or the name is written differently. */
function ownerFields(answers: Answers, catalog: Catalog): { shown: string[]; required: string[] } {
  const { values } = answers
  const known = knownTypeOf(answers)
  if (known !== '' && read(values, differsPath) !== true) return { shown: [], required: [] }
  const type = known || readText(values, `${ownerPath}.type`)
  const names = { INDIVIDUAL: ['firstName', 'lastName'], BUSINESS: ['businessName'] }[type] ?? []
  const required = [...(known ? [] : ['type']), ...names].map((name) => `${ownerPath}.${name}`)
  if (type === '') return { shown: required, required }
  const hasAddress = read(values, withAddressPath) === true
  const address = hasAddress ? addressFields({ values }, catalog, `${ownerPath}.address`, true) : []
  return { shown: [...required, `${ownerPath}.email`, ...address], required }
}

/** Writes the answers that are sent: the country of the bank, and those of the fields that the page shows, as typed. */
export function bodyOf(answers: Answers, catalog: Catalog): object {
  const { account, owner } = fieldsOf(answers, catalog)
  const shown = [railPath, ...account, ...owner]
  const filled = shown.filter((path) => readText(answers.values, path) !== '')
  const known = owner.length > 0 ? knownTypeOf(answers) : ''
  const start: Tree = {
    [countryPath]: readText(answers.values, countryPath),
    externalBankAccount: known ? { bankAccountOwner: { type: known } } : {},
  }
  return filled.reduce<Tree>((body, path) => write(body, path, read(answers.values, path)), start)
}
