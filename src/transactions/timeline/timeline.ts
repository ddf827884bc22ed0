export type TimelineEntry = { at: string; kind: string; details: Record<string, unknown> }

/** What an entry is ordered by among those of the same moment. */
export type Written = { id: string } | { before: Date } | { after: Date } | 'last'

/**
 * One order for everything. Business time first, which is what is shown: it never goes back, so nothing that happened
 * later in truth comes earlier. Whatever a database transaction does, and everything while the sandbox's clock stands
 * still, is one moment of it: there the time at which each entry was written decides, as its id or a column has it.
 */
export function inOrder(entries: readonly (TimelineEntry & { written: Written })[]): TimelineEntry[] {
  return entries
    .map(({ written, ...entry }) => ({ entry, place: [entry.at, placeOf(written)] as const }))
    .sort((a, b) => compare(a.place[0], b.place[0]) || compare(a.place[1], b.place[1]))
    .map(({ entry }) => entry)
}

/** Hexadecimal milliseconds, as a UUIDv7 begins. An answer of a bank comes before what it led to, a status after. */
function placeOf(written: Written): string {
  if (written === 'last') return 'z'
  if ('id' in written) return written.id.replaceAll('-', '')
  if ('before' in written) return millisecondsOf(written.before)
  return `${millisecondsOf(written.after)}z`
}

function millisecondsOf(moment: Date): string {
  return moment.getTime().toString(16).padStart(12, '0')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
