import { documentNamed, isIdentityKind } from './identity-documents.ts'
import { catalogOf, findByWords, hasExactWords, splitCodes } from './words.ts'

/** The kinds of numbers that have a rule, by country. A test compares this table with the rules of verification. */
export const nationalIdTypes: Readonly<Record<string, string>> = {
  AE: 'EMIRATES_ID NATIONAL_ID',
  AR: 'DNI NATIONAL_ID CUIT CUIL TIN',
  AS: 'SSN TIN ITIN EIN',
  AT: 'SVNR',
  AU: 'TFN TIN',
  BA: 'JMBG EMSO NATIONAL_ID',
  BE: 'NRN NISS NATIONAL_ID TIN',
  BG: 'EGN NATIONAL_ID TIN',
  BR: 'CPF TIN CNPJ',
  CA: 'SIN ITN BN TIN',
  CH: 'AHV AVS TIN',
  CL: 'RUT RUN NATIONAL_ID TIN',
  CN: 'RESIDENT_ID NATIONAL_ID TIN',
  CO: 'CEDULA CC NATIONAL_ID',
  CZ: 'RODNE_CISLO NATIONAL_ID TIN',
  DE: 'STEUER_ID IDNR TIN',
  DK: 'CPR NATIONAL_ID TIN',
  EC: 'CEDULA NATIONAL_ID',
  EE: 'ISIKUKOOD NATIONAL_ID TIN',
  EG: 'NATIONAL_ID',
  ES: 'DNI NIE NIF NATIONAL_ID TIN',
  FI: 'HETU NATIONAL_ID TIN',
  FR: 'NIR INSEE SPI NIF TIN',
  GB: 'NINO TIN UTR',
  GR: 'AFM TIN',
  GU: 'SSN TIN ITIN EIN',
  HK: 'HKID NATIONAL_ID TIN',
  HR: 'OIB NATIONAL_ID TIN',
  HU: 'ADOAZONOSITO_JEL TIN',
  ID: 'NIK KTP NATIONAL_ID',
  IE: 'PPSN PPS TIN',
  IL: 'TEUDAT_ZEHUT NATIONAL_ID TIN',
  IN: 'AADHAAR NATIONAL_ID PAN TIN',
  IT: 'CODICE_FISCALE TIN',
  JP: 'MY_NUMBER TIN',
  KR: 'RRN ARC NATIONAL_ID TIN',
  KZ: 'IIN NATIONAL_ID TIN',
  LT: 'ASMENS_KODAS NATIONAL_ID TIN',
  LV: 'PERSONAS_KODS NATIONAL_ID TIN',
  ME: 'JMBG EMSO NATIONAL_ID',
  MK: 'JMBG EMSO NATIONAL_ID',
  MP: 'SSN TIN ITIN EIN',
  MX: 'CURP NATIONAL_ID RFC TIN',
  MY: 'MYKAD NRIC NATIONAL_ID',
  NG: 'NIN BVN NATIONAL_ID',
  NL: 'BSN TIN',
  NO: 'FODSELSNUMMER NATIONAL_ID TIN',
  NZ: 'IRD TIN',
  PE: 'DNI NATIONAL_ID TIN RUC',
  PK: 'CNIC NICOP NATIONAL_ID TIN',
  PL: 'PESEL NATIONAL_ID TIN NIP',
  PR: 'SSN TIN ITIN EIN',
  PT: 'NIF TIN',
  RO: 'CNP NATIONAL_ID TIN',
  RS: 'JMBG EMSO NATIONAL_ID',
  RU: 'INN TIN',
  SA: 'IQAMA NATIONAL_ID',
  SE: 'PERSONNUMMER NATIONAL_ID TIN',
  SG: 'NRIC FIN NATIONAL_ID TIN',
  SI: 'JMBG EMSO NATIONAL_ID',
  SK: 'RODNE_CISLO NATIONAL_ID TIN',
  TH: 'NATIONAL_ID TIN',
  TR: 'TCKN NATIONAL_ID TIN VKN',
  TW: 'NATIONAL_ID ARC',
  UA: 'RNTRC RNOKPP TIN',
  US: 'SSN TIN ITIN EIN',
  UY: 'CEDULA CI NATIONAL_ID',
  VI: 'SSN TIN ITIN EIN',
  ZA: 'SA_ID NATIONAL_ID TAX_NUMBER TIN',
}

/** Kinds of numbers in other words. TIN and NATIONAL_ID mean any number of their purpose. */
const otherNames = catalogOf({
  SSN: 'SOCIAL_SECURITY_NUMBER SOCIAL_SECURITY',
  ITIN: 'INDIVIDUAL_TAXPAYER_ID_NUMBER INDIVIDUAL_TAX_ID_NUMBER',
  EIN: 'EMPLOYER_ID_NUMBER FEIN',
  SIN: 'SOCIAL_INSURANCE_NUMBER',
  NINO: 'NATIONAL_INSURANCE_NUMBER NATIONAL_INSURANCE NI',
  UTR: 'UNIQUE_TAXPAYER_REFERENCE',
  PPSN: 'PERSONAL_PUBLIC_SERVICE_NUMBER',
  STEUER_ID: 'STEUERIDENTIFIKATIONSNUMMER STEUERNUMMER',
  CODICE_FISCALE: 'CF ITALIAN_TAX_CODE',
  DNI: 'DOCUMENTO_NACIONAL_IDENTIDAD',
  SPI: 'NUMERO_FISCAL NUMERO_FISCAL_REFERENCE',
  BSN: 'BURGERSERVICENUMMER CITIZEN_SERVICE_NUMBER SOFINUMMER',
  NRN: 'RIJKSREGISTERNUMMER NATIONAL_REGISTER_NUMBER NUMERO_NATIONAL',
  AHV: 'AHV_NUMBER AHVN13 NAVS13 OASI',
  PERSONNUMMER: 'PERSONAL_IDENTITY_NUMBER',
  CPR: 'CPR_NUMBER',
  TCKN: 'TC_KIMLIK TC_KIMLIK_NO KIMLIK_NO',
  AFM: 'VAT_NUMBER',
  SA_ID: 'RSA_ID SOUTH_AFRICAN_ID',
  NIN: 'NATIONAL_IDENTITY_NUMBER',
  BVN: 'BANK_VERIFICATION_NUMBER',
  AADHAAR: 'AADHAR UID UIDAI',
  PAN: 'PERMANENT_ACCOUNT_NUMBER',
  MY_NUMBER: 'INDIVIDUAL_NUMBER KOJIN_BANGO',
  RRN: 'RESIDENT_REGISTRATION_NUMBER',
  TFN: 'TAX_FILE_NUMBER',
  IRD: 'IRD_NUMBER',
  TIN: `TAX_ID TAX_ID_NUMBER TAX_NUMBER TAX TAXPAYER_ID TAXPAYER_NUMBER TAXPAYER_ID_NUMBER TAX_REGISTRATION_NUMBER
    FISCAL_ID FISCAL_CODE FISCAL_NUMBER PIN KRA_PIN`,
  NATIONAL_ID: `ID_NUMBER NATIONAL_NUMBER CITIZEN_ID CITIZEN_NUMBER PERSONAL_NUMBER PERSONAL_CODE PERSONAL_ID
    IDENTITY_NUMBER CIVIL_ID`,
})

/** The kinds that any country may use; a document such as a passport is known as a kind of number too. */
export const commonIdTypes: readonly string[] = [
  'TIN',
  'NATIONAL_ID',
  'PASSPORT',
  'DRIVERS_LICENSE',
  'RESIDENCE_PERMIT',
]

const typesByCountry = new Map(
  Object.entries(nationalIdTypes).map(([country, types]) => [country, catalogOf(splitCodes(types))]),
)

/**
 * Returns the kind of number that a code means in a country: one of the country's own, or a common one; undefined when
 * the code is unknown. PAN_CARD means PAN in India.
 */
export function nationalIdTypeOf(countryCode: string, code: string): string | undefined {
  return findType(countryCode, code) ?? findType(countryCode, code.replace(numberWord, ''))
}

const numberWord = /_?(?:NUMBER|NUM|NUMERO|NUMMER|NUMARASI|NO|CODE)$/i

function findType(countryCode: string, code: string): string | undefined {
  const own = typesByCountry.get(countryCode) ?? []
  const named = hasExactWords(own, code) ?? hasExactWords(otherNames, code)
  const isUsable = named !== undefined && (own.some(({ entry }) => entry === named) || commonIdTypes.includes(named))
  if (isUsable || own.length === 0) return named
  const kind = documentNamed(code)
  return findByWords(own, code) ?? (isIdentityKind(kind) ? kind : undefined)
}

/** True for a country whose numbers have rules: an unknown kind of number would evade them. */
export function hasIdRules(countryCode: string): boolean {
  return typesByCountry.has(countryCode)
}

/** Every known kind of number, once. */
export const allIdTypes: readonly string[] = [
  ...new Set([...commonIdTypes, ...Object.values(nationalIdTypes).flatMap(splitCodes)]),
]
