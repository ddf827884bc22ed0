import type { StatementEntry } from './posting.ts'

export type StatementLine = StatementEntry & {
  /** The position after this line: the last sequence shown of each asset. */
  cursor: string
}

/**
 * Merges the accounts of a wallet, one per asset with its own gapless sequence, into one statement. Each step takes the
 * newest of the next lines, so an asset's lines stay in the order of their sequence.
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
    return { ...line, cursor: writeCursor(reached) }
  })
}

function newestFirst(a: StatementEntry, b: StatementEntry): number {
  const later = b.createdAt.getTime() - a.createdAt.getTime()
  if (later !== 0) return later
  return a.postingId < b.postingId ? 1 : -1
}

function writeCursor(reached: ReadonlyMap<string, string>): string {
  return [...reached].map((each) => each.join('=')).join(' ')
}

export function readCursor(cursor: string | undefined): Map<string, string> {
  const parts = (cursor ?? '').split(' ').filter(Boolean)
  return new Map(parts.map((part) => part.split('=') as [string, string]))
}
