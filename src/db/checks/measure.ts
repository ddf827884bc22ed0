import type { StoredCheck } from './store.ts'

/** Measures for the metrics. While a check could not run, "none violated" is not known: NaN instead of 0. */
export function measureChecks(checks: readonly StoredCheck[]): { violated: number; notRun: number; age: number } {
  const violated = checks.filter(({ violations }) => violations.length > 0).length
  const notRun = checks.filter(
    ({ checkedAt, failure, quickFailure }) => checkedAt === null || failure !== null || quickFailure !== null,
  ).length
  const ages = checks
    .filter(({ isMoney }) => isMoney)
    .map(({ now, isQuick, quickAt, checkedAt, registeredAt }) => {
      const last = (isQuick ? quickAt : checkedAt) ?? registeredAt
      return (now.getTime() - last.getTime()) / 1_000
    })
  return {
    violated: violated === 0 && (checks.length === 0 || notRun > 0) ? Number.NaN : violated,
    notRun: checks.length === 0 ? Number.NaN : notRun,
    age: ages.length === 0 ? Number.NaN : Math.max(...ages),
  }
}
