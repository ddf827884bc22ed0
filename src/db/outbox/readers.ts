import type { Tx } from '../database.ts'
import type { Due } from '../work.ts'
import { firstOf, literal } from '../workers/due.ts'

/** A duty that reads the events of all organizations. Each has a row in `svc.event_readers`. */
export type EventReader = 'webhooks' | 'destination alerts'

/** A reader writes its batch only when more organizations than this have changed: its row stays quiet. */
const fewChanged = 20

const changed = (reader: EventReader): string => `svc.event_sequences
   where batch > coalesce((select batch from svc.event_readers where reader = ${literal(reader)}), 0)
   order by batch, organization_id`

/**
 * Selects the organizations that the sequencer has changed since the batch of a reader, as `sequences`. The sequencer
 * holds its duty until its batch is committed, so a reader that sees a batch sees all lower ones. It steps from one to the
 * next through the index: PostgreSQL cannot know how few they are, and would read the whole table.
 */
export const changedSince = (reader: EventReader): string => `(
  with recursive changed as (
    (select organization_id, last_sequence, batch from ${changed(reader)} limit 1)
    union all
    select next.organization_id, next.last_sequence, next.batch
      from changed
     cross join lateral (
           select organization_id, last_sequence, batch from svc.event_sequences as next
            where (next.batch, next.organization_id) > (changed.batch, changed.organization_id)
            order by next.batch, next.organization_id limit 1) as next)
  select organization_id, last_sequence, batch from changed) as sequences`

/**
 * Selects a few of them, for a condition: they are looked at one by one, however many organizations there are. With more,
 * `hasManyChanged` holds.
 */
export const fewChangedSince = (reader: EventReader): string => `(
  select organization_id, last_sequence from ${changed(reader)} limit ${fewChanged}) as sequences`

/** Holds while so many organizations have changed that the reader should write its batch. */
export const hasManyChanged = (reader: EventReader): Due => firstOf(`${changed(reader)} offset ${fewChanged}`)

export type Changes = { reader: EventReader; organizations: number; batch: string | null }

/** Counts the changed organizations. A reader calls it before it reads them: it may then see more, never fewer. */
export async function readChanges(tx: Tx, reader: EventReader): Promise<Changes> {
  const [found] = await tx.query<Omit<Changes, 'reader'>>({
    name: `count changes for ${reader}`,
    text: `select count(*)::int as organizations, max(batch) as batch from ${changedSince(reader)}`,
  })
  return { reader, organizations: found?.organizations ?? 0, batch: found?.batch ?? null }
}

/** Records that the reader has read all of these changes, when they are many; tells whether they were. */
export async function recordChangesRead(tx: Tx, { reader, organizations, batch }: Changes): Promise<boolean> {
  if (organizations <= fewChanged) return false
  await tx.query({
    name: 'advance event reader',
    text: 'update svc.event_readers set batch = $2 where reader = $1 and batch < $2',
    values: [reader, batch],
  })
  return true
}
