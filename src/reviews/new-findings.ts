import type { Finding } from '../verification/submission.ts'

/**
 * Returns the matches that no reviewer has seen yet. Most entries of a new list version are unchanged: a reviewer
 * judges an entry again only if it matches by another name or more strongly.
 */
export function selectNewFindings(found: readonly Finding[], seen: readonly Finding[]): Finding[] {
  const known = new Set(seen.map(identify))
  return found.filter((finding) => !known.has(identify(finding)))
}

/** Leaves out score and list version: both change with unrelated entries. */
function identify({ code, field, watchList }: Finding): string {
  return JSON.stringify([code, field, watchList?.list, watchList?.entryNumber, watchList?.listedName])
}
