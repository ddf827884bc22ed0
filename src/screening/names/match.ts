import type { ScreenedName, ScreeningMatch } from '../screening.ts'
import { type Alignment, alignNames, isWorthAligning } from './align.ts'
import { type BirthEvidence, compareBirth } from './birth-date.ts'
import type { IndexedName, NameIndex } from './name-index.ts'
import { lookUpName, type QueryName } from './query.ts'
import { describeMatch } from './reasons.ts'
import { scoreAlignment } from './score.ts'
import { parseScreenedName } from './words.ts'

export type NameMatch = Omit<ScreeningMatch, 'list' | 'listVersion' | 'programs' | 'field'>

const maxMatches = 10
// With a smaller share of the screened name's weight, no listed name reaches the minimum score: see score.ts.
const minOfQuery = 0.4
// A listed name of this weight is a match among any number of other words.
const minContainedWeight = 0.85

// Some lists number their entries, others name them: CDi.006.
const inOrder = new Intl.Collator('en', { numeric: true })

/** Finds the entries that match a name, best first. */
export function findMatches(index: NameIndex, screened: Pick<ScreenedName, 'name' | 'dateOfBirth'>): NameMatch[] {
  const best = new Map<number, NameMatch>()
  for (const query of lookUpName(index, screened.name)) {
    for (const number of findCandidates(index, query)) {
      const name = index.names[number]!
      if (!isWorthAligning(index, query, name)) continue
      const birth = compareBirth(screened.dateOfBirth, index.births[name.entry] ?? [])
      const match = scoreName(index, name, alignNames(index, query, name), birth, query)
      if (match && match.score > (best.get(name.entry)?.score ?? 0)) best.set(name.entry, match)
    }
  }
  return [...best.values()]
    .sort((one, other) => other.score - one.score || inOrder.compare(one.entryNumber, other.entryNumber))
    .slice(0, maxMatches)
}

function scoreName(
  index: NameIndex,
  name: IndexedName,
  alignment: Alignment,
  birth: BirthEvidence,
  { isOtherScript, minEvidence }: QueryName,
): NameMatch | undefined {
  const { quality, wordCount } = name
  const oneWord = wordCount === 1 ? index.words.textOf(index.units[name.unitsFrom] ?? 0) : undefined
  const isCraft = index.isCraft[name.entry] ?? false
  const { kind, minShort } = index
  const isPart = minEvidence !== undefined
  if (isPart && alignment.evidence < minEvidence) return undefined
  const score = scoreAlignment(alignment, { kind, minShort, quality, birth, oneWord, isCraft, isPart })
  if (!score) return undefined
  return {
    entryNumber: index.entryNumbers[name.entry] ?? '',
    listedName: name.text,
    ...score,
    reasons: describeMatch(alignment, { quality, birth, isOtherScript, isPart }),
  }
}

/** Tells whether a name can be compared with the list as a whole: each word is read surely, and none is cut off. */
export function isReadable(name: string, kind: ScreenedName['kind']): boolean {
  return parseScreenedName(name, kind === 'INDIVIDUAL' ? 'person' : 'business').isComparable
}

/**
 * Finds the listed names that are worth aligning: those with one of the rarer words of the screened name. The commonest
 * words are skipped when their weight together cannot make a match.
 */
function findCandidates(index: NameIndex, { units, words }: QueryName): Set<number> {
  const sizeOf = (at: number) => {
    let size = 0
    for (const word of units[at]?.alike.keys() ?? []) size += index.namesWith(word).length
    return size
  }
  const sizes = words.map((_, at) => sizeOf(at))
  const maxWeights = words.map(({ alike, sureWeight, looseWeight }) =>
    alike.size > 0 ? Math.max(sureWeight, looseWeight) : 0,
  )
  const byRarity = words.map((_, at) => at).sort((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0))
  const total = words.reduce((sum, { sureWeight }) => sum + sureWeight, 0)
  const neededWeight = Math.min(minOfQuery * total, minContainedWeight)
  let rest = maxWeights.reduce((sum, weight) => sum + weight, 0)
  const followed = byRarity.filter((at) => {
    const isNeeded = rest >= neededWeight
    rest -= maxWeights[at] ?? 0
    return isNeeded
  })
  const candidates = new Set<number>()
  for (const unit of [...followed.map((at) => units[at]!), ...units.slice(words.length)])
    for (const word of unit.alike.keys()) for (const name of index.namesWith(word)) candidates.add(name)
  return candidates
}
