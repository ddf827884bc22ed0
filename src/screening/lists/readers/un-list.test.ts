import { expect, test } from 'vitest'
import { type UnEntry, unXml } from '../../../../test/support/screening/un-list.ts'
import { readUnList } from './un-list.ts'

const read = (text: string) => readUnList('un.xml', Buffer.from(text))
const one = (entry: Partial<UnEntry>) => read(unXml([{ reference: 'XXi.001', names: ['ADA', 'EXAMPLE'], ...entry }]))

test('an entry is read with its names, births, documents and program', () => {
  const person: UnEntry = {
    reference: 'XXi.001',
    names: ['ADA', 'MARIE &amp; SONS', 'VON', 'EXAMPLE'],
    aliases: [
      ['Good', 'EXAMPLE, Adda'],
      ['Low', '“The Countess”'],
      ['Good', 'EXAMPLE, adda'],
    ],
    original: 'Ада Экземпляр',
    births: [
      '<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1973-12-25</DATE>',
      '<TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><YEAR>1960</YEAR>',
      '<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1958</FROM_YEAR><TO_YEAR>1963</TO_YEAR>',
      '<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>unknown</DATE>',
    ],
    documents: [
      '<TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>A-123 456</NUMBER><ISSUING_COUNTRY>Iran (Islamic Republic of)</ISSUING_COUNTRY>',
      '<TYPE_OF_DOCUMENT>National Identification Number</TYPE_OF_DOCUMENT><NUMBER>12345678901, issued in 1999</NUMBER><COUNTRY_OF_ISSUE>Democratic Republic of the Congo</COUNTRY_OF_ISSUE>',
      '<TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>na</NUMBER>',
    ],
  }
  const { entries, unread, publishedAt } = read(unXml([person], [{ reference: 'XXe.002', names: ['EXAMPLE LTD'] }]))
  expect(publishedAt?.toISOString()).toBe('2026-02-27T00:00:09.554Z')
  expect(entries).toEqual([
    {
      number: 'XXe.002',
      kind: 'entity',
      names: [{ text: 'EXAMPLE LTD', quality: 'primary' }],
      births: [],
      addresses: [],
      programs: ['DRC'],
    },
    {
      number: 'XXi.001',
      kind: 'individual',
      names: [
        { text: 'ADA MARIE & SONS VON EXAMPLE', quality: 'primary' },
        { text: 'EXAMPLE, Adda', quality: 'alternate' },
        { text: 'The Countess', quality: 'weak' },
        { text: 'Ада Экземпляр', quality: 'alternate' },
      ],
      births: [
        { from: '1973-12-25', to: '1973-12-25' },
        { from: '1958-01-01', to: '1962-12-31' },
        { from: '1958-01-01', to: '1963-12-31' },
      ],
      addresses: [],
      programs: ['DRC'],
      documents: [
        { number: 'A123456', country: 'IR' },
        { number: '12345678901', country: 'CD' },
      ],
    },
  ])
  expect(unread).toEqual([
    { part: 'birth date', entryNumber: 'XXi.001', text: 'unknown' },
    { part: 'document number', entryNumber: 'XXi.001', text: 'na' },
  ])
})

const good = unXml([{ reference: 'XXi.001', names: ['ADA', 'EXAMPLE'] }])

// biome-ignore format: a table is read by column
test.each([
  // document                                                                                     problem
  [good.replace('<CONS', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><CONS'),          'line 2: must have no document type declaration'],
  [good.replace('ADA', '&secret;'),                                                               'has an entity that XML does not define'],
  [good.slice(0, good.indexOf('</INDIVIDUALS>')),                                                   'ends within CONSOLIDATED_LIST, INDIVIDUALS'],
  [good.replace('</INDIVIDUALS>', ''),                                                            'is not XML'],
  [good.replaceAll('CONSOLIDATED_LIST', 'SOMETHING'),                                             'must have one root element, CONSOLIDATED_LIST'],
  [`${good}<CONSOLIDATED_LIST/>`,                                                                 'must have one root element'],
  [good.replace('UTF-8', 'UTF-16'),                                                               'must be in UTF-8'],
  [unXml([{ reference: 'A.1', names: ['X'] }, { reference: 'A.1', names: ['Y'] }]),               'repeats the reference number A.1'],
  [unXml([{ reference: 'A.1', names: [''] }]),                                                    'must have a name'],
  ['<html><body>Not found</body></html>',                                                         'must have one root element'],
  ['',                                                                                            'is not XML'],
] as const)('a document that is not the list is refused with its place: %#', (text, problem) => {
  expect(() => read(text)).toThrow(problem)
})

test('characters are decoded once', () => {
  expect(one({ names: ['A&#x64;A &#38;lt;'] }).entries[0]?.names).toEqual([{ text: 'AdA &lt;', quality: 'primary' }])
})
