import { createPageToken, type PageScope, readPageToken } from './page.ts'
import { badField } from './refusal.ts'

export type PageRequest = { pageToken?: string; pageSize?: number }
export type Page<Item> = { items: Item[]; nextPageToken: string }

/** The part of a list to fetch: the items after a sort key, up to a limit. */
export type PageSlice = { after: string | undefined; limit: number }

export type Pages = {
  read<Item>(
    scope: PageScope,
    request: PageRequest,
    fetch: (slice: PageSlice) => Promise<Item[]>,
    sortKeyOf: (item: Item) => string,
    /** A page ends before the first item that does not fit. The first item of a page must fit. */
    fits?: (item: Item) => boolean,
  ): Promise<Page<Item>>
}

const defaultSize = 10

/** Reads lists page by page. Fetches one item more than the page size to detect a next page without counting. */
export function createPages(key: Buffer): Pages {
  return {
    read: async (scope, request, fetch, sortKeyOf, fits = () => true) => {
      const size = request.pageSize ?? defaultSize
      const fetched = await fetch({ after: readAfter(key, scope, request.pageToken), limit: size + 1 })
      const firstMisfit = fetched.findIndex((item) => !fits(item))
      const items = fetched.slice(0, firstMisfit < 0 ? size : Math.min(size, firstMisfit))
      const last = items.at(-1)
      const hasMore = fetched.length > items.length && last !== undefined
      return { items, nextPageToken: hasMore ? createPageToken(key, { ...scope, after: [sortKeyOf(last)] }) : '' }
    },
  }
}

function readAfter(key: Buffer, scope: PageScope, token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  const read = readPageToken(key, token, scope)
  if (!read.ok)
    throw badField(
      'pageToken',
      'is not a token of this list with these filters; pass nextPageToken and the same filters',
    )
  return read.after[0]
}
