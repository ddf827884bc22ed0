import { getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { readNationalId } from '../../../../src/verification/national-ids/national-id.ts'
import { makeApplicant } from '../applicants.ts'
import { type Home, homes } from './countries.ts'

/** An honest applicant with complete data, in words that people use. */
export type HonestApplicant = {
  customerType: 'INDIVIDUAL' | 'BUSINESS'
  country: string
  profile: object
  data: object
}

type Random = () => number

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <Item>(random: Random, from: readonly Item[]): Item => from[Math.floor(random() * from.length)] as Item
const words = (text: string) => text.split(/\s+/)

const employment = words(`EMPLOYED FULL_TIME EMPLOYED_FULL_TIME PART_TIME SELF_EMPLOYED FREELANCER FREELANCE CONTRACTOR
  STUDENT RETIRED HOMEMAKER UNEMPLOYED BUSINESS_OWNER employed ENTREPRENEUR`)
const sources = words(`SALARY WAGES EMPLOYMENT_INCOME SALARY_INCOME BUSINESS_INCOME SELF_EMPLOYMENT PENSION SAVINGS
  PERSONAL_SAVINGS INVESTMENT_RETURNS DIVIDENDS RENTAL_INCOME SALE_OF_PROPERTY PROPERTY_SALE INHERITANCE GIFT
  FAMILY_SUPPORT SCHOLARSHIP CRYPTO FREELANCE FREELANCE_INCOME BONUS`)
const purposes =
  words(`PERSONAL_USE PERSONAL REMITTANCE REMITTANCES SEND_MONEY_TO_FAMILY FAMILY_SUPPORT SAVINGS PAY_BILLS
  BILL_PAYMENTS RECEIVE_SALARY RECEIVING_PAYMENTS FREELANCE_PAYMENTS TRAVEL ONLINE_SHOPPING EDUCATION TUITION RENT
  INVESTING DAILY_EXPENSES PURCHASE_OF_GOODS_AND_SERVICES`)
const ranges = words(`LESS_THAN_1000 BETWEEN_1000_4999 BETWEEN_5000_9999 UNDER_5000 0_1000 1K_TO_5K OVER_10000 UNDER_10K
  FROM_1000_TO_5000 UP_TO_2000 5000_PLUS BETWEEN_1000_AND_5000`)
const jobs = ['132011', '2512', 'Software engineer', 'Nurse', 'TEACHER', 'Taxi driver', 'ACCOUNTANT', 'Student']
const businessSources = words(`SALES REVENUE SALES_REVENUE SALE_OF_GOODS SERVICES BUSINESS_REVENUE CONSULTING_FEES
  INVESTOR_FUNDING VENTURE_CAPITAL LOAN BUSINESS_LOAN GRANTS DONATIONS OPERATING_REVENUE SUBSCRIPTIONS`)
const businessPurposes = words(`PAYROLL VENDOR_PAYMENTS SUPPLIER_PAYMENTS PAY_SUPPLIERS CONTRACTOR_PAYMENTS TREASURY
  TREASURY_MANAGEMENT INVOICE_PAYMENTS INTERNATIONAL_TRADE IMPORT_EXPORT PAYOUTS OPERATING_EXPENSES RECEIVE_PAYMENTS
  CROSS_BORDER_PAYMENTS COLLECTIONS`)
const volumes = words(`BETWEEN_100000_999999 100K_TO_1M LESS_THAN_10000 OVER_1000000 10M_PLUS BETWEEN_10000_99999
  50K_100K MORE_THAN_500000`)
const industries = ['541511', 'SOFTWARE', 'E_COMMERCE', '62.01', 'Retail', 'CONSTRUCTION', 'LOGISTICS', 'CONSULTING']

/** Makes honest applicants: five of each country with seed and count as below, one in four a business. */
export function honestApplicants(seed: number, count = 200): HonestApplicant[] {
  const random = seeded(seed)
  const countries = Object.keys(homes)
  return Array.from({ length: count }, (_, at) => {
    const country = countries[at % countries.length] as string
    return at % 4 === 3 ? makeBusiness(random, country) : makeIndividual(random, country)
  })
}

function makeIndividual(random: Random, country: string): HonestApplicant {
  const person = makePerson(random, country)
  const profile = { firstName: person.legalFirstName, lastName: person.legalLastName }
  return {
    customerType: 'INDIVIDUAL',
    country,
    profile: spellAsTyped(random, profile),
    data: {
      ...person,
      employmentStatus: pick(random, employment),
      mostRecentOccupation: pick(random, jobs),
      sourceOfFunds: pick(random, sources),
      accountPurpose: pick(random, purposes),
      expectedMonthlyPaymentsUsd: pick(random, ranges),
      isIntermediary: false,
    },
  }
}

function makeBusiness(random: Random, country: string): HonestApplicant {
  const { forms, papers } = homes[country] as Home
  const share = pick(random, [50, 0.5, 33.3])
  const persons = Array.from({ length: 2 }, (_, at) => ({
    ...makePerson(random, country),
    ownershipPercentage: share,
    title: pick(random, ['Director', 'CEO', 'Managing partner']),
    isControlPerson: at === 0,
    isDirector: true,
  }))
  const form = pick(random, words(forms))
  const name = `${pick(random, ['Blue', 'Delta', 'Harbor', 'Nova'])} ${pick(random, ['Foods', 'Digital', 'Trading'])}`
  return {
    customerType: 'BUSINESS',
    country,
    profile: { businessName: name },
    data: {
      businessInfo: {
        legalBusinessName: `${name} ${form.replaceAll('_', ' ')}`,
        businessType: form,
        businessIndustries: pick(random, industries),
        formationDate: `20${10 + Math.floor(random() * 14)}-03-15`,
        registrationCountry: country,
      },
      businessRegisteredAddress: addressOf(country),
      businessRegistrationNumber: fill(random, '##########', '1990-01-01'),
      sourceOfFunds: pick(random, businessSources),
      accountPurpose: pick(random, businessPurposes),
      expectedMonthlyVolumeUsd: pick(random, volumes),
      estimatedAnnualRevenueUsd: pick(random, volumes),
      conductsMoneyServices: false,
      operatesInProhibitedCountries: false,
      highRiskActivities: [],
      associatedPersons: persons,
      businessDocuments: [{ type: pick(random, words(papers)), documentImage: picture }],
    },
  }
}

const picture = makeApplicant().documents[0]?.frontIdImage

function makePerson(random: Random, country: string) {
  const { names, cards } = homes[country] as Home
  const [firsts = '', families = ''] = names.split('|')
  const dateOfBirth = birthDate(random)
  // One in seven lives abroad, with the passport of another country.
  const nationality = random() < 0.15 ? pick(random, Object.keys(homes)) : country
  const card = pick(random, words(cards))
  const hasPassport = nationality !== country || random() < 0.4
  const id = random() < 0.25 ? undefined : nationalId(random, country, dateOfBirth)
  const isCardOfNumber = !hasPassport && id?.nationalIdType === card
  const document = {
    type: 'GOVERNMENT_ID',
    subtype: hasPassport ? pick(random, ['PASSPORT', 'PASSPORT', 'passport', 'INTERNATIONAL_PASSPORT']) : card,
    countryCode: hasPassport ? nationality : country,
    // A card that is named like the number shows that number.
    documentIdNumber: isCardOfNumber ? id.nationalIdNumber : fill(random, '@#######', dateOfBirth),
    issuanceDate: '2022-04-11',
    expirationDate: '2032-04-10',
    frontIdImage: picture,
    ...(hasPassport ? {} : { backIdImage: picture }),
  }
  return {
    legalFirstName: pick(random, words(firsts)),
    legalLastName: pick(random, words(families)).replaceAll('_', ' '),
    phoneNumber: getExampleNumber(country as 'US', examples)?.number ?? '',
    dateOfBirth,
    address: addressOf(country),
    nationality,
    // One in four gives no national id, only the numbered document.
    ...id,
    documents: [document],
  }
}

function addressOf(country: string) {
  const [streetLine1, city, region, postalCode] = (homes[country] as Home).place.split('|')
  return {
    countryCode: country,
    streetLine1,
    city,
    ...(region ? { stateRegionProvince: region } : {}),
    ...(postalCode ? { postalCode } : {}),
  }
}

function nationalId(random: Random, country: string, dateOfBirth: string) {
  const [type = '', ...template] = pick(random, (homes[country] as Home).ids.split(', ')).split(' ')
  const nationalIdNumber = findNumber(random, country, template.join(' '), dateOfBirth)
  return { nationalIdIssuingCountry: country, nationalIdType: type, nationalIdNumber }
}

/** Draws numbers until one follows a rule of its country, by any of the kinds that the home lists. */
function findNumber(random: Random, country: string, template: string, dateOfBirth: string): string {
  const kinds = [...(homes[country] as Home).ids.split(', ').map((id) => id.split(' ')[0] ?? ''), 'TIN', 'NATIONAL_ID']
  for (let left = 100_000; left > 0; left -= 1) {
    const number = fill(random, template, dateOfBirth)
    const readings = kinds.map((kind) => readNationalId(country, kind, number))
    if (readings.every((reading) => reading === 'unknown')) return number
    const isFitting = readings.some((each) => typeof each === 'object' && dateOfBirth.endsWith(each.birthDay))
    if (isFitting) return number
  }
  throw new Error(`no number of ${country} follows ${template}`)
}

function fill(random: Random, template: string, dateOfBirth: string): string {
  const [year = '', month = '', day = ''] = dateOfBirth.split('-')
  return template
    .replace('YYYY', year)
    .replace('YY', year.slice(2))
    .replace('MM', month)
    .replace('DD', day)
    .replaceAll(/[#@*]/g, (sign) =>
      pick(random, sign === '#' ? digits : sign === '@' ? letters : [...digits, ...letters]),
    )
}

const digits = [...'0123456789']
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

function birthDate(random: Random): string {
  const number = (from: number, to: number) => String(from + Math.floor(random() * (to - from + 1))).padStart(2, '0')
  return `19${number(55, 99)}-${number(1, 12)}-${number(1, 28)}`
}

/** The name as typed on creation: exact, without accents, in capitals, or left out. */
function spellAsTyped(random: Random, profile: { firstName: string; lastName: string }): object {
  const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')
  const typed = pick(random, [(text: string) => text, plain, (text: string) => plain(text).toUpperCase(), undefined])
  return typed ? { firstName: typed(profile.firstName), lastName: typed(profile.lastName) } : {}
}
