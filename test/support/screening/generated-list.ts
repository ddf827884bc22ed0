import type { NameWord } from './listed-names.ts'
import * as names from './listed-names.ts'

/** The same numbers for the same seed (mulberry32), so that a failure can be repeated. */
export function seededRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  return {
    below,
    chance: (share: number) => next() < share,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    shuffle: <Item>(items: readonly Item[]): Item[] =>
      items
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item),
  }
}
export type Random = ReturnType<typeof seededRandom>

export type Culture = 'arabic' | 'russian' | 'chinese' | 'latin' | 'western'
/** An invented person; its words come from the pools, so that spellings of one name differ from other names. */
export type MadePerson = { culture: Culture; given: NameWord[]; family: NameWord[]; birth: string }

const cultures: readonly Culture[] = [
  'arabic',
  'arabic',
  'arabic',
  'russian',
  'russian',
  'latin',
  'latin',
  'chinese',
  'western',
]
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const consonants = ['b', 'd', 'f', 'g', 'h', 'k', 'l', 'm', 'n', 'r', 's', 't', 'z', 'sh', 'j', 'q', 'v', 'p']
const vowels = ['a', 'e', 'i', 'o', 'u']

/** A rare family name, as most are. */
function rareWord(random: Random, ending: string): NameWord {
  const syllable = () => random.pick(consonants) + random.pick(vowels)
  const text = syllable() + syllable() + (random.chance(0.5) ? syllable() : '') + random.pick(consonants) + ending
  const word = text[0]!.toUpperCase() + text.slice(1)
  return { own: word, latin: [word] }
}

export function makePerson(random: Random): MadePerson {
  const culture = random.pick(cultures)
  const { pick, chance } = random
  const birth = `${1935 + random.below(70)}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`
  const some = (pool: readonly NameWord[], count: number) => random.shuffle(pool).slice(0, count)
  switch (culture) {
    case 'arabic': {
      const family = chance(0.5) ? pick(names.arabicFamily) : rareWord(random, 'i')
      return { culture, given: some(names.arabicGiven, 1 + random.below(4)), family: [family], birth }
    }
    case 'russian': {
      const [given, father] = some(names.russianGiven.slice(0, 41), 2)
      const patronymic = patronymicOf(father!)
      return {
        culture,
        given: chance(0.8) ? [given!, patronymic] : [given!],
        family: [pick(names.russianFamily)],
        birth,
      }
    }
    case 'chinese':
      return {
        culture,
        given: some(names.chineseGiven, chance(0.8) ? 2 : 1),
        family: [pick(names.chineseFamily)],
        birth,
      }
    case 'latin': {
      const second = chance(0.6) ? [chance(0.5) ? pick(names.latinFamily) : rareWord(random, 'ez')] : []
      return {
        culture,
        given: some(names.latinGiven, 1 + random.below(2)),
        family: [pick(names.latinFamily), ...second],
        birth,
      }
    }
    case 'western': {
      const family = chance(0.4) ? pick(names.westernFamily) : rareWord(random, 'er')
      return { culture, given: some(names.westernGiven, 1 + random.below(2)), family: [family], birth }
    }
  }
}

function patronymicOf({ own }: NameWord): NameWord {
  const text = /[ий]й$/.test(own)
    ? `${own.slice(0, -2)}ьевич`
    : /[йь]$/.test(own)
      ? `${own.slice(0, -1)}евич`
      : `${own}ович`
  return { own: text, latin: [text] }
}

// Two of the ways in which Russian names are spelt in Latin letters: as lists have them, and as old passports do.
// biome-ignore format: a table is read by column
const asListed: Record<string, string> = {
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'e', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm', н: 'n',
  о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y',
  ь: '', э: 'e', ю: 'yu', я: 'ya',
}
const asInPassports: Record<string, string> = { ...asListed, й: 'i', у: 'ou', х: 'h', ю: 'iu', я: 'ia', ж: 'j' }

function romanize(text: string, table: Record<string, string>): string {
  const spelt = Array.from(text.toLowerCase(), (letter) => table[letter] ?? letter).join('')
  return spelt[0]!.toUpperCase() + spelt.slice(1)
}

/** The words of a person as a list has them, each one a word of the list. */
export function listedWords({ culture, given, family }: MadePerson): { given: string[]; family: string[] } {
  const spell = (word: NameWord) => (culture === 'russian' ? romanize(word.own, asListed) : word.latin[0]!)
  const first = given.map(spell)
  // Pinyin writes a given name of two syllables as one word.
  const joined =
    culture === 'chinese'
      ? [first.map((each, at) => (at === 0 ? each[0]!.toUpperCase() + each.slice(1) : each)).join('')]
      : first
  return { given: joined, family: family.map(spell) }
}

/** Another way to spell the same person in Latin letters, such as an alternate name of the list. */
export function respell({ culture, given, family }: MadePerson, random: Random): { given: string[]; family: string[] } {
  const spell = (word: NameWord) =>
    culture === 'russian' ? romanize(word.own, asInPassports) : random.pick(word.latin)
  if (culture === 'chinese') {
    const second = given.map(({ latin }) => latin[1]!).join('-')
    return { given: [second[0]!.toUpperCase() + second.slice(1)], family: [family[0]!.latin[1]!] }
  }
  return { given: given.map(spell), family: family.map(spell) }
}

export type MadeEntry = {
  number: number
  person?: MadePerson
  name: string
  alternates: string[]
  remarks: string
  type: string
}

const listName = ({ given, family }: { given: string[]; family: string[] }) =>
  `${family.join(' ').toUpperCase()}, ${given.join(' ')}`

/** Entries of the kinds that the published list has: persons, businesses, ships, some with addresses. */
export function makeEntries(random: Random, count: number): MadeEntry[] {
  return Array.from({ length: count }, (_, at) => {
    const number = 1_000 + at * 2
    if (random.chance(0.62)) return makePersonEntry(random, number)
    const isShip = random.chance(0.15)
    const name = isShip ? rareWord(random, 'a').own.toUpperCase() : makeBusinessName(random).toUpperCase()
    const alternates = random.chance(0.4) && !isShip ? [makeBusinessName(random).toUpperCase()] : []
    const remarks = random.chance(0.05) ? `Digital Currency Address - ${makeAddress(random)};` : ''
    return { number, name, alternates, remarks, type: isShip ? 'vessel' : '' }
  })
}

function makePersonEntry(random: Random, number: number): MadeEntry {
  const person = makePerson(random)
  const [year = '', month = '', day = ''] = person.birth.split('-')
  const birth = random.pick([`DOB ${day} ${months[Number(month) - 1]} ${year}`, `DOB ${year}`, `DOB circa ${year}`, ''])
  const remarks = [
    birth,
    'POB somewhere',
    random.chance(0.03) ? `Digital Currency Address - ${makeAddress(random)}` : '',
  ]
  const alternates = random.chance(0.6) ? [listName(respell(person, random))] : []
  return {
    number,
    person,
    name: listName(listedWords(person)),
    alternates,
    type: 'individual',
    remarks: remarks.filter(Boolean).join('; '),
  }
}

export function makeBusinessName(random: Random): string {
  const own = [
    rareWord(random, random.pick(['', 'ex', 'a'])).own,
    ...(random.chance(0.3) ? [rareWord(random, '').own] : []),
  ]
  const trade = random
    .shuffle(names.businessWords)
    .slice(0, 1 + random.below(2))
    .map(({ own }) => own)
  return [...own, ...trade, random.pick(names.businessForms).own].join(' ')
}

function makeAddress(random: Random): string {
  const hex = () => random.below(16).toString(16)
  return random.chance(0.5)
    ? `ETH 0x${Array.from({ length: 40 }, hex).join('')}`
    : `XBT 1${Array.from({ length: 32 }, () => random.pick([...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789'])).join('')}`
}

const quoted = (text: string) => (text === '' ? '-0- ' : `"${text.replaceAll('"', '""')}"`)

/** sdn.csv and alt.csv as they are published: no heading, -0- for nothing, CRLF, and a control-Z at the end. */
export function toCsv(entries: readonly MadeEntry[]): { 'sdn.csv': string; 'alt.csv': string } {
  const sdn = entries.map(({ number, name, type, remarks }) =>
    [number, quoted(name), quoted(type), '"SDGT"', ...Array(7).fill('-0- '), quoted(remarks)].join(','),
  )
  const alt = entries.flatMap(({ number, alternates }) =>
    alternates.map((each, at) => [number, number * 10 + at, '"aka"', quoted(each), '-0- '].join(',')),
  )
  return { 'sdn.csv': `${sdn.join('\r\n')}\r\n\u001A`, 'alt.csv': `${alt.join('\r\n')}\r\n\u001A` }
}
