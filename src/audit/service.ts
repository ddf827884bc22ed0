import type { Database } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { badField } from '../lib/refusal.ts'
import type { Entry, EntryFilter } from './entry.ts'
import { listEntries, sortKeyOf } from './store.ts'

export type AuditLogService = ReturnType<typeof createAuditLogService>

export function createAuditLogService({ database, pages }: { database: Database; pages: Pages }) {
  return {
    /** Lists the acts in the caller's organizations, newest first. */
    list: async (caller: Caller, filter: EntryFilter, request: PageRequest): Promise<Page<Entry>> => {
      if (filter.from && filter.to && filter.from >= filter.to) throw badField('to', 'must be later than from')
      return pages.read(
        { list: 'audit', filters: { for: caller.organizationId, ...filter } },
        request,
        (slice) => listEntries(database, caller.organizationIds, filter, slice),
        sortKeyOf,
      )
    },
  }
}
