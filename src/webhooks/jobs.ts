import type { Database } from '../db/database.ts'
import { dutiesJob } from '../db/duties.ts'
import { standingDutyJob } from '../db/standing-duty.ts'
import type { Job } from '../db/work.ts'
import { createSendPipeline, type SendPipelineDeps } from './delivery/send-pipeline.ts'
import { expireAttemptsDuty } from './expiry/service.ts'
import { fanOutDuty } from './fan-out/service.ts'
import { expiredMakersDuty, type HoldSuccessor } from './makers/service.ts'

const deliver = 'deliver webhooks'

export function fanOutJob(database: Database, leaseMs: number): Job {
  return { ...standingDutyJob(database, fanOutDuty(), leaseMs), wakes: deliver }
}

/** Every job of webhooks. One of them disables webhooks whose key has expired. */
export function webhookJobs(deps: SendPipelineDeps, holdSuccessor: HoldSuccessor): Job[] {
  const { database, audit, leaseMs } = deps
  const expiring = standingDutyJob(database, expiredMakersDuty(audit, holdSuccessor), leaseMs)
  return [fanOutJob(database, leaseMs), expiring, deliverJob(deps)]
}

/** Sends deliveries. Every worker runs this job, each for the webhooks that it claims. */
export function deliverJob(deps: SendPipelineDeps): Job {
  const { due, startSessions: runBatch, stop: release } = createSendPipeline(deps)
  return { name: deliver, pollMs: 200, due, runBatch, release }
}

/** Deletes old attempts, in a loop of its own: there may be many. */
export async function expireAttemptsJob(database: Database, keptDays: number, leaseMs: number): Promise<Job> {
  const duty = expireAttemptsDuty(database, keptDays)
  return { ...(await dutiesJob(database, [duty], leaseMs)), name: duty.name }
}
