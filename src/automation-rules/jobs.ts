import type { Job } from '../db/work.ts'
import type { createRunService } from './runs/service.ts'
import type { createScheduleService } from './triggers/schedule.ts'
import type { createThresholdService } from './triggers/threshold.ts'

const pollMs = 200

/** Opens due runs in large batches. Opening only inserts rows, so all runs of a minute exist before any is executed. */
export function scheduleJob(schedule: ReturnType<typeof createScheduleService>): Job {
  return { name: 'rule schedules', pollMs, due: schedule.due, runBatch: () => schedule.openDue(1_000) }
}

export function thresholdsJob(thresholds: ReturnType<typeof createThresholdService>, leaseMs: number): Job {
  return { name: 'rule thresholds', pollMs, due: thresholds.due, runBatch: () => thresholds.compareDue(100, leaseMs) }
}

/** Executes due runs. It pauses while the schedule is behind: opening runs takes seconds, executing them minutes. */
export function runsJob(
  runs: ReturnType<typeof createRunService>,
  schedule: Pick<ReturnType<typeof createScheduleService>, 'isBehind'>,
  leaseMs: number,
): Job {
  return {
    name: 'rule runs',
    pollMs,
    due: runs.due,
    runBatch: async () => (schedule.isBehind() ? 0 : runs.fireDue(200, leaseMs)),
  }
}
