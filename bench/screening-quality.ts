// Measures what screening finds and what it finds by mistake: npm run bench -- screening-quality [--seed 1] [--misses]
import { parseArgs } from 'node:util'
import { indexList, type ListIndex } from '../src/screening/lists/list-index.ts'
import { isReadable } from '../src/screening/names/match.ts'
import type { ListedEntry, ScreenedName } from '../src/screening/screening.ts'
import { seededRandom } from '../test/support/screening/generated-list.ts'
import { makeOrdinaryBusiness } from '../test/support/screening/organizations.ts'
import {
  listed,
  makePublishedList,
  makeRegionPerson,
  type PublishedList,
  regions,
} from '../test/support/screening/published-list.ts'
import type { Person } from '../test/support/screening/regions/pool.ts'
import { firstAndLast, organizationRows, personRows, regionRows } from '../test/support/screening/screening-rows.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    entries: { type: 'string', default: '17000' },
    innocents: { type: 'string', default: '2000' },
    misses: { type: 'boolean', default: false },
  },
})
const random = seededRandom(Number(values.seed))
const list = makePublishedList(random, Number(values.entries))
const index = buildIndex(list.entries)
const innocentCount = Number(values.innocents)
const maxAsked = 800

function buildIndex(entries: readonly ListedEntry[]): ListIndex {
  const steps = indexList(entries)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

type Outcome = 'found' | 'to a person' | 'missed'

function outcomeOf(screened: ScreenedName, entryNumber: string): Outcome {
  if (index.findName(screened).some((match) => match.entryNumber === entryNumber)) return 'found'
  return isReadable(screened.name, screened.kind) ? 'missed' : 'to a person'
}

class Tally {
  #counts = { found: 0, 'to a person': 0, missed: 0 }
  #misses: string[] = []

  add(outcome: Outcome, example: string): void {
    this.#counts[outcome] += 1
    if (outcome === 'missed' && this.#misses.length < 400) this.#misses.push(example)
  }

  get count(): number {
    return this.#counts.found + this.#counts['to a person'] + this.#counts.missed
  }

  print(label: string): void {
    const { found, 'to a person': person } = this.#counts
    if (this.count === 0) return
    const extra = person > 0 ? `, ${person} more to a person` : ''
    console.log(`  ${label.padEnd(46)} ${share(found, this.count)}  (${found} of ${this.count}${extra})`)
    if (values.misses) for (const each of this.#misses.filter((_, at) => at % 40 === 0)) console.log(`      ${each}`)
  }
}

const share = (part: number, whole: number) => `${((part / Math.max(1, whole)) * 100).toFixed(2).padStart(6)} %`

function measureRegions(persons: PublishedList['persons']): void {
  for (const [label, row] of Object.entries(regionRows)) {
    console.log(`\n${label}`)
    const total = new Tally()
    for (const region of regions) {
      const tally = new Tally()
      for (const each of persons) {
        if (each.region !== region || tally.count === maxAsked) continue
        const screened = row(each, random)
        if (!screened) continue
        const outcome = outcomeOf({ kind: 'INDIVIDUAL', ...screened }, each.entry.number)
        const example = `${screened.name} / ${each.entry.names.map(({ text }) => text).join(' | ')}`
        tally.add(outcome, example)
        total.add(outcome, example)
      }
      tally.print(region.name)
    }
    total.print('all regions')
  }
}

function measurePersons(persons: PublishedList['persons']): void {
  console.log('\nlisted persons, all regions')
  for (const [label, row] of Object.entries(personRows)) {
    const tally = new Tally()
    for (const each of random.shuffle(persons)) {
      const screened = tally.count < maxAsked ? row(each, random) : undefined
      if (!screened) continue
      const outcome = outcomeOf({ kind: 'INDIVIDUAL', ...screened }, each.entry.number)
      tally.add(outcome, `${screened.name} / ${each.entry.names.map(({ text }) => text).join(' | ')}`)
    }
    tally.print(label)
  }
}

function measureOrganizations(organizations: PublishedList['organizations']): void {
  console.log('\nlisted organizations')
  for (const [label, row] of Object.entries(organizationRows)) {
    const tally = new Tally()
    for (const each of random.shuffle(organizations)) {
      const name = tally.count < maxAsked ? row(each, random) : undefined
      if (name === undefined) continue
      tally.add(outcomeOf({ kind: 'BUSINESS', name }, each.entry.number), `${name} / ${each.entry.names[0]?.text}`)
    }
    tally.print(label)
  }
}

const keyOf = (words: readonly string[]) =>
  words
    .map((word) => word.toLowerCase())
    .toSorted()
    .join(' ')
const wordsOf = ({ given, middle, family }: Person) => [...given, ...middle, ...family].map(listed)
const shortWordsOf = ({ given, family }: Person) => [listed(given[0]!), listed(family[0]!)]

type Screened = Omit<ScreenedName, 'kind'> & { words: string[] }

/** The ways in which an ordinary person writes the own name. The birth date is that of any adult. */
const ordinaryForms: Readonly<Record<string, (person: Person) => Screened>> = {
  'first + last': (person) => ({ name: firstAndLast(person), words: shortWordsOf(person) }),
  'first + last, birth date': (person) => ({
    name: firstAndLast(person),
    words: shortWordsOf(person),
    dateOfBirth: person.birth,
  }),
  'full name': (person) => ({ name: wordsOf(person).join(' '), words: wordsOf(person) }),
  'full name, birth date': (person) => ({
    name: wordsOf(person).join(' '),
    words: wordsOf(person),
    dateOfBirth: person.birth,
  }),
}

/** The names of listed people: as a whole or as an alias, and their first and last name. */
const wholeNames = new Set(
  list.persons.flatMap(({ person, entry }) => [
    keyOf(wordsOf(person)),
    ...entry.names.map(({ text }) => keyOf(text.replaceAll(',', '').split(' '))),
  ]),
)
const shortNames = new Set(list.persons.map(({ person }) => keyOf(shortWordsOf(person))))

/** Measures ordinary persons. Every match counts, also of those who bear the name of a listed person by chance. */
function measureFalsePersons(label: string, form: (person: Person) => Screened): void {
  console.log(`\nordinary persons that match: ${label}`)
  for (const region of regions) {
    const examples: string[] = []
    let [held, wholes, shorts] = [0, 0, 0]
    for (let at = 0; at < innocentCount; at++) {
      const { words, ...screened } = form(makeRegionPerson(random, region, 'ordinary'))
      const [match] = index.findName({ kind: 'INDIVIDUAL', ...screened })
      if (!match) continue
      held += 1
      if (wholeNames.has(keyOf(words))) wholes += 1
      else if (shortNames.has(keyOf(words))) shorts += 1
      else examples.push(`${screened.name} / ${match.listedName} ${match.score}`)
    }
    const namesakes = `${wholes} bear a whole listed name, ${shorts} a listed first + last name`
    console.log(
      `  ${region.name.padEnd(24)} ${share(held, innocentCount)}  (${held} of ${innocentCount}: ${namesakes})`,
    )
    if (values.misses) for (const each of examples.slice(0, 8)) console.log(`      ${each}`)
  }
}

function measureFalse(): void {
  for (const [label, form] of Object.entries(ordinaryForms)) measureFalsePersons(label, form)
  console.log('\nfalse matches of businesses')
  const cores = new Set(list.organizations.map(({ organization: { core } }) => core.toLowerCase()))
  for (const region of regions) {
    let [held, asPerson] = [0, 0]
    const examples: string[] = []
    for (let at = 0; at < innocentCount; at++) {
      const name = makeOrdinaryBusiness(random, listed(makeRegionPerson(random, region, 'ordinary').family[0]!))
      if (cores.has(name.toLowerCase())) continue
      const [match] = index.findName({ kind: 'BUSINESS', name })
      if (match) held += 1
      if (match) examples.push(`${name} / ${match.listedName} ${match.score}`)
      if (index.findName({ kind: 'INDIVIDUAL', name }).length > 0) asPerson += 1
    }
    const counts = `${share(held, innocentCount)} (${held} of ${innocentCount})`
    console.log(
      `  ${region.name.padEnd(24)} ${counts}; against persons ${share(asPerson, innocentCount)} (${asPerson})`,
    )
    if (values.misses) for (const each of examples.filter((_, at) => at % 10 === 0)) console.log(`      ${each}`)
  }
  measureShortWords()
}

/** Measures words of three letters against a list of words that sound like them. */
function measureShortWords(): void {
  const letters = [...'bcdfghjklmnpqrstvwz']
  const made = Array.from(
    { length: innocentCount },
    () => random.pick(letters) + random.pick([...'aeiou']) + random.pick(letters),
  )
  const known = new Set(list.organizations.map(({ organization: { core } }) => core.toLowerCase()))
  const held = made.filter((name) => !known.has(name) && index.findName({ kind: 'BUSINESS', name }).length > 0)
  console.log(
    `  ${'words of three letters'.padEnd(24)} ${share(held.length, made.length)} (${held.length} of ${made.length})`,
  )
}

console.log(`seed ${values.seed}: ${list.persons.length} persons, ${list.organizations.length} organizations`)
measureRegions(list.persons)
measurePersons(list.persons)
measureOrganizations(list.organizations)
measureFalse()
