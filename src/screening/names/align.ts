import { type AskedName, initialWeight, isSure } from './ask.ts'
import type { Likeness, LikenessKind } from './likeness.ts'
import type { IndexedName, NameIndex } from './name-index.ts'

/** How a party's name lies on a listed one. Shares are of what the words tell, from 0 to 1. */
export type Alignment = {
  ofListed: number
  ofAsked: number
  /** The sum of what the matched words tell: 1 leaves one name of the list by chance. */
  evidence: number
  kinds: ReadonlySet<LikenessKind>
  /** Which side has words that the other lacks. */
  hasListedRest: boolean
  hasAskedRest: boolean
  hasJoin: boolean
  isReordered: boolean
  matchedWords: number
  hasFamily: boolean
  hasGiven: boolean
  /** The first family name or the first given name is there, by which somebody is called. */
  hasLead: boolean
}

type Pair = Likeness & { asked: number; listed: number; weight: number; span: number }

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
    evidence: chosen.reduce((sum, { weight, tells }) => sum + weight * tells, 0),
    kinds: new Set(chosen.map(({ kind }) => kind)),
    hasListedRest: listedMask !== (1 << name.wordCount) - 1,
    hasAskedRest: askedMask !== (1 << asked.words.length) - 1,
    hasJoin: chosen.some(({ span }) => span > 2),
    isReordered: isReordered(chosen, familyMask),
    matchedWords: countBits(listedMask),
    hasFamily: familyMask === 0 || (listedMask & familyMask) !== 0,
    hasGiven: familyMask === 0 || (listedMask & ~familyMask) !== 0,
    // The lowest bit above the family names is the first given name.
    hasLead: familyMask === 0 || (listedMask & (1 | (familyMask + 1))) !== 0,
  }
}

/** Cheap: whether so many units of a name are alike that laying it out is worth the time. */
export function isWorthAligning(index: NameIndex, asked: AskedName, name: IndexedName): boolean {
  if (index.kind === 'business' || asked.hasInitial || asked.words.length < 2 || name.wordCount < 2) return true
  let covered = 0
  for (let at = name.unitsFrom; at < name.unitsTo; at++) {
    if (asked.unitsLike.has(index.units[at] ?? 0)) covered |= index.covers[at] ?? 0
  }
  return countBits(covered) > 1
}

function choosePairs(index: NameIndex, asked: AskedName, name: IndexedName): Pair[] {
  const pairs: Pair[] = []
  for (let at = name.unitsFrom; at < name.unitsTo; at++) {
    const listed = index.covers[at] ?? 0
    for (const { unit, likeness } of asked.unitsLike.get(index.units[at] ?? 0) ?? []) {
      const { covers, sureWeight, looseWeight } = unit
      const span = countBits(covers) + countBits(listed)
      pairs.push({ asked: covers, listed, ...likeness, weight: isSure(likeness.kind) ? sureWeight : looseWeight, span })
    }
  }
  // A sure pair before a doubtful one, single words before joined ones, a telling one before a common one.
  pairs.sort((one, other) => other.share - one.share || one.span - other.span || other.weight - one.weight)
  const chosen: Pair[] = []
  let [askedMask, listedMask] = [0, 0]
  for (const pair of pairs) {
    if ((askedMask & pair.asked) !== 0 || (listedMask & pair.listed) !== 0) continue
    chosen.push(pair)
    askedMask |= pair.asked
    listedMask |= pair.listed
  }
  return index.kind === 'person' ? [...chosen, ...matchInitials(index, asked, name, askedMask, listedMask)] : chosen
}

/** What is left over on both sides: a letter alone may stand for a word that begins with it. */
function matchInitials(
  index: NameIndex,
  asked: AskedName,
  name: IndexedName,
  askedMask: number,
  listedMask: number,
): Pair[] {
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
    const initial = { kind: 'initial', share: 0.9, tells: 1, weight: initialWeight, span: 2 } as const
    pairs.push({ asked: found.covers, listed: 1 << at, ...initial })
  }
  return pairs
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
    const word = index.units[name.unitsFrom + at] ?? 0
    sum += index.rarity(index.words.textOf(word), index.entriesWith(word)) * factor
  }
  return sum
}

function askedRest({ words }: AskedName, matched: number): number {
  return words.reduce((sum, { covers, sureWeight }) => ((matched & covers) !== 0 ? sum : sum + sureWeight), 0)
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
