import { expect, test } from 'vitest'
import { indexList } from '../lists/list-index.ts'
import type { ListedEntry, NameQuality } from '../screening.ts'

/** Common names on a list whose fathers and families bear the same names, as on the published ones. */
const listed: readonly (readonly [string, string, NameQuality?])[] = [
  ['CDi.010', 'IVANOV, Sergei Borisovich'],
  ['CDi.006', 'SALEH, Ali Nasser'],
  ['CDi.001', 'GARCIA LOPEZ, Jose Luis'],
  ['CDi.002', 'OMAR, Khalid'],
  ['CDi.003', 'QARADUN, Sabir'],
  ['CDi.003', 'AHMAD, Muhammad', 'alternate'],
  ['CDi.003', 'MAHMUD, Salim', 'alternate'],
  ['CDi.003', 'ALI, Amal', 'alternate'],
  ['CDi.003', 'QARADUN, Amal', 'alternate'],
  ['CDi.004', 'PAK, Su Min'],
  ['CDi.011', 'ALI, Salma'],
  ['CDi.007', 'PETROVA, Vera Zakharovna'],
  ['CDi.008', 'KARIMI, Hadi Mohsen'],
  ['CDi.005', 'RODRIGUEZ OREJANO, Miguel'],
  ...['KHALID, Nabil', 'KHALID, Samir', 'KHALID, Farid', 'TARIQ, Omar', 'RASHID, Omar', 'SAMI, Omar'].map(
    (name, at) => [`QDi.${at}`, name] as const,
  ),
  ...['OMAR, Nabil', 'OMAR, Samir', 'TARIQ, Khalid', 'RASHID, Khalid'].map((name, at) => [`QDi.1${at}`, name] as const),
  ['CDi.10', 'VOROSHKIN, Igor'],
  ['CDi.9', 'VOROSHKIN, Igor'],
]
const entries: ListedEntry[] = [...Map.groupBy(listed, ([number]) => number)].map(([number, names]) => ({
  number,
  kind: 'individual',
  names: names.map(([, text, quality = 'primary']) => ({ text, quality })),
  births: [],
  addresses: [],
}))
const steps = indexList(entries)
let step = steps.next()
while (!step.done) step = steps.next()
const index = step.value
const findAll = (name: string) => index.findName({ kind: 'INDIVIDUAL', name }).map(({ entryNumber }) => entryNumber)

// biome-ignore format: a table is read by column
test.each([
  ['a short form of a common name',                      'Sergei Ivanov',    ['CDi.010']],
  ['the family name first',                              'Ivanov Sergei',    ['CDi.010']],
  ['a short form of a common name',                      'Ali Saleh',        ['CDi.006']],
  ['without the second surname',                         'Miguel Rodriguez', ['CDi.005']],
  ['a short form of two of the commonest names',         'Jose Garcia',      []],
  ['the whole name',                                     'Khalid Omar',      ['CDi.002']],
  ['in exchanged places, both are names of their own',   'Omar Khalid',      []],
  ['an alternate name of two of the commonest names',    'Muhammad Ahmad',   []],
  ['an alternate name of two common words',              'Salim Mahmud',     []],
  ['an alternate name with one of the commonest names',  'Amal Ali',         []],
  ['an alternate name with a rare word',                 'Amal Qaradun',     ['CDi.003']],
  ['the main name of two common words',                  'Salma Ali',        ['CDi.011']],
  ['inside the name of another person',                  'Farid Sabir Munir Khalid Omar Nabil', []],
  ['the short form of a woman of a common name',         'Vera Petrova',     ['CDi.007']],
  ['no Chinese name: it has a short form',               'Hadi Karimi',      ['CDi.008']],
  ['another syllable is another name',                   'Park Su-bin',      []],
  ['the same score, ordered by the number of the entry', 'Igor Voroshkin',   ['CDi.9', 'CDi.10']],
] as const)('%s: %s', (_what, name, expected) => {
  expect(findAll(name)).toEqual(expected)
})
