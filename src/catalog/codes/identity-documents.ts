import { catalogOf, findByWords, hasExactWords, wordsOfCode } from './words.ts'

/**
 * Kinds of documents and the words for them, as people and countries write them. A subtype that holds all words of one
 * is of that kind; the longest name wins, so that PASSPORT_CARD is no PASSPORT.
 */
const identityDocuments = {
  PASSPORT: 'PASSPORT_BOOK PASAPORTE PASSEPORT PASSAPORTO REISEPASS PASPOORT PASZPORT',
  PASSPORT_CARD: '',
  TRAVEL_DOCUMENT: 'REFUGEE_TRAVEL LAISSEZ_PASSER',
  NATIONAL_ID: `ID_CARD NATIONAL_CARD CITIZEN_ID GOVERNMENT_ID CITIZEN_CARD CITIZENSHIP_CARD EID CNI CARTE_IDENTITE CARTE_IDENTITATE PERSONALAUSWEIS DNI CEDULA
    RG CARTAO_CIDADAO CARTA_IDENTITA IDENTITEITSKAART HENKILOKORTTI DOWOD_OSOBISTY OBCANSKY_PRUKAZ KIMLIK KIMLIK_KARTI TEUDAT_ZEHUT
    EMIRATES_ID NIN NIN_SLIP AADHAAR PAN CNIC NICOP KTP NIK MYKAD NRIC HKID CCCD CMND UMID PHILSYS POSTAL_ID MY_NUMBER INE IFE
    RESIDENT_REGISTRATION RESIDENT_ID SMART_ID ID_BOOK GHANA_CARD STATE_ID TRIBAL_ID PHOTO_CARD PROOF_OF_AGE_CARD`,
  DRIVERS_LICENSE: `DRIVING_PERMIT DRIVER_PERMIT LEARNER_PERMIT CNH PATENTE PATENTE_GUIDA PERMIS_CONDUIRE LICENCIA_CONDUCIR
    CARNET_CONDUCIR CARTA_CONDUCAO FUHRERSCHEIN FUEHRERSCHEIN RIJBEWIJS KORKORT FORERKORT KOREKORT AJOKORTTI PRAWO_JAZDY SURUCU_BELGESI`,
  RESIDENCE_PERMIT: `RESIDENCE RESIDENT RESIDENCY PERMANENT_RESIDENT GREEN_CARD BRP BIOMETRIC_RESIDENCE TITRE_SEJOUR CARTE_SEJOUR
    AUFENTHALTSTITEL AUFENTHALTSKARTE TIE NIE PERMESSO_SOGGIORNO VERBLIJFSVERGUNNING VERBLIJFSTITEL KARTA_POBYTU UPPEHALLSTILLSTAND
    ZAIRYU ARC ALIEN_CARD FOREIGNER_ID IQAMA WORK_PASS WORK_PERMIT EMPLOYMENT_AUTHORIZATION EAD MYPR FIN CEDULA_EXTRANJERIA`,
  VOTER_ID: 'VOTER VOTERS_CARD ELECTORAL',
  MILITARY_ID: 'MILITARY',
} as const

/** Cards that no government issues to prove an identity. */
const otherCards = {
  OTHER_CARD: 'STUDENT EMPLOYEE STAFF COMPANY_ID MEMBERSHIP LIBRARY LOYALTY SCHOOL UNIVERSITY',
} as const

/** The contract expects a utility bill, a bank statement or a letter of an authority as proof of address. */
const addressPapers = {
  UTILITY_BILL: 'BILL ELECTRICITY WATER_BILL GAS_BILL INTERNET_BILL PHONE_BILL INVOICE',
  BANK_STATEMENT: 'STATEMENT CREDIT_CARD_STATEMENT',
  GOVERNMENT_LETTER:
    'LETTER TAX TAX_ASSESSMENT COUNCIL_TAX COUNCIL MELDEBESCHEINIGUNG MELDEZETTEL EMPADRONAMIENTO CERTIFICADO_RESIDENCIA',
  RENTAL_AGREEMENT: 'LEASE LEASE_AGREEMENT RENTAL TENANCY MORTGAGE',
  INSURANCE_POLICY: 'INSURANCE',
} as const

type DocumentKind = keyof typeof identityDocuments | keyof typeof addressPapers | keyof typeof otherCards

const catalog = catalogOf({ ...identityDocuments, ...addressPapers })
const others = catalogOf(otherCards)

export const identityDocumentCodes = Object.keys(identityDocuments)
export const addressPaperCodes = Object.keys(addressPapers)

/** Returns the kind of document that a subtype means, if it is known. ID alone is a card; FOO_ID may be anything. */
export function documentKindOf(subtype: string): DocumentKind | undefined {
  return wordsOfCode(subtype).join(' ') === 'ID'
    ? 'NATIONAL_ID'
    : (findByWords(others, subtype) ?? findByWords(catalog, subtype))
}

/** Returns the kind of document that a code names exactly. */
export function documentNamed(code: string): DocumentKind | undefined {
  return hasExactWords(catalog, code)
}

export function isIdentityKind(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && Object.hasOwn(identityDocuments, kind)
}

export function isAddressKind(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && Object.hasOwn(addressPapers, kind)
}
