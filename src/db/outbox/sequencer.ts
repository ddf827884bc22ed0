import { firstOf } from '../../db/workers/due.ts'
import type { Database, Tx } from '../database.ts'
import { standingDutyJob } from '../standing-duty.ts'
import type { Job } from '../work.ts'
import { createHorizon, type Horizon, isUnsequenced } from './horizon.ts'

/** Sequences committed events. One worker of the deployment holds this duty, so that sequences have no gaps. */
export function createSequencerJob(database: Database, leaseMs: number): Job {
  const horizon = createHorizon()
  const runBatch = (tx: Tx) => sequenceBatch(tx, horizon)
  return standingDutyJob(database, { name: 'sequence events', due: hasUnsequenced, runBatch }, leaseMs)
}

type Unsequenced = { organizationId: string; eventId: string; position: string }

const mostInBatch = 1_000

const hasUnsequenced = firstOf(`svc.events where ${isUnsequenced} order by position`)

/**
 * Reads committed events by position. Versions of a resource are committed in order and at rising positions, so a
 * visible version always follows its visible predecessor: sequences keep the order of versions, also across batches.
 */
function readUnsequenced(tx: Tx): Promise<Unsequenced[]> {
  return tx.query<Unsequenced>({
    name: 'read unsequenced events',
    text: `select organization_id as "organizationId", event_id as "eventId", position from svc.events
            where ${isUnsequenced} order by position limit $1`,
    values: [mostInBatch],
  })
}

async function sequenceBatch(tx: Tx, horizon: Horizon): Promise<number> {
  const read = await horizon.read(tx)
  const events = await readUnsequenced(tx)
  const last = events.at(-1)
  if (!last) return 0
  const counts = new Map<string, number>()
  for (const { organizationId } of events) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1)
  const next = await takeSequences(tx, counts)
  const sequences = events.map(({ organizationId }) => {
    const sequence = next.get(organizationId) ?? 0n
    next.set(organizationId, sequence + 1n)
    return sequence
  })
  const sequenced = await writeSequences(tx, events, sequences)
  // A sequence that was taken and not used would stay a gap.
  if (sequenced !== events.length) throw new Error(`read ${events.length} events but sequenced ${sequenced} of them`)
  await horizon.advance(tx, read, BigInt(last.position))
  return sequenced
}

/** Reserves as many sequences as each organization needs, in a new batch, and returns the first of each. */
async function takeSequences(tx: Tx, counts: ReadonlyMap<string, number>): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ organizationId: string; last: string }>({
    name: 'take event sequences',
    text: `insert into svc.event_sequences (organization_id, last_sequence, batch)
           select organization_id, wanted, (select coalesce(max(batch), 0) + 1 from svc.event_sequences)
             from unnest($1::uuid[], $2::bigint[]) as counts (organization_id, wanted)
               on conflict (organization_id)
               do update set last_sequence = event_sequences.last_sequence + excluded.last_sequence,
                             batch = excluded.batch
        returning organization_id as "organizationId", last_sequence as last`,
    values: [[...counts.keys()], [...counts.values()]],
  })
  return new Map(
    rows.map(({ organizationId, last }) => [
      organizationId,
      BigInt(last) - BigInt(counts.get(organizationId) ?? 0) + 1n,
    ]),
  )
}

async function writeSequences(tx: Tx, events: readonly Unsequenced[], sequences: readonly bigint[]): Promise<number> {
  const rows = await tx.query({
    name: 'write event sequences',
    text: `update svc.events as event set sequence = assigned.sequence
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as assigned (organization_id, event_id, sequence)
            where event.organization_id = assigned.organization_id and event.event_id = assigned.event_id
              and event.sequence is null
        returning event.event_id`,
    values: [events.map((event) => event.organizationId), events.map((event) => event.eventId), sequences],
  })
  return rows.length
}
