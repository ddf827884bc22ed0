import { timeText } from '../db/audit/mac.ts'
import type { Queryable } from '../db/database.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { Entry, EntryFilter } from './entry.ts'

/** The position of an entry in a list: two acts of one moment are told apart by their ids. */
export function sortKeyOf({ at, auditId }: Entry): string {
  return `${at} ${auditId}`
}

const startOfList = 'infinity ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Lists the newest entries first. The lateral join reads each organization's newest entries from an index. */
export function listEntries(
  database: Queryable,
  organizationIds: readonly string[],
  { actor, action, from, to, without }: EntryFilter,
  slice: PageSlice,
): Promise<Entry[]> {
  const [at, auditId] = (slice.after ?? startOfList).split(' ')
  const given = [
    { name: 'actor', condition: 'actor = ', value: actor },
    { name: 'act', condition: 'action = ', value: action },
    { name: 'from', condition: 'at >= ', value: from },
    { name: 'to', condition: 'at < ', value: to },
    { name: 'without', condition: 'action <> all ', value: without },
  ].filter(({ value }) => value !== undefined)
  // Each combination of filters is a separate statement, so that PostgreSQL picks its index.
  const filters = given.map(({ condition }, place) => `and ${condition}($${place + 5})`)
  return database.query<Entry>({
    name: ['list audit entries', ...given.map(({ name }) => name)].join(' '),
    text: `select entry.organization_id as "organizationId", entry.audit_id as "auditId", ${timeText('entry.at')} as at,
                  entry.actor, entry.action, entry.subject_id as "subjectId",
                  entry.source_address as "sourceAddress", entry.details
             from unnest($1::uuid[]) as mine (organization_id)
             cross join lateral (
               select organization_id, audit_id, at, actor, action, subject_id, source_address, details
                 from svc.audit
                where organization_id = mine.organization_id and (at, audit_id) < ($2::timestamptz, $3::uuid)
                  ${filters.join(' ')}
                order by at desc, audit_id desc limit $4) as entry
            order by entry.at desc, entry.audit_id desc limit $4`,
    values: [organizationIds, at, auditId, slice.limit, ...given.map(({ value }) => value)],
  })
}
