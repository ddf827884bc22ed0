import { type FiatRail, fiatRails } from '../../catalog/currencies.ts'
import { bankCountries, paymentMethods } from '../../catalog/payment-methods.ts'
import { railFields } from '../../payment-accounts/bank-accounts/bank-coordinates.ts'
import { BankAccountBody } from '../../payment-accounts/wire.ts'
import { addressCatalog, type FormCatalog, readLengths } from '../choices.ts'
import type { FieldSchema } from '../paths.ts'

/** The catalog that the form of a bank account is made from. It is the same for every customer. */
export const bankCatalog: FormCatalog = {
  ...addressCatalog,
  nationalIdTypes: {},
  legalForms: {},
  codes: {},
  oneSided: [],
  suggestions: {},
  lengths: readLengths(BankAccountBody as FieldSchema),
}

/** A rail with the countries of its banks, and the fields that name an account there: one set of `alternatives`. */
export type OfferedRail = {
  rail: FiatRail
  currency: string
  countries: readonly string[]
  alternatives: readonly (readonly string[])[]
  optional: readonly string[]
}

export function offeredRails(configured: readonly string[]): OfferedRail[] {
  return fiatRails
    .filter((rail) => configured.includes(rail))
    .map((rail) => {
      const { alternatives, optional } = railFields[rail]
      const [currency] = paymentMethods[rail].currencies
      return { rail, currency, countries: bankCountries[rail], alternatives, optional }
    })
}
