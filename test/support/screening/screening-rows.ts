import type { ScreenedName } from '../../../src/screening/screening.ts'
import type { Random } from './generated-list.ts'
import { foreignForms, respellSound } from './organizations.ts'
import { type ListedOrganization, type ListedPerson, listed } from './published-list.ts'
import type { Word } from './regions/pool.ts'

/** A way in which a listed person may be written; undefined where it does not apply. */
export type PersonRow = (person: ListedPerson, random: Random) => Omit<ScreenedName, 'kind'> | undefined
export type OrganizationRow = (organization: ListedOrganization, random: Random) => string | undefined

const spellOther = (random: Random) => (word: Word) => random.pick(word.latin.slice(1)) ?? listed(word)
const full = ({ person: { given, middle, family } }: ListedPerson, spell = listed) =>
  [...given, ...middle, ...family].map(spell).join(' ')
/** The first given name and the first family name, without patronymic, second surname or further given names. */
export const firstAndLast = ({ given, family }: Pick<ListedPerson['person'], 'given' | 'family'>, spell = listed) =>
  `${spell(given[0]!)} ${spell(family[0]!)}`

const isLong = ({ person: { middle, family } }: ListedPerson) => middle.length > 0 || family.length > 1

const shiftDay = (birth: string, days: number) =>
  new Date(Date.parse(`${birth}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
const shiftYear = (birth: string, years: number) => `${Number(birth.slice(0, 4)) + years}${birth.slice(4)}`

function ownScript({ region, person: { given, middle, family } }: ListedPerson, isShort: boolean): string | undefined {
  const parts = [given, isShort ? [] : middle, isShort ? family.slice(0, 1) : family]
  const [first = [], second = [], last = []] = parts.map((words) => words.map(({ own }) => own))
  const words = region.isFamilyFirst ? [...last, ...first, ...second] : [...first, ...second, ...last]
  return words.every((word) => word !== undefined) ? words.join(region.gap ?? ' ') : undefined
}

const fillers =
  'Payment Services Consulting Account Invoice Transfer Customer Reference Settlement Budget Office Personal'.split(' ')
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'а',
  e: 'е',
  o: 'о',
  p: 'р',
  c: 'с',
  x: 'х',
  y: 'у',
  i: 'і',
  A: 'Α',
  B: 'В',
  K: 'К',
  M: 'М',
  T: 'Т',
  O: 'О',
}

/** Replaces one or two letters by letters of other scripts that look the same. */
function lookAlike(random: Random, name: string): string {
  const places = random.shuffle([...name].flatMap((letter, at) => (lookAlikes[letter] ? [at] : []))).slice(0, 2)
  return [...name].map((letter, at) => (places.includes(at) ? lookAlikes[letter]! : letter)).join('')
}

/** Inserts, drops, exchanges or swaps one letter. */
export function slip(random: Random, name: string): string {
  for (;;) {
    const at = random.below(name.length)
    const [letter = '', next = ''] = [name[at], name[at + 1]]
    if (!/\p{L}/u.test(letter)) continue
    const [before, after] = [name.slice(0, at), name.slice(at + 1)]
    const other = random.pick([...'abcdefghijklmnopqrstuvwxyz'])
    const slipped = random.pick([
      before + other + letter + after,
      before + after,
      before + other + after,
      /\p{L}/u.test(next) ? before + next + letter + after.slice(1) : before + other + after,
    ])
    if (slipped.toLowerCase() !== name.toLowerCase()) return slipped
  }
}

function breakWord(random: Random, name: string): string | undefined {
  const words = name.split(' ')
  const long = words.filter((word) => word.length >= 6 && /^[A-Za-z]+$/.test(word))
  if (long.length === 0) return undefined
  const word = random.pick(long)
  const at = 2 + random.below(word.length - 3)
  return words.map((each) => (each === word ? `${word.slice(0, at)} ${word.slice(at)}` : each)).join(' ')
}

const withBirth = (entry: ListedPerson, shift: (birth: string) => string): Omit<ScreenedName, 'kind'> | undefined =>
  isLong(entry) && entry.entry.births.length > 0
    ? { name: firstAndLast(entry.person), dateOfBirth: shift(entry.person.birth) }
    : undefined
const named = (name: string | undefined) => (name === undefined ? undefined : { name })

/** Rows that are printed for each region. */
export const regionRows: Readonly<Record<string, PersonRow>> = {
  'first + last of a longer name, no birth date': (entry) =>
    isLong(entry) ? { name: firstAndLast(entry.person) } : undefined,
  'first + last, birth date': (entry) => withBirth(entry, (birth) => birth),
  'first + last, birth date off by a day': (entry, random) =>
    withBirth(entry, (birth) => shiftDay(birth, random.chance(0.5) ? 1 : -1)),
  'first + last, birth date off by a year': (entry, random) =>
    withBirth(entry, (birth) => shiftYear(birth, random.chance(0.5) ? 1 : -1)),
  'full name': (entry) => ({ name: full(entry) }),
  'full name in another spelling': (entry, random) => named(full(entry, spellOther(random))),
  'original script, full name': (entry) => named(ownScript(entry, false)),
  'original script, first + last': (entry) => (isLong(entry) ? named(ownScript(entry, true)) : undefined),
}

export const personRows: Readonly<Record<string, PersonRow>> = {
  'second surname dropped': (entry) =>
    entry.person.family.length > 1 ? { name: firstAndLast(entry.person) } : undefined,
  'patronymic or further names dropped': (entry) =>
    entry.person.middle.length > 0 && entry.person.family.length === 1
      ? { name: firstAndLast(entry.person) }
      : undefined,
  'first + last in another spelling': (entry, random) =>
    isLong(entry) ? { name: firstAndLast(entry.person, spellOther(random)) } : undefined,
  'full name after 16 times Mr': (entry) => ({ name: `${'Mr '.repeat(16)}${full(entry)}` }),
  'full name with six filler words': (entry, random) => ({
    name: [full(entry), ...random.shuffle(fillers).slice(0, 6)].join(' '),
  }),
  'full name among six filler words': (entry, random) => {
    const words = random.shuffle(fillers)
    return { name: [...words.slice(0, 3), full(entry), ...words.slice(3, 6)].join(' ') }
  },
  'first + last with three filler words': (entry, random) =>
    isLong(entry)
      ? { name: [firstAndLast(entry.person), ...random.shuffle(fillers).slice(0, 3)].join(' ') }
      : undefined,
  'first + last with -Smith': (entry) => (isLong(entry) ? { name: `${firstAndLast(entry.person)}-Smith` } : undefined),
  'first + last and Anna Smith': (entry) =>
    isLong(entry) ? { name: `${firstAndLast(entry.person)} and Anna Smith` } : undefined,
  'first + last as one word': (entry) =>
    isLong(entry) ? { name: firstAndLast(entry.person).replaceAll(/[ '-]/g, '') } : undefined,
  'first + last as one word in capitals': (entry) =>
    isLong(entry) ? { name: firstAndLast(entry.person).replaceAll(/[ '-]/g, '').toUpperCase() } : undefined,
  'family name first': (entry) => ({
    name: [...entry.person.family, ...entry.person.given, ...entry.person.middle].map(listed).join(' '),
  }),
  'family name first, short': (entry) =>
    isLong(entry) ? { name: firstAndLast(entry.person).split(' ').toReversed().join(' ') } : undefined,
  'zero-width characters': (entry) => ({ name: [...full(entry)].join('\u200b') }),
  'look-alike letters': (entry, random) => ({ name: lookAlike(random, full(entry)) }),
  'a word split in two': (entry, random) => named(breakWord(random, full(entry))),
  'one letter off': (entry, random) => ({ name: slip(random, full(entry)) }),
}

export const organizationRows: Readonly<Record<string, OrganizationRow>> = {
  'as listed': ({ organization: { name } }) => name,
  'without a legal form': ({ organization: { core } }) => core,
  'another legal form': ({ organization: { core } }, random) => `${core} ${random.pick(foreignForms)}`,
  'one word, another spelling of its sound': ({ organization: { core, isOneWord } }, random) =>
    isOneWord && core.length > 4 ? respellSound(random, core) : undefined,
  'one letter off': ({ organization: { core } }, random) => (core.length > 4 ? slip(random, core) : undefined),
  'one letter off in one word': ({ organization: { core, isOneWord } }, random) =>
    isOneWord && core.length > 4 ? slip(random, core) : undefined,
  'with Group or Holding': ({ organization: { core } }, random) =>
    `${core} ${random.pick(['Group', 'Holding', 'Holdings'])}`,
  'with six filler words': ({ organization: { core } }, random) =>
    core.length > 4 ? [core, ...random.shuffle(fillers).slice(0, 6)].join(' ') : undefined,
  'one word written as one with a trade': ({ organization: { core, isOneWord, isVessel } }, random) =>
    isOneWord && !isVessel && core.length > 4 ? core + random.pick(['Trading', 'group', 'bank', 'Holding']) : undefined,
  'look-alike letters': ({ organization: { core } }, random) => lookAlike(random, core),
}
