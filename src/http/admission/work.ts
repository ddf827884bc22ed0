import type { FastifyRequest } from 'fastify'
import { isSearch } from '../../lib/resources/filters.ts'

/** The rows that one unit of the rate limit pays for: a page of up to 25 costs as much as any small request. */
const rowsOfUnit = 25
const mostRows = 100
/** The bytes of a body that one unit pays for. */
const bytesOfUnit = 1024 * 1024
/** The further units of a list that searches, or includes other resources: it may read many rows for each that it shows. */
const unitsOfSearch = 4

/** The work of a route, as far as it differs from that of others. */
export type RouteWork = {
  /** Units of every request beside its page and its body; 1 by default. */
  units?: number
  /** The query filters a list: one that searches costs more. */
  isFiltered?: boolean
  /** Units of a list without pageSize and pageToken, which answers with all rows. */
  unitsOfAll?: number
}

/**
 * Adds up the units that a request takes from its organization's bucket before it is admitted: those of its route, and
 * more for a long page, a search and a large body.
 */
export function unitsOf(request: Pick<FastifyRequest, 'query' | 'headers'>, work: RouteWork): number {
  const query = (request.query ?? {}) as Record<string, unknown>
  const isWide = work.isFiltered && (isSearch(query) || query.expand !== undefined)
  const ofBody = unitsOfBytes(announcedBytes(request.headers))
  const isAll = query.pageSize === undefined && !query.pageToken
  const ofPage = isAll && work.unitsOfAll ? work.unitsOfAll - 1 : unitsOfPage(query.pageSize)
  return (work.units ?? 1) + ofPage + (isWide ? unitsOfSearch : 0) + ofBody
}

/** A size that is not a number from 1 to 100 is refused later. */
function unitsOfPage(pageSize: unknown): number {
  if (typeof pageSize !== 'string' || !/^\d{1,3}$/.test(pageSize)) return 0
  return Math.max(0, Math.ceil(Math.min(mostRows, Number(pageSize)) / rowsOfUnit) - 1)
}

export function unitsOfBytes(bytes: number): number {
  return Math.floor(bytes / bytesOfUnit)
}

/** The length of a body; 0 when the caller does not tell it, and pays after it has arrived. */
function announcedBytes(headers: FastifyRequest['headers']): number {
  const length = headers['content-length']
  return length === undefined || !/^\d{1,12}$/.test(length) ? 0 : Number(length)
}
