import { type FiatLabel, fiatCurrencies, fiatLabels } from '../catalog/currencies.ts'
import type { BankCoordinates } from '../payment-accounts/payment-account.ts'
import type { BankDialect, NewBankAccount } from '../transactions/treasury/bank-account.ts'
import { sandboxReceivingAccounts } from './receiving-accounts.ts'

const iso20022 = { initiatingPartyId: 'SVCSANDBOX', batchBooking: false }

const nacha = {
  immediateDestination: '021000021',
  immediateOrigin: '1234567890',
  destinationName: 'SANDBOX BANK',
  originName: 'SVC SANDBOX',
  companyId: '1234567890',
  companyName: 'SVC SANDBOX',
  odfi: '02100002',
}

/** The accounts of the sandbox's bank, one for each currency: those that transfer instructions name. */
export const sandboxBankAccounts: readonly NewBankAccount[] = fiatLabels.map((currency) => ({
  bankAccountId: `${currency.toLowerCase()}-main`,
  bankName: 'Sandbox Bank',
  currency,
  rails: fiatCurrencies[currency].rails,
  files: { holderName: 'Svc Sandbox', coordinates: coordinatesOf(currency), dialect: dialectOf(currency) },
}))

function dialectOf(currency: FiatLabel): BankDialect {
  return currency === 'USD' ? { nacha, iso20022 } : { iso20022 }
}

/** Every rail of a currency has the same account. */
function coordinatesOf(currency: FiatLabel): BankCoordinates {
  const account = sandboxReceivingAccounts[fiatCurrencies[currency].rails[0]]
  const named: Record<keyof BankCoordinates, string | undefined> = {
    routingNumber: account.transferRoutingNumber,
    accountNumber: account.transferBankAccountNumber,
    iban: account.transferIban,
    bicSwift: account.transferBicSwift,
    ifscCode: account.transferIfscCode,
    institutionNumber: account.transferBankCode,
    transitNumber: account.transferTransitNumber,
    interacEmail: undefined,
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
}
