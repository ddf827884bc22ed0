import type { Finding } from '../verification/submission.ts'

/**
 * The hits that no person has seen yet. A new version of a list brings most of its entries unchanged: what was judged
 * once about the same data of the customer is not asked again, unless the entry matches by another name or better.
 */
export function newFindings(found: readonly Finding[], seen: readonly Finding[]): Finding[] {
  const known = new Set(seen.map(identify))
  return found.filter((finding) => !known.has(identify(finding)))
}

/** Not by score or version of the list: both move with entries that have nothing to do with this one. */
function identify({ code, field, watchList }: Finding): string {
  return JSON.stringify([code, field, watchList?.entryNumber, watchList?.listedName])
}
