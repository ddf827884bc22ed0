import type { ScreenedName, ScreeningMatch } from '../screening.ts'
import { type Alignment, alignNames, isWorthAligning } from './align.ts'
import { type AskedName, askIndex } from './ask.ts'
import { type BirthEvidence, compareBirth } from './birth-date.ts'
import type { IndexedName, NameIndex } from './name-index.ts'
import { describeMatch } from './reasons.ts'
import { judge } from './score.ts'
import { readName } from './words.ts'

export type NameMatch = Omit<ScreeningMatch, 'listVersion' | 'field'>

const mostMatches = 10
// With a smaller share of what the party's own words tell, no listed name can reach the score: see score.ts.
const leastOfAsked = 0.4

/** The entries that a party resembles, best first. */
export function findMatches(index: NameIndex, party: Pick<ScreenedName, 'name' | 'dateOfBirth'>): NameMatch[] {
  const asked = askIndex(index, party.name)
  const best = new Map<number, NameMatch>()
  for (const number of findCandidates(index, asked)) {
    const name = index.names[number]!
    if (!isWorthAligning(index, asked, name)) continue
    const birth = compareBirth(party.dateOfBirth, index.births[name.entry] ?? [])
    const hit = judgeName(index, name, alignNames(index, asked, name), birth, asked.isOtherScript)
    if (hit && hit.score > (best.get(name.entry)?.score ?? 0)) best.set(name.entry, hit)
  }
  return [...best.values()]
    .sort((one, other) => other.score - one.score || Number(one.entryNumber) - Number(other.entryNumber))
    .slice(0, mostMatches)
}

function judgeName(
  index: NameIndex,
  name: IndexedName,
  alignment: Alignment,
  birth: BirthEvidence,
  isOtherScript: boolean,
): NameMatch | undefined {
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
export function isReadable(name: string, kind: ScreenedName['kind']): boolean {
  return !readName(name, kind === 'INDIVIDUAL' ? 'person' : 'business').hasUnreadable
}

/**
 * The listed names that are worth a comparison: those with one of the party's rarer words. The commonest words are not
 * followed where all that they tell together could not make a hit.
 */
function findCandidates(index: NameIndex, { units, words }: AskedName): Set<number> {
  const sizeOf = (at: number) => {
    let size = 0
    for (const word of units[at]?.alike.keys() ?? []) size += index.namesWith(word).length
    return size
  }
  const sizes = words.map((_, at) => sizeOf(at))
  const most = words.map(({ alike, sureWeight, looseWeight }) =>
    alike.size > 0 ? Math.max(sureWeight, looseWeight) : 0,
  )
  const byRarity = words.map((_, at) => at).sort((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0))
  const needed = leastOfAsked * words.reduce((sum, { sureWeight }) => sum + sureWeight, 0)
  let rest = most.reduce((sum, weight) => sum + weight, 0)
  const followed = byRarity.filter((at) => {
    const isNeeded = rest >= needed
    rest -= most[at] ?? 0
    return isNeeded
  })
  const candidates = new Set<number>()
  for (const unit of [...followed.map((at) => units[at]!), ...units.slice(words.length)])
    for (const word of unit.alike.keys()) for (const name of index.namesWith(word)) candidates.add(name)
  return candidates
}
