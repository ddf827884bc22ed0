import { type Route, route } from '../http/route.ts'
import type { AuditLogService } from './service.ts'
import * as wire from './wire.ts'

export function auditRoutes(auditLog: AuditLogService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/audit',
      access: 'audit:read',
      work: { isFiltered: true },
      tag: 'Audit log',
      summary: 'List the acts of the audit log',
      description:
        'Newest first: the privileged acts in your organization and its children, each with its actor. An entry is ' +
        'written in the same database transaction as its act, and never changes. Decisions of reviews need the scope ' +
        '`reviews:read`. The reasons of operators are shown to the platform alone.',
      query: wire.AuditQuery,
      refusals: ['SEARCH_TOO_WIDE'],
      answer: { status: 200, description: 'One page', schema: wire.AuditPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await auditLog.list(caller, wire.readFilter(query), query)
        return { entries: items.map(wire.presentEntry), nextPageToken }
      },
    }),
  ]
}
