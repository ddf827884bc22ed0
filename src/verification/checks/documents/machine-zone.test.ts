import { expect, test } from 'vitest'
import { makePassport, makeStoredImage, makeSubmission } from '../../../../test/support/customers/identities.ts'
import { verifySubmission } from '../../engine.ts'
import { checkMachineZones, compareZone, findZonePictures, isCompared, type MachineZone } from './machine-zone.ts'

const person = { legalFirstName: 'Zoë', legalLastName: "O'Néill-Smith", dateOfBirth: '1990-05-17' }
const passport = { countryCode: 'US', documentIdNumber: 'P-0000003', expirationDate: '2031-02-28' }
const zone: MachineZone = {
  dateOfBirth: '900517',
  expirationDate: '310228',
  documentIdNumber: 'P0000003',
  issuingState: 'USA',
  otherNumbers: [],
  names: ['ONEILL SMITH', 'ZOE'],
}

/** A submission with a passport whose zone says something. */
function submit(written: MachineZone | undefined, more: Parameters<typeof makeSubmission>[1] = {}) {
  const frontIdImage = makeStoredImage({ hasZoneLines: true })
  const documents = [makePassport({ ...passport, frontIdImage })]
  const submission = makeSubmission(
    { ...person, documents },
    { documentPolicy: { mustBePlausible: true, mayApprove: true }, ...more },
  )
  for (const picture of findZonePictures(submission.identity)) {
    picture.image.machineZone = compareZone(written, picture)
  }
  return submission
}

const zoneOf = (written: MachineZone | undefined) =>
  findZonePictures(submit(written).identity).map(({ image }) => image.machineZone)[0]

test('a zone that agrees leads to nothing', () => {
  expect(zoneOf(zone)).toMatchObject({
    agrees: ['dateOfBirth', 'documentIdNumber', 'expirationDate', 'countryCode', 'names'],
    differs: [],
  })
  expect(checkMachineZones(submit(zone))).toEqual([])
})

// biome-ignore format: a table is read by column
test.each<[string, Partial<MachineZone>, string, string]>([
  // the zone says                                   code                    field
  ['another birth date', { dateOfBirth: '890517' },        'BIRTH_DATE_MISMATCH',  'kycData.dateOfBirth'],
  ['another number',     { documentIdNumber: 'P0000004' }, 'ID_DATA_MISMATCH',     'kycData.documents[0].documentIdNumber'],
  ['another expiry',     { expirationDate: '300228' },     'ID_DATA_MISMATCH',     'kycData.documents[0].expirationDate'],
  ['another country',    { issuingState: 'D' },            'ID_COUNTRY_MISMATCH',  'kycData.documents[0].countryCode'],
])('%s is asked about, and left to a reviewer at the third attempt', (_name, written, code, field) => {
  expect(checkMachineZones(submit({ ...zone, ...written }))).toEqual([{ code, field, leadsTo: 'information' }])
  const third = submit({ ...zone, ...written }, { version: 3 })
  expect(checkMachineZones(third)).toEqual([{ code, field, leadsTo: 'review' }])
})

test.each<[string, MachineZone | undefined]>([
  ['no zone', undefined],
  ['a field whose check digit was wrong', { ...zone, dateOfBirth: undefined }],
  ['a birth date without a day', { ...zone, dateOfBirth: '8905<<' }],
  ['zeros read as letters, which the check digit does not show', { ...zone, documentIdNumber: 'POOOOO03' }],
  [
    'the number of the person elsewhere in the zone',
    { ...zone, documentIdNumber: 'AB1234', otherNumbers: ['P0000003'] },
  ],
  ['a number with a series', { ...zone, documentIdNumber: '45P0000003' }],
  ['the code of an organization', { ...zone, issuingState: 'UNO' }],
  ['a country in a zone that was read in part', { ...zone, expirationDate: undefined, issuingState: 'DEU' }],
  ['another spelling of the name', { ...zone, names: ['ONIL', 'ZOYA'] }],
])('nothing follows from %s', (_name, written) => {
  expect(checkMachineZones(submit(written))).toEqual([])
})

test('the sandbox only records what differs', () => {
  const documentPolicy = { mustBePlausible: false, mayApprove: true }
  expect(checkMachineZones(submit({ ...zone, dateOfBirth: '890517' }, { documentPolicy }))).toEqual([])
})

test('a comparison ends when the compared data changes, and holds no text of the zone', () => {
  const submission = submit({ ...zone, dateOfBirth: '890517' })
  expect(JSON.stringify(findZonePictures(submission.identity).map(({ image }) => image))).not.toMatch(/890517|P0000003/)
  submission.identity.kycData!.dateOfBirth = '1989-05-17'
  expect(findZonePictures(submission.identity).map(isCompared)).toEqual([false])
  expect(verifySubmission(submission).outcome).toBe('approve')
})
