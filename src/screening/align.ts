import type { Likeness, LikenessKind } from './likeness.ts'
import type { IndexedName, NameIndex } from './name-index.ts'
import type { Unit } from './words.ts'

/** A party's name with what the index has for each of its units. */
export type AskedName = {
  words: readonly Unit[]
  units: readonly Unit[]
  /** By word of the list: the units that are alike, and how. */
  alike: ReadonlyMap<number, readonly { unit: number; likeness: Likeness }[]>
  /** By word of the party: how much it tells. */
  weights: readonly number[]
}

/** How a party's name lies on a listed one. Shares are of what the words tell, from 0 to 1. */
export type Alignment = {
  ofListed: number
  ofAsked: number
  /** The sum of what the matched words tell: 1 leaves one name of the list by chance. */
  evidence: number
  kinds: ReadonlySet<LikenessKind>
  isWhole: boolean
  hasJoin: boolean
  isReordered: boolean
  matchedWords: number
  hasFamily: boolean
  hasGiven: boolean
}

type Pair = { asked: number; listed: number; kind: LikenessKind; share: number; weight: number; span: number }

// An initial leaves one name of many: it tells little, and costs little where it is missing.
export const initialWeight = 0.1
// The listed middle and second family names are what people leave out first.
const leftOut = { given: 0.5, family: 0.7 }

/** Lays the units of a party's name on those of a listed name, the surest pairs first. */
export function alignNames(index: NameIndex, asked: AskedName, name: IndexedName): Alignment {
  const chosen = choosePairs(index, asked, name)
  const askedMask = chosen.reduce((mask, pair) => mask | pair.asked, 0)
  const listedMask = chosen.reduce((mask, pair) => mask | pair.listed, 0)
  const matched = chosen.reduce((sum, { weight, share }) => sum + weight * share, 0)
  const whole = chosen.reduce((sum, { weight }) => sum + weight, 0)
  const { familyMask } = name
  return {
    ofListed: matched / (whole + listedRest(index, name, listedMask)),
    ofAsked: matched / (whole + askedRest(asked, askedMask)),
    evidence: chosen.reduce((sum, { weight, share, kind }) => sum + weight * (isSure(kind) ? 1 : share), 0),
    kinds: new Set(chosen.map(({ kind }) => kind)),
    isWhole: listedMask === (1 << name.wordCount) - 1 && askedMask === (1 << asked.words.length) - 1,
    hasJoin: chosen.some(({ span }) => span > 2),
    isReordered: isReordered(chosen, familyMask),
    matchedWords: countBits(listedMask),
    hasFamily: familyMask === 0 || (listedMask & familyMask) !== 0,
    hasGiven: familyMask === 0 || (listedMask & ~familyMask) !== 0,
  }
}

function choosePairs(index: NameIndex, asked: AskedName, name: IndexedName): Pair[] {
  const pairs: Pair[] = []
  for (let at = name.unitsFrom; at < name.unitsTo; at++) {
    const word = index.units[at] ?? 0
    const listed = index.covers[at] ?? 0
    for (const { unit, likeness } of asked.alike.get(word) ?? []) {
      const covers = asked.units[unit]?.covers ?? 0
      const span = countBits(covers) + countBits(listed)
      pairs.push({ asked: covers, listed, ...likeness, weight: weightOver(index, name, listed), span })
    }
  }
  // A pair of single words before one of joins, a sure one before a doubtful one, a telling one before a common one.
  pairs.sort((one, other) => other.share - one.share || one.span - other.span || other.weight - one.weight)
  const chosen: Pair[] = []
  let [askedMask, listedMask] = [0, 0]
  for (const pair of pairs) {
    if ((askedMask & pair.asked) !== 0 || (listedMask & pair.listed) !== 0) continue
    chosen.push(pair)
    askedMask |= pair.asked
    listedMask |= pair.listed
  }
  return [...chosen, ...matchInitials(index, asked, name, askedMask, listedMask)]
}

/** Another spelling of a word tells as much as the word; a word that is a letter off may be another one. */
function isSure(kind: LikenessKind): boolean {
  return kind === 'same' || kind === 'spelling' || kind === 'script'
}

/** What is left over on both sides: a letter alone may stand for a word that begins with it. */
function matchInitials(
  index: NameIndex,
  asked: AskedName,
  name: IndexedName,
  askedMask: number,
  listedMask: number,
): Pair[] {
  if (index.kind !== 'person') return []
  const pairs: Pair[] = []
  let taken = askedMask
  for (let at = 0; at < name.wordCount; at++) {
    if ((listedMask & (1 << at)) !== 0) continue
    const listed = index.words.textOf(index.units[name.unitsFrom + at] ?? 0)
    const found = asked.words.find(
      ({ text, covers }) =>
        (taken & covers) === 0 && (text.length === 1 || listed.length === 1) && text[0] === listed[0],
    )
    if (!found) continue
    taken |= found.covers
    pairs.push({ asked: found.covers, listed: 1 << at, kind: 'initial', share: 0.9, weight: initialWeight, span: 2 })
  }
  return pairs
}

function weightOver(index: NameIndex, name: IndexedName, covers: number): number {
  let sum = 0
  for (let at = 0; at < name.wordCount; at++) {
    if ((covers & (1 << at)) !== 0) sum += index.weightOf(index.units[name.unitsFrom + at] ?? 0)
  }
  return sum
}

/** What the unmatched words of the listed name tell. */
function listedRest(index: NameIndex, name: IndexedName, matched: number): number {
  let sum = 0
  for (let at = 0; at < name.wordCount; at++) {
    const bit = 1 << at
    if ((matched & bit) !== 0) continue
    const part = (name.familyMask & bit) !== 0 ? name.familyMask : ~name.familyMask
    // A word that can be left out, because another one of its part is there.
    const isSpare = name.familyMask !== 0 && (matched & part) !== 0
    const factor = isSpare ? leftOut[part === name.familyMask ? 'family' : 'given'] : 1
    sum += index.weightOf(index.units[name.unitsFrom + at] ?? 0) * factor
  }
  return sum
}

function askedRest(asked: AskedName, matched: number): number {
  return asked.words.reduce(
    (sum, { covers }, at) => ((matched & covers) !== 0 ? sum : sum + (asked.weights[at] ?? 1)),
    0,
  )
}

/** The family name first or last is both usual; anything else is another order. */
function isReordered(chosen: readonly Pair[], familyMask: number): boolean {
  const inOrder = (key: (pair: Pair) => number) => {
    const places = chosen.toSorted((one, other) => one.asked - other.asked).map(key)
    return places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0))
  }
  const givenFirst = ({ listed }: Pair) => ((listed & familyMask) !== 0 ? listed * 65_536 : listed)
  return !inOrder(({ listed }) => listed) && !inOrder(givenFirst)
}

function countBits(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}
