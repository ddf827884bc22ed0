import { expect, test } from 'vitest'
import {
  identityDay,
  makePassport,
  makeProofOfAddress,
  makeStoredImage,
} from '../../../../test/support/customers/identities.ts'
import type { IdentityDocument } from '../../../customers/identity/identity.ts'
import type { Finding } from '../../submission.ts'
import { checkDocuments } from './documents.ts'

/** Today is 2025-11-21. */
const check = (...documents: IdentityDocument[]) => checkDocuments({ documents }, 'kycData', identityDay)
const shortly = (findings: readonly Finding[]) =>
  findings.map(({ code, field, leadsTo }) => `${code} ${field?.replace('kycData.documents', '')} ${leadsTo}`)

const image = makeStoredImage()
const card = { subtype: 'NATIONAL_ID', backIdImage: image }
const filmed = makeStoredImage({ screenHints: ['moire'] })

/** A passport without one of its fields. */
function without(name: keyof IdentityDocument, changes: Partial<IdentityDocument> = {}): IdentityDocument {
  const { [name]: _left, ...rest } = makePassport(changes)
  return rest
}

// biome-ignore format: a table is read by column
test.each([
  // what                                 document                                                    finding
  ['a passport by its photo page',        makePassport(),                                             []],
  ['a card with both sides',              makePassport(card),                                         []],
  ['a card without its back',             makePassport({ subtype: 'NATIONAL_ID' }),                   ['DOCUMENT_MISSING_BACK [0].backIdImage information']],
  ['a licence without its back',          makePassport({ subtype: 'DRIVERS_LICENSE' }),               ['DOCUMENT_MISSING_BACK [0].backIdImage information']],
  ['a British licence without its back',  makePassport({ subtype: 'DRIVING_LICENCE' }),               ['DOCUMENT_MISSING_BACK [0].backIdImage information']],
  ['a permit without its back',           makePassport({ subtype: 'RESIDENCE_PERMIT' }),              ['DOCUMENT_MISSING_BACK [0].backIdImage information']],
  ['something of which nothing is known', makePassport({ subtype: 'SEAMANS_BOOK' }),                  []],
  ['no front',                            without('frontIdImage'),                                    ['DOCUMENT_MISSING_FRONT [0].frontIdImage information']],
  ['no number',                           without('documentIdNumber'),                                ['MISSING_DOCUMENT_NUMBER [0].documentIdNumber information']],
  ['an empty number',                     makePassport({ documentIdNumber: ' - ' }),                  ['MISSING_DOCUMENT_NUMBER [0].documentIdNumber information']],
  ['a number of zeros',                   makePassport({ documentIdNumber: '000-000-000' }),          ['ID_NUMBER_NOT_VERIFIED [0].documentIdNumber information']],
  ['a number of one letter',              makePassport({ documentIdNumber: 'XXXXXX' }),               ['ID_NUMBER_NOT_VERIFIED [0].documentIdNumber information']],
  ['no date of issue',                    without('issuanceDate'),                                    ['MISSING_ISSUE_DATE [0].issuanceDate information']],
  ['no date of expiry',                   without('expirationDate'),                                  ['MISSING_EXPIRY_DATE [0].expirationDate information']],
  ['an Indian card without expiry',       without('expirationDate', { ...card, countryCode: 'IN' }),  []],
  ['an Indian passport without expiry',   without('expirationDate', { countryCode: 'IN' }),           ['MISSING_EXPIRY_DATE [0].expirationDate information']],
  ['no country',                          without('countryCode'),                                     ['MISSING_ID_DETAILS [0].countryCode information']],
  ['no subtype',                          without('subtype'),                                         ['MISSING_ID_DETAILS [0].subtype information']],
  ['the last day',                        makePassport({ expirationDate: '2025-11-21' }),             []],
  ['the day after the last day',          makePassport({ expirationDate: '2025-11-20' }),             ['DOCUMENT_EXPIRED [0].expirationDate information']],
  ['issued today',                        makePassport({ issuanceDate: '2025-11-21' }),               []],
  ['issued tomorrow',                     makePassport({ issuanceDate: '2025-11-22' }),               ['INCONSISTENT_DETAILS [0].issuanceDate information']],
  ['issued after it expires',             makePassport({ issuanceDate: '2020-02-02', expirationDate: '2020-02-01' }), ['INCONSISTENT_DETAILS [0].issuanceDate information', 'DOCUMENT_EXPIRED [0].expirationDate information']],
  ['no such day of issue',                makePassport({ issuanceDate: '2024-02-30' }),               ['INVALID_PARAMETERS [0].issuanceDate information']],
  ['no such day of expiry',               makePassport({ expirationDate: '2034-13-01' }),             ['INVALID_PARAMETERS [0].expirationDate information']],
  ['a photographed screen',               makePassport({ frontIdImage: filmed }),                     ['SCREEN_DETECTED [0].frontIdImage information']],
  ['a screen at the back',                makePassport({ ...card, backIdImage: filmed }),             ['SCREEN_DETECTED [0].backIdImage information']],
])('%s', (_what, document, findings) => {
  expect(shortly(check(document))).toEqual(findings)
})

// biome-ignore format: a table is read by column
test.each([
  // what                          documents                                                        findings
  ['nothing at all',               [],                                                              ['NO_GOVERNMENT_ID  information']],
  ['a bill alone',                 [makeProofOfAddress()],                                          ['NO_GOVERNMENT_ID  information']],
  ['a passport and a bill',        [makePassport(), makeProofOfAddress()],                          []],
  ['a filmed bill',                [makePassport(), makeProofOfAddress({ proofOfAddressImage: filmed })], ['SCREEN_DETECTED [1].proofOfAddressImage information']],
  ['something else',               [makePassport(), { type: 'SELFIE' }],                            ['INCORRECT_ID_TYPE [1].type information']],
  ['something without a type',     [makePassport(), {}],                                            ['INCORRECT_ID_TYPE [1].type information']],
  ['an old passport beside a new', [makePassport({ expirationDate: '2025-01-01' }), makePassport()], ['DOCUMENT_EXPIRED [0].expirationDate information']],
])('%s', (_what, documents, findings) => {
  expect(shortly(check(...documents))).toEqual(findings)
})

test('a missing list of documents means no document', () => {
  expect(shortly(checkDocuments({}, 'kycData', identityDay))).toEqual(['NO_GOVERNMENT_ID  information'])
})
