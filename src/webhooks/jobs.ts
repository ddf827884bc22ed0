import type { Database } from '../db/database.ts'
import { standingDutyJob } from '../db/standing-duty.ts'
import type { Job } from '../db/work.ts'
import { fanOutDuty } from './fan-out-service.ts'
import { makeSending, type SendingOptions } from './sending-service.ts'

export function fanOutJob(database: Database, leaseMs: number): Job {
  return standingDutyJob(database, fanOutDuty(database), leaseMs)
}

/** Sends deliveries. Every worker does, each to other webhooks. */
export function deliverJob(options: SendingOptions): Job {
  const sending = makeSending(options)
  return { name: 'deliver webhooks', pollMs: 200, runBatch: sending.startTurns, release: sending.stop }
}
