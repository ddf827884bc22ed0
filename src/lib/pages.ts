import { createPageToken, type PageScope, readPageToken } from './page.ts'
import { badField } from './refusal.ts'

export type PageRequest = { pageToken?: string; pageSize?: number }
export type Page<Row> = { items: Row[]; nextPageToken: string }

/** What a store needs to read one page: the sort key to go on after, and how many rows to fetch at most. */
export type PageSlice = { after: string | undefined; limit: number }

export type Pages = {
  read<Row>(
    scope: PageScope,
    request: PageRequest,
    fetch: (slice: PageSlice) => Promise<Row[]>,
    sortKeyOf: (row: Row) => string,
    /** A page ends before the first row that does not fit. The first one of a page must. */
    fits?: (row: Row) => boolean,
  ): Promise<Page<Row>>
}

const defaultSize = 10

/** Reads lists page by page. One row more than asked for tells whether there is a next page, without counting. */
export function createPages(key: Buffer): Pages {
  return {
    read: async (scope, request, fetch, sortKeyOf, fits = () => true) => {
      const size = request.pageSize ?? defaultSize
      const rows = await fetch({ after: readAfter(key, scope, request.pageToken), limit: size + 1 })
      const tooMuch = rows.findIndex((row) => !fits(row))
      const items = rows.slice(0, tooMuch < 0 ? size : Math.min(size, tooMuch))
      const last = items.at(-1)
      const hasMore = rows.length > items.length && last !== undefined
      return { items, nextPageToken: hasMore ? createPageToken(key, { ...scope, after: [sortKeyOf(last)] }) : '' }
    },
  }
}

function readAfter(key: Buffer, scope: PageScope, token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  const read = readPageToken(key, token, scope)
  if (!read.ok) throw badField('pageToken', 'is not a token of this list with these filters')
  return read.after[0]
}
