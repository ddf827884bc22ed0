import { expect, test } from 'vitest'
import { seededRandom } from '../../support/screening/generated-list.ts'
import { listed, makeRegionPerson, regions } from '../../support/screening/published-list.ts'
import type { Person } from '../../support/screening/regions/pool.ts'

const [random, count] = [seededRandom(7), 40_000]
const peopleOf = (name: string) => {
  const region = regions.find((each) => each.name === name)!
  return Array.from({ length: count }, () => makeRegionPerson(random, region, 'listed'))
}
const people = {
  Spanish: peopleOf('Spanish and Portuguese'),
  Arabic: peopleOf('Arabic'),
  Persian: peopleOf('Persian'),
  Chinese: peopleOf('Chinese'),
}
const family = (text: string) => (person: Person) => listed(person.family[0]!) === text
const given = (text: string) => (person: Person) => listed(person.given[0]!) === text
const isOneSyllable = (person: Person) => !person.given[0]!.latin[1]!.includes(' ')

// Seven in eight listed people are men, and nine in ten of the Spanish ones have a Spanish name.
// biome-ignore format: a table is read by column
test.each([
  ['Spanish', 'García',               family('García'),      0.0213],
  ['Spanish', 'Torres, of rank 10',   family('Torres'),      0.008],
  ['Spanish', 'José',                 given('José'),         0.105 * 0.875 * 0.9],
  ['Arabic',  'Muhammad',             given('Muhammad'),     0.1 * 0.875],
  ['Arabic',  'Ahmad',                given('Ahmad'),        0.05 * 0.875],
  ['Persian', 'Mohammadi',            family('Mohammadi'),   0.0108],
  ['Persian', 'Ahmadi',               family('Ahmadi'),      0.0069],
  ['Chinese', 'Wang',                 family('Wang'),        0.0752],
  ['Chinese', 'one-character names',  isOneSyllable,         0.14],
] as const)('generated %s people bear a name as often as published: %s', (region, _name, bears, published) => {
  const share = people[region].filter(bears).length / count
  expect(share / published).toBeGreaterThan(0.8)
  expect(share / published).toBeLessThan(1.25)
})
