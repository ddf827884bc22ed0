import { type FiatLabel, type FiatRail, fiatCurrencies, fiatLabels } from '../../catalog/currencies.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'

/** A bank account of ours. It serves rails of its currency; a rail is served by one account, for ever. */
export type BankAccount = {
  bankAccountId: string
  bankName: string
  currency: FiatLabel
  rails: FiatRail[]
  /** Null for an account whose bank exchanges no files with us. */
  files: AccountFiles | null
}

export type NewBankAccount = {
  bankAccountId: string
  bankName: string
  currency: string
  rails: readonly string[]
  files?: AccountFiles
}

/** How files name an account of ours. */
export type AccountFiles = { holderName: string; coordinates: BankCoordinates; dialect: BankDialect }

/** The names that our bank gave us for its NACHA files. */
export type NachaDialect = {
  /** The routing number of the bank that receives our files: nine digits. */
  immediateDestination: string
  /** Nine digits (a routing number or tax number), or ten characters as the bank assigned them. */
  immediateOrigin: string
  destinationName: string
  originName: string
  /** Ten characters, for example "1" and our tax number. */
  companyId: string
  companyName: string
  /** The first eight digits of our bank's routing number. Trace numbers begin with them. */
  odfi: string
}

/** The names that our bank gave us for its ISO 20022 files. */
export type IsoDialect = {
  /** The id of the initiating party. */
  initiatingPartyId?: string
  /** Whether the bank books the whole file as one entry of our statement. */
  batchBooking: boolean
}

/** The bank's conventions for one account. An account of ACH needs `nacha`, an account of any other rail `iso20022`. */
export type BankDialect = { nacha?: NachaDialect; iso20022?: IsoDialect }

const idPattern = /^[a-z0-9-]{1,40}$/

/** Tells what is wrong with a new bank account; undefined when it can be opened. */
export function bankAccountProblem({ bankAccountId, bankName, currency, rails }: NewBankAccount): string | undefined {
  if (!idPattern.test(bankAccountId)) return 'An account is named by 1 to 40 lower-case letters, digits and hyphens.'
  if (bankName.trim() === '') return 'An account needs the name of its bank.'
  const offered: readonly string[] | undefined = Object.hasOwn(fiatCurrencies, currency)
    ? fiatCurrencies[currency as FiatLabel].rails
    : undefined
  if (!offered) return `The currency must be one of ${fiatLabels.join(', ')}.`
  const isServable = rails.length > 0 && rails.every((rail) => offered.includes(rail))
  return isServable ? undefined : `The rails of ${currency} are ${offered.join(', ')}.`
}
