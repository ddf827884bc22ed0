import { expect, test } from 'vitest'
import {
  makeBusinessSubmission,
  makeKybData,
  makeStoredImage,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import { checkBusinessRecords } from './business.ts'

// biome-ignore format: a table is read by column
test.each([
  // formed        finding
  ['2018-06-01',   false],
  ['2025-11-21',   false],
  ['1602-03-20',   false],
  ['',             false],
  ['2025-11-22',   true],
  ['2018-06-31',   true],
  ['June 2018',    true],
])('a business formed %s has to correct it: %s', (formationDate, isWrong) => {
  const businessInfo = { ...makeKybData().businessInfo, formationDate }
  const finding = { code: 'INVALID_PARAMETERS', field: 'kybData.businessInfo.formationDate', leadsTo: 'information' }
  expect(checkBusinessRecords(makeBusinessSubmission({ businessInfo }))).toEqual(isWrong ? [finding] : [])
})

const image = makeStoredImage()
// biome-ignore format: a table is read by column
test.each([
  // document                                                                        finding
  [{ type: 'ARTICLES_OF_INCORPORATION', documentImage: image },                      []],
  [{ type: 'ARTICLES_OF_INCORPORATION' },                                            ['API_DATA_REQUIREMENTS_NOT_MET documentImage information']],
  [{ documentImage: image },                                                         ['API_DATA_REQUIREMENTS_NOT_MET type information']],
  [{ type: 'X', documentImage: makeStoredImage({ screenHints: ['moire'] }) },        ['SCREEN_DETECTED documentImage information']],
])('the business document %j', (document, findings) => {
  const found = checkBusinessRecords(makeBusinessSubmission({ businessDocuments: [document] }))
  const shortly = found.map((each) => `${each.code} ${each.field?.replace('kybData.businessDocuments[0].', '')} ${each.leadsTo}`)
  expect(shortly).toEqual(findings)
})

test('an individual has no business records', () => {
  expect(checkBusinessRecords(makeSubmission())).toEqual([])
})
