import type { Database } from '../db/database.ts'
import { standingDutyJob } from '../db/standing-duty.ts'
import type { Job } from '../db/work.ts'
import { createSendPipeline, type SendPipelineDeps } from './delivery/send-pipeline.ts'
import { fanOutDuty } from './fan-out/service.ts'

const deliver = 'deliver webhooks'

export function fanOutJob(database: Database, leaseMs: number): Job {
  return { ...standingDutyJob(database, fanOutDuty(), leaseMs), wakes: deliver }
}

/** Sends deliveries. Every worker runs this job, each for the webhooks that it claims. */
export function deliverJob(deps: SendPipelineDeps): Job {
  const { due, startSessions: runBatch, stop: release } = createSendPipeline(deps)
  return { name: deliver, pollMs: 200, due, runBatch, release }
}
