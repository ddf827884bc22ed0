import { expect, test } from 'vitest'
import { createListReader } from './sdn.ts'

const person = '7,"EXAMPLE, Ada","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 1961."'
const business = '9,"EXAMPLE TRADING",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- '

test('entries are returned by number, with alternate names and continued remarks', () => {
  const reader = createListReader()
  for (const [at, line] of [`\uFEFF${business}`, '', `${person}\r`, '\u001A'].entries())
    reader.readLine('sdn.csv', at, line)
  reader.readLine('alt.csv', 1, '7,21,"aka","SAMPLE, A.",-0- ')
  reader.readLine('alt.csv', 2, '7,22,"aka","ADA",weak')
  reader.readLine('sdn_comments.csv', 1, `7,"; Digital Currency Address - ETH 0x${'1'.repeat(40)}"`)
  expect(reader.finish()).toEqual([
    {
      number: '7',
      kind: 'individual',
      names: [
        { text: 'EXAMPLE, Ada', quality: 'primary' },
        { text: 'SAMPLE, A.', quality: 'alternate' },
        { text: 'ADA', quality: 'weak' },
      ],
      births: [{ from: '1961-01-01', to: '1961-12-31' }],
      addresses: [{ currency: 'ETH', address: `0x${'1'.repeat(40)}` }],
      programs: ['SDGT'],
    },
    {
      number: '9',
      kind: 'entity',
      names: [{ text: 'EXAMPLE TRADING', quality: 'primary' }],
      births: [],
      addresses: [],
      programs: ['CUBA'],
    },
  ])
})

test('remarks continue in the other file at any cut, and hold weak names that alt.csv lacks', () => {
  const evm = `0x${'1'.repeat(40)}`
  const remarks = `DOB 1961; Digital Currency Address - ETH ${evm}; a.k.a. 'EL EJEMPLO'; a.k.a. 'SAMPLE, A.'.`
  for (let at = 1; at < remarks.length; at++) {
    const reader = createListReader()
    reader.readLine('sdn.csv', 1, person.replace('DOB 1961.', remarks.slice(0, at)))
    reader.readLine('alt.csv', 1, '7,21,"aka","SAMPLE, A.",-0- ')
    reader.readLine('sdn_comments.csv', 1, `7,"${remarks.slice(at)}"`)
    expect(reader.finish()[0], `cut at ${at}`).toMatchObject({
      names: [
        { text: 'EXAMPLE, Ada', quality: 'primary' },
        { text: 'SAMPLE, A.', quality: 'alternate' },
        { text: 'EL EJEMPLO', quality: 'weak' },
      ],
      births: [{ from: '1961-01-01', to: '1961-12-31' }],
      addresses: [{ currency: 'ETH', address: evm }],
    })
  }
})

// biome-ignore format: a table is read by column
test.each([
  ['sdn.csv', '8,"X"',                                      'has 2 fields instead of 12'],
  ['sdn.csv', 'x,"X",-0-,-0-,-0-,-0-,-0-,-0-,-0-,-0-,-0-,', 'must begin with the number of an entry'],
  ['sdn.csv', '8,"X',                                       'is not a line of CSV'],
  ['sdn.csv', '8,-0-,-0-,-0-,-0-,-0-,-0-,-0-,-0-,-0-,-0-,', 'must have a name'],
  ['sdn.csv', '8,"X",planet,-0-,-0-,-0-,-0-,-0-,-0-,-0-,-0-,', 'has a type'],
  ['sdn.csv', person,                                       'repeats the entry number 7'],
  ['alt.csv', '8,1,"aka","X",-0-',                          'is about entry 8'],
  ['alt.csv', '<html>',                                     'has 1 fields instead of 5'],
] as const)('%s: %s is refused with its place', (file, line, problem) => {
  const reader = createListReader()
  reader.readLine('sdn.csv', 1, person)
  expect(() => reader.readLine(file, 4711, line)).toThrow(new RegExp(`${file} line 4711: .*${problem}`))
})
