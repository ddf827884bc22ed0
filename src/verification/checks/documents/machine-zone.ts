import { createHash } from 'node:crypto'
import { countryOfThreeLetters } from '../../../catalog/countries.ts'
import type { Identity, IdentityDocument, StoredImage, ZoneField } from '../../../customers/identity/identity.ts'
import { normalizeDocumentNumber } from '../../../screening/document-number.ts'
import { type Finding, isBlank, needsInformation, needsReview, type Person, type Submission } from '../../submission.ts'
import { documentsWithPaths, isGovernmentId } from './document-kinds.ts'

/** The machine-readable zone of an identity document. Dates and numbers are present when their check digit is right. */
export type MachineZone = {
  /** The last two digits of the year, month and day. */
  dateOfBirth?: string | undefined
  expirationDate?: string | undefined
  documentIdNumber?: string | undefined
  /** A code of ICAO Doc 9303, mostly of ISO 3166-1 alpha-3. No check digit guards it. */
  issuingState?: string | undefined
  /** Other numbers of the zone: some cards have the number of the person there. */
  otherNumbers: readonly string[]
  /** Last name, first names. No check digit guards them, and long names are cut. */
  names: readonly [string, string]
}

/** A picture that may show a zone, with the data that the zone is compared with. */
export type ZonePicture = { image: StoredImage; document: IdentityDocument; person: Person; path: string; at: string }

const sides = ['frontIdImage', 'backIdImage'] as const

/** Finds the pictures of government ids that have lines in the form of a zone. */
export function findZonePictures({ kycData, kybData }: Identity): ZonePicture[] {
  const persons = (kybData?.associatedPersons ?? []).map((person, at) => ({
    person,
    path: `kybData.associatedPersons[${at}]`,
  }))
  return [...(kycData ? [{ person: kycData, path: 'kycData' }] : []), ...persons].flatMap(({ person, path }) =>
    documentsWithPaths(person.documents, path)
      .filter(({ document }) => isGovernmentId(document))
      .flatMap(({ document, path: at }) =>
        sides.flatMap((side) => {
          const image = document[side]
          return image?.hasZoneLines ? [{ image, document, person, path, at }] : []
        }),
      ),
  )
}

/** True when the picture was read and the data that its zone was compared with is unchanged. */
export function isCompared(picture: ZonePicture): boolean {
  return picture.image.machineZone?.comparedWith === hashCompared(picture)
}

/** Hashes the compared data: a zone is compared once for each, and the text of the zone is not stored. */
function hashCompared({ document, person }: ZonePicture): string {
  const { documentIdNumber, expirationDate, countryCode } = document
  const { dateOfBirth, legalFirstName, legalLastName } = person
  const compared = [documentIdNumber, expirationDate, countryCode, dateOfBirth, legalFirstName, legalLastName]
  return createHash('sha256').update(JSON.stringify(compared)).digest('hex').slice(0, 16)
}

/** Compares a zone with the submitted data. A picture without a readable zone agrees and differs in nothing. */
export function compareZone(
  zone: MachineZone | undefined,
  picture: ZonePicture,
): NonNullable<StoredImage['machineZone']> {
  const comparedWith = hashCompared(picture)
  if (!zone) return { comparedWith, agrees: [], differs: [] }
  const { document, person } = picture
  const isWhole = Boolean(zone.dateOfBirth && zone.documentIdNumber && zone.expirationDate)
  const results: readonly (readonly [ZoneField, boolean | undefined])[] = [
    ['dateOfBirth', sameDate(zone.dateOfBirth, person.dateOfBirth)],
    ['documentIdNumber', sameNumber(zone, document.documentIdNumber)],
    ['expirationDate', sameDate(zone.expirationDate, document.expirationDate)],
    // A reader that made no mistake in the guarded fields made none in three letters.
    ['countryCode', isWhole ? sameState(zone.issuingState, document.countryCode) : undefined],
    // Spellings differ in honest documents, so that names never differ.
    ['names', sameNames(zone, person) || undefined],
  ]
  const fieldsThat = (wanted: boolean) => results.filter(([, result]) => result === wanted).map(([field]) => field)
  return { comparedWith, agrees: fieldsThat(true), differs: fieldsThat(false) }
}

/** Undefined when there is nothing to compare. Some zones leave out the month or day. */
function sameDate(written: string | undefined, submitted: string | undefined): boolean | undefined {
  if (written === undefined || !/^\d{6}$/.test(written) || isBlank(submitted)) return undefined
  return submitted.replaceAll('-', '').slice(2, 8) === written
}

const leastShared = 5

function sameNumber({ documentIdNumber, otherNumbers }: MachineZone, submitted: string | undefined) {
  if (documentIdNumber === undefined || isBlank(submitted)) return undefined
  const typed = shapeOf(submitted)
  const written = [documentIdNumber, ...otherNumbers].map(shapeOf).filter(({ length }) => length >= leastShared)
  if (typed.length < leastShared || written.length === 0) return undefined
  // People leave out a series or a check digit, or add a country code.
  return written.some((number) => number.includes(typed) || typed.includes(number))
}

/**
 * Characters that a reader confuses and whose confusion the check digit may not show: 6 and G, P and F always, five
 * zeros read as the letter O by chance.
 */
const lookAlikes = ['0ODQ6G', '1IL', '2Z', '5S8B', 'PF', 'HR', 'JT']

function shapeOf(number: string): string {
  return [...normalizeDocumentNumber(number)]
    .map((character) => lookAlikes.find((alike) => alike.includes(character))?.[0] ?? character)
    .join('')
}

/** Undefined for a code that is no country, such as that of an organization. */
function sameState(written: string | undefined, submitted: string | undefined): boolean | undefined {
  // Germany writes one letter.
  const country = written === 'D' ? 'DE' : countryOfThreeLetters(written ?? '')
  return country === undefined || isBlank(submitted) ? undefined : country === submitted
}

function sameNames({ names: [last, first] }: MachineZone, { legalLastName, legalFirstName }: Person): boolean {
  return sharesWord(last, legalLastName) && sharesWord(first, legalFirstName)
}

function sharesWord(written: string, submitted = ''): boolean {
  const submittedWords = wordsOf(submitted)
  return wordsOf(written).some((word) => submittedWords.includes(word))
}

function wordsOf(name: string): string[] {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
  return letters.split(/[^A-Z]+/).filter((word) => word !== '')
}

const codes = {
  dateOfBirth: 'BIRTH_DATE_MISMATCH',
  documentIdNumber: 'ID_DATA_MISMATCH',
  expirationDate: 'ID_DATA_MISMATCH',
  countryCode: 'ID_COUNTRY_MISMATCH',
} as const

// A reader can be wrong in spite of check digits: an honest customer meets a person at the third attempt.
const mostAttempts = 2

/** Asks the customer to correct what differs from the machine-readable zone. The sandbox only records it. */
export function checkMachineZones({ identity, version, documentPolicy }: Submission): Finding[] {
  if (!documentPolicy?.mustBePlausible) return []
  const makeFinding = version > mostAttempts ? needsReview : needsInformation
  return findZonePictures(identity)
    .filter(isCompared)
    .flatMap(({ image, path, at }) =>
      (image.machineZone?.differs ?? []).flatMap((field) =>
        field === 'names' ? [] : makeFinding(codes[field], `${field === 'dateOfBirth' ? path : at}.${field}`),
      ),
    )
}
