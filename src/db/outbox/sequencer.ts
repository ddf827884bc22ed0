import { firstOf } from '../../db/workers/due.ts'
import type { Database, Tx } from '../database.ts'
import { standingDutyJob } from '../standing-duty.ts'
import type { Check } from '../verify.ts'
import type { Job } from '../work.ts'

/** Sequences committed events. One worker of the deployment holds this duty, so that sequences have no gaps. */
export function createSequencerJob(database: Database, leaseMs: number): Job {
  return standingDutyJob(database, { name: 'sequence events', due: hasUnsequenced, runBatch: sequenceBatch }, leaseMs)
}

type Unsequenced = { organizationId: string; eventId: string }

const mostInBatch = 1_000

const hasUnsequenced = firstOf('svc.events where sequence is null order by position')

/**
 * Reads committed events by position. Versions of a resource are committed in order and at rising positions, so a
 * visible version always follows its visible predecessor: sequences keep the order of versions, also across batches.
 */
function readUnsequenced(tx: Tx): Promise<Unsequenced[]> {
  return tx.query<Unsequenced>({
    name: 'read unsequenced events',
    text: `select organization_id as "organizationId", event_id as "eventId" from svc.events
            where sequence is null order by position limit $1`,
    values: [mostInBatch],
  })
}

async function sequenceBatch(tx: Tx): Promise<number> {
  const events = await readUnsequenced(tx)
  if (events.length === 0) return 0
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
  return sequenced
}

/** Reserves as many sequences as each organization needs and returns the first of each. */
async function takeSequences(tx: Tx, counts: ReadonlyMap<string, number>): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ organizationId: string; last: string }>({
    name: 'take event sequences',
    text: `insert into svc.event_sequences (organization_id, last_sequence)
           select organization_id, wanted from unnest($1::uuid[], $2::bigint[]) as counts (organization_id, wanted)
               on conflict (organization_id)
               do update set last_sequence = event_sequences.last_sequence + excluded.last_sequence
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

export const eventChecks: readonly Check[] = [
  {
    name: 'event sequences have no gaps',
    sql: `select format('organization %s has %s sequenced events, up to sequence %s, but its counter is at %s',
                        organization_id, sequenced, highest, last_sequence) as violation
            from (select organization_id, count(*) as sequenced, max(sequence) as highest
                    from svc.events where sequence is not null group by organization_id) as found
            full join svc.event_sequences using (organization_id)
           where (sequenced, highest) is distinct from (last_sequence, last_sequence)`,
  },
  {
    name: 'events of a resource are sequenced in the order of its versions',
    sql: `select format('event %s of organization %s precedes an older version', event_id, organization_id) as violation
            from (select organization_id, event_id, sequence, lag(sequence, 1, 0::bigint) over versions as before
                    from svc.events where sequence is not null
                  window versions as (partition by organization_id, resource_id order by resource_version)) as found
           where sequence < before`,
  },
]
