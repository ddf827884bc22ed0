import type { Job } from '../db/work.ts'
import type { createRunService } from './runs/service.ts'
import type { createScheduleService } from './triggers/schedule.ts'
import type { createThresholdService } from './triggers/threshold.ts'

const pollMs = 200

/** Whatever is due in one minute is opened first, in large batches: a run is a row until somebody carries it out. */
export function scheduleJob(schedule: ReturnType<typeof createScheduleService>): Job {
  return { name: 'rule schedules', pollMs, runBatch: () => schedule.openDue(1_000) }
}

export function thresholdsJob(thresholds: ReturnType<typeof createThresholdService>, leaseMs: number): Job {
  return { name: 'rule thresholds', pollMs, runBatch: () => thresholds.compareDue(100, leaseMs) }
}

/** Waits while many rules fall due at once: opening their runs takes seconds, carrying them out minutes. */
export function runsJob(
  runs: ReturnType<typeof createRunService>,
  schedule: Pick<ReturnType<typeof createScheduleService>, 'isBehind'>,
  leaseMs: number,
): Job {
  return {
    ...{ name: 'rule runs', pollMs },
    runBatch: async () => (schedule.isBehind() ? 0 : runs.fireDue(200, leaseMs)),
  }
}
