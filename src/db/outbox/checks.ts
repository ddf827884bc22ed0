import { keysOf, passByKeys } from '../checks/slices.ts'
import type { Check } from '../verify.ts'

const events = keysOf('svc.events', 'event_id')

/** The invariants of the outbox. A pass over the events reads them in slices, and holds no snapshot for long. */
export const eventChecks: readonly Check[] = [
  {
    name: 'event sequences have no gaps',
    ...passByKeys([
      {
        keys: events,
        sql: `select format('event %s of organization %s has sequence %s, without the one before or a counter',
                       event.event_id, event.organization_id, event.sequence) as violation
                from slice
                join svc.events as event on event.organization_id = slice.organization_id
                 and event.event_id = slice.event_id
                left join svc.events as before on before.organization_id = event.organization_id
                 and before.sequence = event.sequence - 1
                left join svc.event_sequences as counter on counter.organization_id = event.organization_id
               where event.sequence > 1 and before.event_id is null
                  or event.sequence is not null and counter.last_sequence is null`,
      },
    ]),
  },
  {
    name: 'the counter of each organization is at its last sequence',
    sql: `select format('organization %s has events up to sequence %s, but its counter is at %s',
                   counter.organization_id, last.sequence, counter.last_sequence) as violation
            from svc.event_sequences as counter
            left join lateral (
                 select event.sequence from svc.events as event
                  where event.organization_id = counter.organization_id and event.sequence is not null
                  order by event.sequence desc limit 1) as last on true
           where last.sequence is distinct from counter.last_sequence`,
  },
  {
    name: 'events of a resource are sequenced in the order of its versions',
    ...passByKeys([
      {
        keys: events,
        sql: `select format('event %s of organization %s precedes an older version', event.event_id,
                       event.organization_id) as violation
                from slice
                join svc.events as event on event.organization_id = slice.organization_id
                 and event.event_id = slice.event_id
               cross join lateral (
                     select before.sequence from svc.events as before
                      where before.organization_id = event.organization_id and before.resource_id = event.resource_id
                        and before.resource_version < event.resource_version and before.sequence is not null
                      order by before.resource_version desc limit 1) as before
               where event.sequence < before.sequence`,
      },
    ]),
  },
  {
    name: 'no event waits below the horizon of the sequencer',
    sql: `select format('event %s of organization %s waits below the horizon of the sequencer', event_id,
                   organization_id) as violation
            from svc.events
           where sequence is null and position <= coalesce((select position from svc.event_horizon), position)`,
  },
]
