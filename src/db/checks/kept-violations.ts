import { mostViolationsShown } from '../verify.ts'
import type { KeptViolation } from './store.ts'
import type { Violation } from './violation.ts'

/** With more organizations and assets than this, one violation of each is kept. */
const manyGroups = 50

/** Adds violations to the known ones: each once, and some of each organization and asset, so that none hides another. */
export function keep(known: readonly KeptViolation[], found: readonly Violation[], foundAt: Date): KeptViolation[] {
  const kept = new Map(known.map((each) => [each.violation, each]))
  for (const each of found) kept.set(each.violation, { ...each, foundAt: foundAt.toISOString() })
  const groups = Map.groupBy(kept.values(), ({ organizationId, asset }) => `${organizationId} ${asset}`)
  const mostOfEach = groups.size > manyGroups ? 1 : mostViolationsShown
  return [...groups.values()].flatMap((each) => each.slice(-mostOfEach))
}
