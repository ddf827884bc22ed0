import type { Database } from '../db/database.ts'
import { runList } from '../db/lists/searches.ts'
import type { Caller } from '../lib/caller.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { badField } from '../lib/refusal.ts'
import type { Entry, EntryFilter } from './entry.ts'
import { listEntries, sortKeyOf } from './store.ts'

/** Tell who is under review, perhaps for a match on a watch list: like reviews themselves, they need their scope. */
const actsOfReviewers = ['review.decided', 'customer.notes_read', 'customer.document_read'] as const

export type AuditLogService = ReturnType<typeof createAuditLogService>

export function createAuditLogService({ database, pages }: { database: Database; pages: Pages }) {
  return {
    /** Lists the acts in the caller's organizations, newest first. */
    list: async (caller: Caller, asked: EntryFilter, request: PageRequest): Promise<Page<Entry>> => {
      const filter = caller.scopes.has('reviews:read') ? asked : { ...asked, without: actsOfReviewers }
      const isPlatform = caller.organizationId === platformOrganizationId
      if (!isPlatform && filter.actor?.startsWith('operator:'))
        throw badField('actor', 'names an operator, which only the platform sees')
      if (filter.from && filter.to && filter.from >= filter.to) throw badField('to', 'must be later than from')
      return pages.read(
        { list: 'audit', filters: { for: caller.organizationId, ...filter } },
        request,
        async (slice) => {
          const entries = await runList(database, caller.organizationId, asked, (each) =>
            listEntries(each, caller.organizationIds, filter, slice),
          )
          return isPlatform ? entries : entries.map(withoutOperators)
        },
        sortKeyOf,
      )
    },
  }
}

/** Leaves out who acted for the operator and why: that was written for the operator's own people. */
function withoutOperators(entry: Entry): Entry {
  const isOperator = entry.actor.startsWith('operator:')
  if (!isOperator && entry.actor !== 'command line') return entry
  const { reason: _reason, proposedBy: _proposedBy, ...details } = entry.details
  return { ...entry, actor: isOperator ? 'operator' : entry.actor, details }
}
