import { type FiatLabel, type FiatRail, fiatCurrencies, fiatLabels } from '../../catalog/currencies.ts'

/** A bank account of ours. It serves rails of its currency; a rail is served by one account, for ever. */
export type BankAccount = { bankAccountId: string; bankName: string; currency: FiatLabel; rails: FiatRail[] }
export type NewBankAccount = { bankAccountId: string; bankName: string; currency: string; rails: readonly string[] }

/** The accounts of the sandbox's bank: one for each currency. */
export const sandboxBankAccounts: readonly NewBankAccount[] = fiatLabels.map((currency) => ({
  bankAccountId: `${currency.toLowerCase()}-main`,
  bankName: 'Sandbox Bank',
  currency,
  rails: fiatCurrencies[currency].rails,
}))

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
