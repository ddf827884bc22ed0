import type { StoredCheck } from './store.ts'

export type Measure = 'violated' | 'notRun' | 'quickAge' | 'fullAge'

/** Measures for the metrics. While a check could not run, "none violated" is not known: NaN instead of 0. */
export function measureChecks(checks: readonly StoredCheck[]): Record<Measure, number> {
  const violated = checks.filter(({ violations }) => violations.length > 0).length
  const notRun = checks.filter(
    ({ checkedAt, failure, quickFailure }) => checkedAt === null || failure !== null || quickFailure !== null,
  ).length
  const money = checks.filter(({ isMoney }) => isMoney)
  const quick = money.filter(({ isQuick }) => isQuick)
  return {
    violated: violated === 0 && (checks.length === 0 || notRun > 0) ? Number.NaN : violated,
    notRun: checks.length === 0 ? Number.NaN : notRun,
    quickAge: oldestAge(quick, ({ quickAt }) => quickAt),
    fullAge: oldestAge(money, ({ checkedAt }) => checkedAt),
  }
}

/** Seconds since the success that is longest ago. A check that never succeeded counts from its registration. */
function oldestAge(checks: readonly StoredCheck[], succeededAt: (check: StoredCheck) => Date | null): number {
  const ages = checks.map((check) => check.now.getTime() - (succeededAt(check) ?? check.registeredAt).getTime())
  return ages.length === 0 ? Number.NaN : Math.max(...ages) / 1_000
}
