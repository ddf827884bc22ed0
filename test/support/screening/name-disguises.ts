import { listedWords, type MadeEntry, type MadePerson, makePerson, type Random, respell } from './generated-list.ts'

/** How an applicant might write the name of a listed person; undefined where the way does not apply. */
export type Disguise = (entry: MadeEntry & { person: MadePerson }, random: Random) => string | undefined

const natural = ({ given, family }: { given: string[]; family: string[] }) => [...given, ...family].join(' ')
const own = ({ given, family }: MadePerson) => [...given, ...family].map((word) => word.own)

/** "LAST, First Middle" as its owner would say it. */
function turnRound(listed: string): string {
  const [family = '', given = ''] = listed.split(', ')
  return `${given} ${family}`
}

export const disguises: Record<string, Disguise> = {
  'as listed': ({ person }) => natural(listedWords(person)),
  'an alternate name': ({ alternates: [first] }) => first && turnRound(first),
  'in another order': ({ person }, random) => {
    const words = natural(listedWords(person)).split(' ')
    return words.length > 2 ? random.shuffle(words).join(' ') : words.toReversed().join(' ')
  },
  'in Cyrillic': ({ person }) => (person.culture === 'russian' ? own(person).join(' ') : undefined),
  'Cyrillic in other Latin letters': ({ person }, random) =>
    person.culture === 'russian' ? natural(respell(person, random)) : undefined,
  'in Arabic script': ({ person }) =>
    person.culture === 'arabic' && own(person).every((word) => /\p{Script=Arabic}/u.test(word))
      ? own(person).join(' ')
      : undefined,
  'Arabic in other Latin letters': ({ person }, random) =>
    person.culture === 'arabic' ? natural(respell(person, random)) : undefined,
  'in Chinese characters': ({ person: { culture, given, family } }) =>
    culture === 'chinese' ? [...family, ...given].map((word) => word.own).join('') : undefined,
  'Chinese in Wade-Giles': ({ person }, random) => {
    if (person.culture !== 'chinese') return undefined
    const { given, family } = respell(person, random)
    const written = random.chance(0.5) ? `${family} ${given}` : `${given} ${family}`
    // Most people leave the apostrophes out; a name of two words and no hyphen may then be pinyin as well.
    return random.chance(0.5) && given[0]!.includes('-') ? written.replaceAll("'", '') : written
  },
  'Chinese syllables apart': ({ person: { culture, given, family } }) =>
    culture === 'chinese' ? [...family, ...given].map((word) => word.latin[0]).join(' ') : undefined,
  'with hyphens': ({ person }, random) => {
    const { given, family } = listedWords(person)
    if (given.length + family.length < 3) return undefined
    return random.chance(0.5) && given.length > 1
      ? `${given.join('-')} ${family.join('-')}`
      : `${given.join(' ')} ${family.join('-')}`
  },
  'one letter off': ({ person }, random) => slip(natural(listedWords(person)), random),
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz'

/** Any letter of the name put in, left out or exchanged, or swapped with its neighbour. */
function slip(name: string, random: Random): string {
  for (;;) {
    const at = random.below(name.length)
    const [letter = '', next = ''] = [name[at], name[at + 1]]
    if (!/\p{L}/u.test(letter)) continue
    const [before, after] = [name.slice(0, at), name.slice(at + 1)]
    const other = random.pick([...alphabet])
    const slips = [
      before + other + letter + after,
      before + after,
      before + other + after,
      /\p{L}/u.test(next) ? before + next + letter + after.slice(1) : before + other + after,
    ]
    const slipped = random.pick(slips)
    if (slipped.toLowerCase() !== name.toLowerCase()) return slipped
  }
}

const keyOf = ({ given, family }: MadePerson) =>
  [...given, ...family]
    .map((word) => word.own)
    .toSorted()
    .join(' ')

const lettersOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .split(' ')
    .toSorted()
    .join(' ')

/** The first given name and the first family name. */
const shortOf = (person: MadePerson) => {
  const { given, family } = listedWords(person)
  return lettersOf(`${given[0]} ${family[0]}`)
}

/**
 * People of the same cultures, from the same pools of names, none of whom has the name of a listed person, in full or as
 * first and last name.
 */
export function makeInnocents(random: Random, entries: readonly MadeEntry[], count: number): MadePerson[] {
  const listed = new Set(
    entries.flatMap(({ person, name, alternates }) =>
      person ? [keyOf(person), shortOf(person), ...[name, ...alternates].map(lettersOf)] : [],
    ),
  )
  const innocents: MadePerson[] = []
  while (innocents.length < count) {
    const person = makePerson(random)
    const isListed = listed.has(keyOf(person)) || listed.has(lettersOf(natural(listedWords(person))))
    if (!isListed) innocents.push(person)
  }
  return innocents
}
