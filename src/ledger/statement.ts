import type { StatementEntry } from './posting.ts'

export type StatementLine = StatementEntry & {
  /** Where to go on after this line: of each asset, the last sequence that was shown. */
  place: string
}

/**
 * A wallet has one account per asset, each with a gapless sequence of its own. A statement shows them as one list: at
 * each step the newest of the next lines, and never a line of an asset before one with a higher sequence.
 */
export function mergeStatement(
  entries: readonly StatementEntry[],
  shown: ReadonlyMap<string, string>,
): StatementLine[] {
  const next = new Map<string, StatementEntry[]>()
  for (const entry of entries) next.set(entry.asset, [...(next.get(entry.asset) ?? []), entry])
  const reached = new Map(shown)
  return entries.map(() => {
    const [line] = [...next.values()].flatMap((left) => left.slice(0, 1)).sort(newestFirst) as [StatementEntry]
    next.get(line.asset)?.shift()
    reached.set(line.asset, String(line.sequence))
    return { ...line, place: writePlace(reached) }
  })
}

function newestFirst(a: StatementEntry, b: StatementEntry): number {
  const later = b.createdAt.getTime() - a.createdAt.getTime()
  if (later !== 0) return later
  return a.postingId < b.postingId ? 1 : -1
}

function writePlace(reached: ReadonlyMap<string, string>): string {
  return [...reached].map((each) => each.join('=')).join(' ')
}

export function readPlace(place: string | undefined): Map<string, string> {
  const parts = (place ?? '').split(' ').filter(Boolean)
  return new Map(parts.map((part) => part.split('=') as [string, string]))
}
