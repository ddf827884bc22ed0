import { compared, type Likeness, type LikenessKind } from './likeness.ts'
import type { NameIndex } from './name-index.ts'
import { pinyinKey } from './spelling/chinese.ts'
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
  const asked = words.map((unit) => askUnit(index, unit, isWadeGiles, false))
  const units = [...asked, ...joins.map((unit) => limit(askUnit(index, unit, isWadeGiles, true), asked))]
  const unitsLike = new Map<number, { unit: AskedUnit; likeness: Likeness }[]>()
  for (const unit of units) {
    for (const [word, likeness] of unit.alike) {
      const known = unitsLike.get(word)
      if (known) known.push({ unit, likeness })
      else unitsLike.set(word, [{ unit, likeness }])
    }
  }
  return {
    words: asked,
    units,
    unitsLike,
    hasInitial: words.some(({ text }) => text.length === 1),
    isOtherScript: /\p{L}/u.test(name.replaceAll(/\p{Script=Latin}/gu, '')),
  }
}

/** Two words written as one tell no more than the two. */
function limit(join: AskedUnit, words: readonly AskedUnit[]): AskedUnit {
  const covered = words.filter(({ covers }) => (covers & join.covers) !== 0)
  const most = covered.reduce((sum, { sureWeight }) => sum + sureWeight, 0)
  return { ...join, sureWeight: Math.min(join.sureWeight, most), looseWeight: Math.min(join.looseWeight, most) }
}

function askUnit(index: NameIndex, unit: Unit, isWadeGiles: boolean, isJoin: boolean): AskedUnit {
  const { text, arabic } = unit
  const found = index.words.findAlike(compared(text, isWadeGiles, arabic), isJoin)
  const own = [...found].find(([, { kind }]) => kind === 'same')?.[0]
  const isKnown = own !== undefined && index.entriesWith(own) >= knownFrom
  const alike = isKnown ? new Map([...found].flatMap((each) => doubt(text, each))) : found
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

// So short, two names that are one letter apart are two names: Hill and Hall, Mary and Mark.
const shortName = 5

/** A word that is a name of its own is less likely to be another one misspelt. */
function doubt(text: string, [word, likeness]: [number, Likeness]): [number, Likeness][] {
  const { kind, share, tells } = likeness
  if (kind !== 'letter' && kind !== 'vowels') return [[word, likeness]]
  if (text.length <= shortName || pinyinKey(text) !== undefined) return []
  return kind === 'vowels'
    ? [[word, { kind: 'letter', share: share - 0.04, tells: 0.6 }]]
    : [[word, { kind, share: share - 0.06, tells: tells / 3 }]]
}
