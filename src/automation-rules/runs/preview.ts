import { type Cron, nextRunAfter } from '../triggers/cron.ts'
import type { Firing } from './firing.ts'
import type { RunStatus } from './run.ts'

/** What one time would come to. `why` is for people; the amounts are in smallest units. */
export type Played = { status: RunStatus; reason?: string; why?: string; amount?: bigint; destinationAmount?: bigint }
export type PreviewRun = { scheduledFor: Date } & Partial<Played>

export type TimedRule = { firing: Firing; cron: Cron }

/** One rule that fires each minute, before one that fires each month, must not keep anybody waiting. */
export const mostPlayed = 1_000

/**
 * Plays the next `count` times of a rule through, with those of every other rule on its wallet in between, in the order
 * in which they would fire: by minute, then by rule. Nothing else comes in or goes out.
 */
export function playThrough(
  own: TimedRule,
  others: readonly TimedRule[],
  { available, after, count }: { available: bigint; after: Date; count: number },
  play: (firing: Firing) => Played,
): PreviewRun[] {
  const timetable = [own, ...others].flatMap((rule) => {
    const at = nextRunAfter(rule.cron, after)
    return at ? [{ rule, at }] : []
  })
  if (timetable[0]?.rule !== own) return []
  const runs: PreviewRun[] = []
  let left = available
  for (let played = 0; played < mostPlayed && runs.length < count; played += 1) {
    timetable.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.rule.firing.ruleId < b.rule.firing.ruleId ? -1 : 1))
    const [next] = timetable
    if (!next) break
    const outcome = play({ ...next.rule.firing, available: String(left) })
    left -= outcome.amount ?? 0n
    if (next.rule === own) runs.push({ scheduledFor: next.at, ...outcome })
    const following = nextRunAfter(next.rule.cron, next.at)
    if (following) next.at = following
    else timetable.shift()
  }
  return [...runs, ...restOf(own.cron, runs.at(-1)?.scheduledFor ?? after, count - runs.length)]
}

/** When, though not what. */
function restOf(cron: Cron, after: Date, count: number): PreviewRun[] {
  const scheduledFor = count > 0 ? nextRunAfter(cron, after) : undefined
  return scheduledFor ? [{ scheduledFor }, ...restOf(cron, scheduledFor, count - 1)] : []
}

export const warningCodes = [
  ...(['NEVER_FIRES', 'CUSTOMER_NOT_ACTIVE', 'BELOW_THRESHOLD', 'NOTHING_TO_MOVE', 'INSUFFICIENT_BALANCE'] as const),
  ...(['AMOUNT_BELOW_MINIMUM', 'AMOUNT_ABOVE_MAXIMUM', 'DEVELOPER_FEE_BELOW_SVC_FEE'] as const),
  ...(['PAYMENT_METHOD_NOT_AVAILABLE', 'CONFLICTS_WITH_RULE', 'NOT_PLAYED_THROUGH'] as const),
]
export type Warning = { code: string; message: string; ruleIds?: string[] }

/** Each reason for which a run would move nothing, once. */
export function runWarnings(runs: readonly Partial<Played>[]): Warning[] {
  const byReason = new Map(runs.map(({ reason, why }) => [reason, why] as const).reverse())
  return [...byReason]
    .reverse()
    .flatMap(([code, why]) =>
      code === undefined ? [] : [{ code, message: why ?? messages[code] ?? 'A run would move nothing' }],
    )
}

const messages: Record<string, string> = {
  CUSTOMER_NOT_ACTIVE: 'Runs are skipped until the customer is ACTIVE',
  BELOW_THRESHOLD: 'Less than the threshold is available now: the rule fires when enough has come in',
  NOTHING_TO_MOVE: 'A run finds nothing to move',
  INSUFFICIENT_BALANCE: 'A run finds less in the wallet than it is to move',
}
