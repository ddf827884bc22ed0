import type { ListedEntry } from '../../../src/screening/screening.ts'
import type { Random } from './generated-list.ts'
import { makeOrganization, type Organization } from './organizations.ts'
import { arabic } from './regions/arabic.ts'
import { chinese, japanese, korean } from './regions/east-asian.ts'
import { iberian } from './regions/iberian.ts'
import { african, english, european, southAsian } from './regions/other-regions.ts'
import { persian, turkish } from './regions/persian-turkish.ts'
import type { Person, Region, Word } from './regions/pool.ts'
import { slavic } from './regions/slavic.ts'

export const regions: readonly Region[] = [
  slavic,
  arabic,
  iberian,
  persian,
  southAsian,
  chinese,
  african,
  english,
  european,
  korean,
  turkish,
  japanese,
]

export type ListedPerson = { entry: ListedEntry; region: Region; person: Person }
export type ListedOrganization = { entry: ListedEntry; organization: Organization }
/** A generated list in the shapes of the published ones: persons of all regions, organizations, ships. */
export type PublishedList = { entries: ListedEntry[]; persons: ListedPerson[]; organizations: ListedOrganization[] }

const womenShare = { listed: 0.125, ordinary: 0.5 }

/** Makes a person with a birth date. */
export function makeRegionPerson(random: Random, region: Region, standing: keyof typeof womenShare): Person {
  const two = (value: number) => String(value).padStart(2, '0')
  const birth = `${1935 + random.below(68)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`
  return { ...region.make(random, random.chance(womenShare[standing])), birth }
}

export const listed = ({ latin }: Word) => latin[0]!

/** "LAST, First Middle". */
export function listedNameOf({ given, middle, family }: Person, spell = listed): string {
  return `${family.map(spell).join(' ').toUpperCase()}, ${[...given, ...middle].map(spell).join(' ')}`
}

/** Makes a list of so many entries: 45 % persons, as the published one has. */
export function makePublishedList(random: Random, count: number): PublishedList {
  const byShare = regions.flatMap((region) => Array<Region>(region.share).fill(region))
  const list: PublishedList = { entries: [], persons: [], organizations: [] }
  for (let at = 0; at < count; at++) {
    const number = String(2_000 + at * 3)
    if (random.chance(0.45)) {
      const region = random.pick(byShare)
      const person = makeRegionPerson(random, region, 'listed')
      const entry = personEntry(random, number, person, region)
      list.persons.push({ entry, region, person })
      list.entries.push(entry)
    } else {
      const organization = makeOrganization(random)
      const { name, alias, isVessel } = organization
      const entry: ListedEntry = {
        number,
        kind: isVessel ? 'vessel' : 'entity',
        names: [
          { text: name.toUpperCase(), quality: 'primary' },
          ...(alias ? [{ text: alias.toUpperCase(), quality: 'alternate' } as const] : []),
        ],
        births: [],
        addresses: [],
      }
      list.organizations.push({ entry, organization })
      list.entries.push(entry)
    }
  }
  return list
}

function personEntry(random: Random, number: string, person: Person, region: Region): ListedEntry {
  const names: ListedEntry['names'] = [{ text: listedNameOf(person), quality: 'primary' }]
  const other = (word: Word) => random.pick(word.latin)
  if (random.chance(0.55)) names.push({ text: listedNameOf(person, other), quality: 'alternate' })
  if (random.chance(0.25) && person.middle.length > 0)
    names.push({ text: listedNameOf({ ...person, middle: person.middle.slice(0, 1) }, other), quality: 'alternate' })
  if (region.hasFatherAliases && person.middle.length > 0 && random.chance(0.35))
    names.push({
      text: listedNameOf({ ...person, middle: [], family: person.middle.slice(0, 1) }),
      quality: 'alternate',
    })
  if (random.chance(0.1))
    names.push({ text: listed(random.pick([...person.given, ...person.family])), quality: 'weak' })
  const { birth } = person
  const births = random.chance(0.7)
    ? [{ from: birth, to: birth }]
    : random.chance(0.7)
      ? [{ from: `${birth.slice(0, 4)}-01-01`, to: `${birth.slice(0, 4)}-12-31` }]
      : []
  return { number, kind: 'individual', names, births, addresses: [] }
}
