import { type Alignment, type AskedName, alignNames, initialWeight } from './align.ts'
import { type BirthEvidence, compareBirth } from './birth-date.ts'
import { compared, type Likeness } from './likeness.ts'
import type { IndexedName, NameIndex } from './name-index.ts'
import { describeMatch } from './reasons.ts'
import { judge } from './score.ts'
import type { Party, ScreeningHit } from './screening.ts'
import { readName } from './words.ts'

export type NameHit = Omit<ScreeningHit, 'listVersion' | 'field'>

const mostHits = 10
// Below this share of what the party's own words tell, no listed name can reach the score: see score.ts.
const leastOfAsked = 0.4
const unknownWeight = 0.7

/** The entries that a party resembles, best first. */
export function findMatches(index: NameIndex, party: Pick<Party, 'name' | 'dateOfBirth'>): NameHit[] {
  const { asked, isOtherScript } = askIndex(index, party.name)
  const best = new Map<number, NameHit>()
  for (const number of findCandidates(index, asked)) {
    const name = index.names[number]!
    const alignment = alignNames(index, asked, name)
    const birth = compareBirth(party.dateOfBirth, index.births[name.entry] ?? [])
    const hit = judgeName(index, name, alignment, birth, isOtherScript)
    if (hit && hit.score > (best.get(name.entry)?.score ?? 0)) best.set(name.entry, hit)
  }
  return [...best.values()]
    .sort((one, other) => other.score - one.score || Number(one.entryNumber) - Number(other.entryNumber))
    .slice(0, mostHits)
}

function judgeName(
  index: NameIndex,
  name: IndexedName,
  alignment: Alignment,
  birth: BirthEvidence,
  isOtherScript: boolean,
): NameHit | undefined {
  const { quality, wordCount } = name
  const oneWord = wordCount === 1 ? index.words.textOf(index.units[name.unitsFrom] ?? 0) : undefined
  const judgement = judge(alignment, { kind: index.kind, quality, birth, oneWord })
  if (!judgement) return undefined
  return {
    entryNumber: index.entryNumbers[name.entry] ?? '',
    listedName: name.text,
    ...judgement,
    reasons: describeMatch(alignment, { quality, birth, isOtherScript }),
  }
}

/** Whether every word of a name is in a script that can be held against the list. */
export function isReadable(name: string, kind: Party['kind']): boolean {
  return !readName(name, kind === 'INDIVIDUAL' ? 'person' : 'business').hasUnreadable
}

function askIndex(index: NameIndex, name: string): { asked: AskedName; isOtherScript: boolean } {
  const { words, joins, isWadeGiles } = readName(name, index.kind)
  const units = [...words, ...joins]
  const alike = new Map<number, { unit: number; likeness: Likeness }[]>()
  const found = units.map(({ text, arabic }) => index.words.findAlike(compared(text, isWadeGiles, arabic)))
  for (const [unit, words] of found.entries()) {
    for (const [word, likeness] of words) {
      const known = alike.get(word)
      if (known) known.push({ unit, likeness })
      else alike.set(word, [{ unit, likeness }])
    }
  }
  const weights = words.map(({ text }, at) => (text.length === 1 ? initialWeight : weightOfAsked(index, found[at])))
  const isOtherScript = /\p{L}/u.test(name.replaceAll(/\p{Script=Latin}/gu, ''))
  return { asked: { words, units, alike, weights }, isOtherScript }
}

/** A word that the list has tells as much as there; one that it does not have is taken for a fairly rare one. */
function weightOfAsked(index: NameIndex, alike: ReadonlyMap<number, Likeness> | undefined): number {
  const weights = [...(alike ?? [])]
    .filter(([, { kind }]) => kind !== 'letter' && kind !== 'nickname')
    .map(([word]) => index.weightOf(word))
  return weights.length > 0 ? Math.min(...weights) : unknownWeight
}

/**
 * The listed names that are worth a comparison: those with one of the party's rarer words. The commonest words are not
 * followed where what they tell together could not make a hit.
 */
function findCandidates(index: NameIndex, { units, words, alike, weights }: AskedName): Set<number> {
  const listed = units.map(() => [] as number[])
  for (const [word, pairs] of alike) for (const { unit } of pairs) listed[unit]?.push(word)
  const sizes = listed.map((all) => all.reduce((sum, word) => sum + index.namesWith(word).length, 0))
  const most = listed.map((all) => all.reduce((sum, word) => Math.max(sum, index.weightOf(word)), 0))
  const byRarity = words.map((_, at) => at).sort((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0))
  const needed = leastOfAsked * weights.reduce((sum, weight) => sum + weight, 0)
  let rest = byRarity.reduce((sum, at) => sum + (most[at] ?? 0), 0)
  const followed = byRarity.filter((at) => {
    const isNeeded = rest >= needed
    rest -= most[at] ?? 0
    return isNeeded
  })
  const joins = units.map((_, at) => at).slice(words.length)
  const candidates = new Set<number>()
  for (const unit of [...followed, ...joins])
    for (const word of listed[unit] ?? []) for (const name of index.namesWith(word)) candidates.add(name)
  return candidates
}
