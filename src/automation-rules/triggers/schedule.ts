import type { Database } from '../../db/database.ts'
import { type Cron, nextRunAfter, parseCron } from './cron.ts'
import { latestDueMinute } from './due-minute.ts'
import { type DueRule, holdDueRules, type OpenedRun, openRuns } from './schedule-store.ts'

export type ScheduleDeps = {
  database: Database
  onFailure(error: unknown): void
  onPoint(point: string): void
}

/** Opens the runs of rules whose minute has come. */
export function createScheduleService({ database, onFailure, onPoint }: ScheduleDeps) {
  /**
   * One transaction: a rule gets its run and its next minute together, or neither. The rules are held while their next
   * minutes are found, which takes microseconds each and asks nobody.
   */
  const open = (limit: number): Promise<number> =>
    database.inTx(async (tx) => {
      const due = await holdDueRules(tx, limit)
      if (due.length === 0) return 0
      onPoint('due rules held')
      await openRuns(tx, planRuns(due, onFailure))
      onPoint('rule runs about to be opened')
      return due.length
    })
  let isBehind = false
  return {
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

    /** More rules are due than one batch holds. Whoever cannot open runs is not behind: others carry theirs out. */
    isBehind: (): boolean => isBehind,
  }
}

/** Many rules have the same schedule: its minutes are found once for all of them. */
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
    // It was read when the rule was made. One that cannot be read any more keeps back no other, and fires no more.
    onFailure(new Error(`the schedule of rule ${ruleId} cannot be read: it ${parsed.message}`))
    return { scheduledFor: dueSince, nextRunAt: undefined }
  }
  const cron: Cron = parsed.value
  return { scheduledFor: latestDueMinute(cron, dueSince, now), nextRunAt: nextRunAfter(cron, now) }
}
