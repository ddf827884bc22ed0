import { compared, type Likeness, type LikenessKind } from './likeness.ts'
import type { NameIndex } from './name-index.ts'
import { readName, type Unit } from './words.ts'

/** A unit of a party's name with what the list knows of it. */
export type AskedUnit = Unit & {
  /** The words of the list that are alike. */
  alike: ReadonlyMap<number, Likeness>
  /** What the word tells where it is found in a sure form, and where a doubtful one is let pass too. */
  sureWeight: number
  looseWeight: number
}

export type AskedName = {
  words: readonly AskedUnit[]
  /** The words, then the joins of neighbours. */
  units: readonly AskedUnit[]
  /** By word of the list: which units are alike, and how. */
  unitsLike: ReadonlyMap<number, readonly { unit: AskedUnit; likeness: Likeness }[]>
  hasInitial: boolean
  isOtherScript: boolean
}

// An initial leaves one name of many: it tells little, and costs little where it is missing.
export const initialWeight = 0.1
// A word that the list does not have at all: most names are rare, so it is taken for a fairly rare one.
const unknownWeight = 0.7
// Two entries have the word: it is a name, and then hardly a slip of the pen in another one.
const knownFrom = 2

/** Another spelling of a word tells as much as the word; a word that is a letter off may be another one. */
export function isSure(kind: LikenessKind): boolean {
  return kind === 'same' || kind === 'spelling' || kind === 'script' || kind === 'vowels'
}

/** Looks up everything that a name is made of. */
export function askIndex(index: NameIndex, name: string): AskedName {
  const { words, joins, isWadeGiles } = readName(name, index.kind)
  const units = [...words, ...joins].map((unit, at) => askUnit(index, unit, isWadeGiles, at >= words.length))
  const unitsLike = new Map<number, { unit: AskedUnit; likeness: Likeness }[]>()
  for (const unit of units) {
    for (const [word, likeness] of unit.alike) {
      const known = unitsLike.get(word)
      if (known) known.push({ unit, likeness })
      else unitsLike.set(word, [{ unit, likeness }])
    }
  }
  return {
    words: units.slice(0, words.length),
    units,
    unitsLike,
    hasInitial: words.some(({ text }) => text.length === 1),
    isOtherScript: /\p{L}/u.test(name.replaceAll(/\p{Script=Latin}/gu, '')),
  }
}

function askUnit(index: NameIndex, unit: Unit, isWadeGiles: boolean, isJoin: boolean): AskedUnit {
  const { text, arabic } = unit
  const found = index.words.findAlike(compared(text, isWadeGiles, arabic), isJoin)
  const own = [...found].find(([, { kind }]) => kind === 'same')?.[0]
  const isKnown = own !== undefined && index.entriesWith(own) >= knownFrom
  const alike = isKnown ? new Map([...found].map(([word, likeness]) => [word, doubt(likeness)])) : found
  let [sure, loose] = [0, 0]
  for (const [word, { kind }] of alike) {
    loose += index.entriesWith(word)
    if (isSure(kind)) sure += index.entriesWith(word)
  }
  const weigh = (entries: number) => {
    if (text.length === 1) return initialWeight
    return entries === 0 ? Math.min(unknownWeight, index.rarity(text, 1)) : index.rarity(text, entries)
  }
  return { ...unit, alike, sureWeight: weigh(sure), looseWeight: weigh(loose) }
}

/** A word that is a name of its own is less likely to be another one misspelt. */
function doubt(likeness: Likeness): Likeness {
  const { kind, share, tells } = likeness
  if (kind === 'vowels') return { kind: 'letter', share: share - 0.04, tells: 0.6 }
  return kind === 'letter' ? { kind, share: share - 0.06, tells: tells / 3 } : likeness
}
