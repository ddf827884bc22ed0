/** The price of a first attempt when no recent transaction paid for priority, and the highest price of all. */
export type PriorityBounds = { least: bigint; cap: bigint }

/**
 * Chooses what an attempt pays for priority, in millionths of a lamport per unit: what three quarters of recent
 * transactions did not exceed, and twice as much with each further attempt, within the cap.
 */
export function choosePriority(recent: readonly bigint[], attempt: number, { least, cap }: PriorityBounds): bigint {
  const sorted = recent.toSorted((a, b) => (a < b ? -1 : 1))
  const usual = sorted[Math.floor((sorted.length * 3) / 4)] ?? 0n
  const wanted = (usual > least ? usual : least) * 2n ** BigInt(Math.min(attempt - 1, 20))
  return wanted < cap ? wanted : cap
}
