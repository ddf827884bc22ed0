import type { Database } from '../../db/database.ts'
import { type Cron, nextRunAfter, parseCron } from './cron.ts'
import { latestDueMinute } from './due-minute.ts'
import { type DueRule, dueRules, lockDueRules, type OpenedRun, openRuns } from './schedule-store.ts'

export type ScheduleDeps = {
  database: Database
  onFailure(error: unknown): void
  onPoint(point: string): void
}

/** Opens the runs of due TIME_BASED rules. */
export function createScheduleService({ database, onFailure, onPoint }: ScheduleDeps) {
  /** Writes a rule's run and its next minute in one tx, which holds the locks only while it computes the minutes. */
  const open = (limit: number): Promise<number> =>
    database.inTx(async (tx) => {
      const due = await lockDueRules(tx, limit)
      if (due.length === 0) return 0
      onPoint('due rules held')
      await openRuns(tx, planRuns(due, onFailure))
      onPoint('rule runs about to be opened')
      return due.length
    })
  let isBehind = false
  return {
    due: dueRules,
    openDue: async (limit: number): Promise<number> => {
      try {
        const opened = await open(limit)
        isBehind = opened === limit
        return opened
      } catch (error) {
        isBehind = false
        throw error
      }
    },

    /** True when more rules are due than one batch holds; false after a failure, so that runs are not paused for it. */
    isBehind: (): boolean => isBehind,
  }
}

/** Computes the minutes of each schedule once, because many rules share one. */
function planRuns(due: readonly DueRule[], onFailure: (error: unknown) => void): OpenedRun[] {
  const known = new Map<string, Pick<OpenedRun, 'scheduledFor' | 'nextRunAt'>>()
  return due.map((rule) => {
    const { organizationId, ruleId, cronSchedule } = rule
    const minutes = known.get(cronSchedule) ?? minutesOf(rule, onFailure)
    known.set(cronSchedule, minutes)
    return { organizationId, ruleId, ...minutes }
  })
}

function minutesOf({ ruleId, cronSchedule, nextRunAt: dueSince, now }: DueRule, onFailure: (error: unknown) => void) {
  const parsed = parseCron(cronSchedule)
  if (!parsed.ok) {
    // It was valid at creation. A rule whose schedule is invalid now stops firing and does not block the others.
    onFailure(new Error(`the schedule of rule ${ruleId} is invalid: it ${parsed.message}`))
    return { scheduledFor: dueSince, nextRunAt: undefined }
  }
  const cron: Cron = parsed.value
  return { scheduledFor: latestDueMinute(cron, dueSince, now), nextRunAt: nextRunAfter(cron, now) }
}
