import { createHash } from 'node:crypto'

export type CustomerType = 'INDIVIDUAL' | 'BUSINESS'

/**
 * The geographical scope of the SEPA schemes: European Payments Council, document EPC409-09, 41 countries since
 * Serbia was admitted on 22 May 2025.
 */
// biome-ignore format: a list of codes is read in lines
export const sepaCountries: readonly string[] = [
  // The European Union
  'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU',
  'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK',
  // The rest of the European Economic Area
  'IS', 'LI', 'NO',
  // Outside of the European Economic Area
  'AD', 'AL', 'CH', 'GB', 'MC', 'MD', 'ME', 'MK', 'RS', 'SM', 'VA',
]

/** Territories of those countries that EPC409-09 includes and that have a country code of their own. */
// biome-ignore format: a list of codes is read in lines
export const sepaTerritories: readonly string[] = [
  'AX', 'BL', 'GF', 'GP', 'MF', 'MQ', 'PM', 'RE', 'YT',
  'GG', 'GI', 'IM', 'JE',
]

/** The United States and its territories, whose banks have American routing numbers. */
const unitedStates: readonly string[] = ['US', 'AS', 'GU', 'MP', 'PR', 'VI']

/**
 * Countries whose residents may use no method: the embargoes of the United States Treasury (Office of Foreign Assets
 * Control) as of September 2025. Embargoed regions without a country code (Crimea, Donetsk, Luhansk) need screening.
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
  /** The countries of residence. 'open' is every country except closedCountries. */
  residence: readonly string[] | 'open'
}

const bothTypes: readonly CustomerType[] = ['INDIVIDUAL', 'BUSINESS']

/** The payment methods, in the contract's order. Networks of USDC and EURC: Circle, contract addresses. */
// biome-ignore format: a table is read by column
export const paymentMethods = {
  ACH:               { kind: 'fiat',   currencies: ['USD'],          customerTypes: bothTypes, residence: unitedStates },
  WIRE:              { kind: 'fiat',   currencies: ['USD'],          customerTypes: bothTypes, residence: 'open' },
  SEPA:              { kind: 'fiat',   currencies: ['EUR'],          customerTypes: bothTypes, residence: [...sepaCountries, ...sepaTerritories] },
  CA_INTERAC:        { kind: 'fiat',   currencies: ['CAD'],          customerTypes: bothTypes, residence: ['CA'] },
  IN_NEFT_RTGS_IMPS: { kind: 'fiat',   currencies: ['INR'],          customerTypes: bothTypes, residence: ['IN'] },
  ARBITRUM:          { kind: 'crypto', currencies: ['USDC'],         customerTypes: bothTypes, residence: 'open' },
  BASE:              { kind: 'crypto', currencies: ['USDC', 'EURC'], customerTypes: bothTypes, residence: 'open' },
  ETHEREUM:          { kind: 'crypto', currencies: ['USDC', 'EURC'], customerTypes: bothTypes, residence: 'open' },
  OPTIMISM:          { kind: 'crypto', currencies: ['USDC'],         customerTypes: bothTypes, residence: 'open' },
  POLYGON:           { kind: 'crypto', currencies: ['USDC'],         customerTypes: bothTypes, residence: 'open' },
  SOLANA:            { kind: 'crypto', currencies: ['USDC', 'EURC'], customerTypes: bothTypes, residence: 'open' },
} as const satisfies Record<string, PaymentMethodFacts>

/** The countries of the banks that a fiat rail reaches: both American rails need an American routing number. */
export const bankCountries = {
  ACH: unitedStates,
  WIRE: unitedStates,
  SEPA: [...sepaCountries, ...sepaTerritories],
  CA_INTERAC: ['CA'],
  IN_NEFT_RTGS_IMPS: ['IN'],
} as const satisfies Partial<Record<keyof typeof paymentMethods, readonly string[]>>

export type PaymentMethod = keyof typeof paymentMethods

/** A hash of the tables above. Customers' methods that were computed with another edition are recomputed. */
export const methodsEdition = createHash('sha256')
  .update(JSON.stringify([paymentMethods, closedCountries]))
  .digest('base64url')
  .slice(0, 16)

export const paymentMethodNames = Object.keys(paymentMethods) as readonly PaymentMethod[]

export function isPaymentMethod(text: string): text is PaymentMethod {
  return Object.hasOwn(paymentMethods, text)
}

/** Lists the configured methods that a customer of this type and country may use, in the contract's order. */
export function availableMethods(customer: {
  customerType: CustomerType
  /** The country of residence or registration. Without one the customer may use no method. */
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
