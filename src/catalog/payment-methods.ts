import { createHash } from 'node:crypto'

export type CustomerType = 'INDIVIDUAL' | 'BUSINESS'

/**
 * The geographical scope of the SEPA schemes: European Payments Council, document EPC409-09, 41 countries since
 * Serbia was admitted on 22 May 2025.
 */
export const sepaCountries: readonly string[] = [
  // The European Union
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU'],
  ...['LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
  // The rest of the European Economic Area
  ...['IS', 'LI', 'NO'],
  // Outside of it
  ...['AD', 'AL', 'CH', 'GB', 'MC', 'MD', 'ME', 'MK', 'RS', 'SM', 'VA'],
]

/** Territories of those countries that EPC409-09 includes and that have a country code of their own. */
export const sepaTerritories: readonly string[] = [
  ...['AX', 'BL', 'GF', 'GP', 'MF', 'MQ', 'PM', 'RE', 'YT'],
  ...['GG', 'GI', 'IM', 'JE'],
]

/** The United States and its territories: their banks have American routing numbers. */
const unitedStates: readonly string[] = ['US', 'AS', 'GU', 'MP', 'PR', 'VI']

/**
 * Residents of these countries can use nothing. The embargoes of the United States Treasury (Office of Foreign Assets
 * Control) as of September 2025. Regions under embargo that are no country (Crimea, Donetsk, Luhansk) need screening.
 */
export const closedCountries: Readonly<Record<string, string>> = {
  CU: 'Cuban Assets Control Regulations, 31 CFR part 515',
  IR: 'Iranian Transactions and Sanctions Regulations, 31 CFR part 560',
  KP: 'North Korea Sanctions Regulations, 31 CFR part 510',
  SY: 'Closed by choice: Executive Order 14312 ended the American embargo on 1 July 2025, but not every restriction',
}

type PaymentMethodFacts = {
  kind: 'fiat' | 'crypto'
  currencies: readonly string[]
  customerTypes: readonly CustomerType[]
  /** Where a customer must live; 'open' is everywhere but in closedCountries. */
  residence: readonly string[] | 'open'
}

const everyone: readonly CustomerType[] = ['INDIVIDUAL', 'BUSINESS']

/** In the contract's order. USDC and EURC: Circle, contract addresses of USDC and of EURC, main networks. */
// biome-ignore format: a table is read by column
export const paymentMethods = {
  ACH:               { kind: 'fiat',   currencies: ['USD'],          customerTypes: everyone, residence: unitedStates },
  WIRE:              { kind: 'fiat',   currencies: ['USD'],          customerTypes: everyone, residence: 'open' },
  SEPA:              { kind: 'fiat',   currencies: ['EUR'],          customerTypes: everyone, residence: [...sepaCountries, ...sepaTerritories] },
  CA_INTERAC:        { kind: 'fiat',   currencies: ['CAD'],          customerTypes: everyone, residence: ['CA'] },
  IN_NEFT_RTGS_IMPS: { kind: 'fiat',   currencies: ['INR'],          customerTypes: everyone, residence: ['IN'] },
  ARBITRUM:          { kind: 'crypto', currencies: ['USDC'],         customerTypes: everyone, residence: 'open' },
  BASE:              { kind: 'crypto', currencies: ['USDC', 'EURC'], customerTypes: everyone, residence: 'open' },
  ETHEREUM:          { kind: 'crypto', currencies: ['USDC', 'EURC'], customerTypes: everyone, residence: 'open' },
  OPTIMISM:          { kind: 'crypto', currencies: ['USDC'],         customerTypes: everyone, residence: 'open' },
  POLYGON:           { kind: 'crypto', currencies: ['USDC'],         customerTypes: everyone, residence: 'open' },
  SOLANA:            { kind: 'crypto', currencies: ['USDC', 'EURC'], customerTypes: everyone, residence: 'open' },
} as const satisfies Record<string, PaymentMethodFacts>

export type PaymentMethod = keyof typeof paymentMethods

/** Changes with the tables above: what was found out with another edition is found out again. */
export const methodsEdition = createHash('sha256')
  .update(JSON.stringify([paymentMethods, closedCountries]))
  .digest('base64url')
  .slice(0, 16)

export const paymentMethodNames = Object.keys(paymentMethods) as readonly PaymentMethod[]

export function isPaymentMethod(text: string): text is PaymentMethod {
  return Object.hasOwn(paymentMethods, text)
}

/** What a customer of that type and country can use, of what this deployment has configured, in the contract's order. */
export function availableMethods(customer: {
  customerType: CustomerType
  /** Where the customer lives or is registered. Nobody can use anything before we know. */
  countryCode: string | undefined
  configured: readonly string[]
}): PaymentMethod[] {
  const { customerType, countryCode, configured } = customer
  if (countryCode === undefined || Object.hasOwn(closedCountries, countryCode)) return []
  return paymentMethodNames.filter((name) => {
    const { customerTypes, residence }: PaymentMethodFacts = paymentMethods[name]
    const isResident = residence === 'open' || residence.includes(countryCode)
    return configured.includes(name) && customerTypes.includes(customerType) && isResident
  })
}
