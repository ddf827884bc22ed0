import { type Cron, nextRunAfter } from '../triggers/cron.ts'
import type { DueRun } from './due-run.ts'
import type { RunStatus } from './run.ts'

/** The simulated outcome of a run. Amounts are in smallest units. */
export type SimulatedRun = {
  status: RunStatus
  reason?: string
  message?: string
  amount?: bigint
  destinationAmount?: bigint
}
export type PreviewRun = { scheduledFor: Date } & Partial<SimulatedRun>

export type TimedRule = { dueRun: DueRun; cron: Cron }

/** Bounds the time of a preview: a rule that fires each minute may precede one that fires each month. */
export const maxSimulatedRuns = 1_000

/**
 * Simulates the next `count` runs of a rule and the runs of the other rules on its wallet, in the order in which they fire: by minute,
 * then by rule. It assumes that nothing else moves on the wallet.
 */
export function simulateSchedule(
  own: TimedRule,
  others: readonly TimedRule[],
  { available, after, count }: { available: bigint; after: Date; count: number },
  simulate: (dueRun: DueRun) => SimulatedRun,
): PreviewRun[] {
  const timetable = [own, ...others].flatMap((rule) => {
    const at = nextRunAfter(rule.cron, after)
    return at ? [{ rule, at }] : []
  })
  if (timetable[0]?.rule !== own) return []
  const runs: PreviewRun[] = []
  let remaining = available
  for (let simulated = 0; simulated < maxSimulatedRuns && runs.length < count; simulated += 1) {
    timetable.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.rule.dueRun.ruleId < b.rule.dueRun.ruleId ? -1 : 1))
    const [next] = timetable
    if (!next) break
    const outcome = simulate({ ...next.rule.dueRun, available: String(remaining) })
    remaining -= outcome.amount ?? 0n
    if (next.rule === own) runs.push({ scheduledFor: next.at, ...outcome })
    const following = nextRunAfter(next.rule.cron, next.at)
    if (following) next.at = following
    else timetable.shift()
  }
  return [...runs, ...unsimulatedRuns(own.cron, runs.at(-1)?.scheduledFor ?? after, count - runs.length)]
}

function unsimulatedRuns(cron: Cron, after: Date, count: number): PreviewRun[] {
  const scheduledFor = count > 0 ? nextRunAfter(cron, after) : undefined
  return scheduledFor ? [{ scheduledFor }, ...unsimulatedRuns(cron, scheduledFor, count - 1)] : []
}

export const warningCodes = [
  'NEVER_FIRES',
  'CUSTOMER_NOT_ACTIVE',
  'BELOW_THRESHOLD',
  'NOTHING_TO_MOVE',
  'INSUFFICIENT_BALANCE',
  'AMOUNT_BELOW_MINIMUM',
  'AMOUNT_ABOVE_MAXIMUM',
  'DEVELOPER_FEE_BELOW_SVC_FEE',
  'PAYMENT_METHOD_NOT_AVAILABLE',
  'CONFLICTS_WITH_RULE',
  'NOT_PLAYED_THROUGH',
] as const
export type PreviewWarning = { code: string; message: string; ruleIds?: string[] }

/** Warns once for each reason why a run would move nothing. */
export function runWarnings(runs: readonly Partial<SimulatedRun>[]): PreviewWarning[] {
  const byReason = new Map(runs.map(({ reason, message }) => [reason, message] as const).reverse())
  return [...byReason]
    .reverse()
    .flatMap(([code, message]) =>
      code === undefined ? [] : [{ code, message: message ?? messages[code] ?? 'A run would move nothing' }],
    )
}

const messages: Record<string, string> = {
  CUSTOMER_NOT_ACTIVE: 'The rule skips its runs until the customer is ACTIVE',
  BELOW_THRESHOLD: 'The available balance is below the threshold: the rule fires when a credit reaches it',
  NOTHING_TO_MOVE: 'A run would have nothing to move',
  INSUFFICIENT_BALANCE: 'The wallet would hold less than the amount of a run',
}
