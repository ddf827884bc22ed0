import { badField } from '../refusal.ts'

/** A time range of a list: from inclusive, to exclusive, as the caller wrote them. */
export type CreatedRange = { createdFrom?: string; createdTo?: string }
export type UpdatedRange = { updatedFrom?: string; updatedTo?: string }

type Filter = Readonly<Record<string, unknown>>

/**
 * Refuses a filter that would read a whole list: a narrowing filter needs one of the filters that an index leads to. The
 * refusal names the first narrowing filter.
 */
export function requireLeadingFilter(filter: object, narrowing: readonly string[], leading: readonly string[]): void {
  const sent = filter as Filter
  const field = narrowing.find((name) => sent[name] !== undefined)
  if (field === undefined || leading.some((name) => sent[name] !== undefined)) return
  throw badField(field, `must be combined with one of ${leading.join(', ')}`)
}

/** The filters that are neither an id nor a status. */
const searchWords: readonly string[] = [
  'createdFrom',
  'createdTo',
  'updatedFrom',
  'updatedTo',
  'from',
  'to',
  'rail',
  'currency',
  'amountFrom',
  'amountTo',
  'type',
  'email',
  'name',
  'namePrefix',
  'actor',
  'act',
  'action',
]

/** The parameters of a list that do not filter: whose items, which page, and what is included. */
const others = ['organizationId', 'pageSize', 'pageToken', 'expand']

/**
 * Tells whether a list may read many rows for each that it shows, so that it costs more and has a time limit. An id or a
 * status alone leads to its page, and so do a customer and one of its accounts.
 */
export function isSearch(filter: object): boolean {
  const sent = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const names = sent.filter((name) => !others.includes(name))
  const isPair = names.length === 2 && names.includes('customerId') && names.includes('paymentAccountId')
  return (names.length > 1 && !isPair) || names.some((name) => searchWords.includes(name))
}

/** Refuses a time range that holds no time. */
export function requireTimeRanges(filter: CreatedRange & UpdatedRange): void {
  for (const name of ['created', 'updated'] as const) {
    const [from, to] = [filter[`${name}From`], filter[`${name}To`]]
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
      throw badField(`${name}To`, `must be after ${name}From`)
  }
}

type AmountFilter = { currency?: string; amountFrom?: string; amountTo?: string }

/** The filters that the lists of quotes, transactions and deposits share. */
export type MoneyFilter = CreatedRange &
  UpdatedRange &
  AmountFilter & {
    customerId?: string
    paymentAccountId?: string
    transactionId?: string
    correlationId?: string
    externalId?: string
    rail?: string
  }

/** The amounts that a list filters by, for each asset of the currency, in smallest units. */
export type AmountRange = { assets: string[]; from: string[]; to: (string | null)[] }

export const timeFilters = ['createdFrom', 'createdTo', 'updatedFrom', 'updatedTo'] as const

/** The filters that name the owner of an item, or the item itself. */
export const ownerFilters = ['customerId', 'paymentAccountId', 'transactionId', 'correlationId', 'externalId'] as const

/** A list with a time range, and without an id, is sorted by that time: its index leads to the page. */
export function orderOf(filter: MoneyFilter): 'created_at' | 'updated_at' | undefined {
  if (ownerFilters.some((name) => filter[name] !== undefined)) return undefined
  if (filter.updatedFrom !== undefined || filter.updatedTo !== undefined) return 'updated_at'
  return filter.createdFrom !== undefined || filter.createdTo !== undefined ? 'created_at' : undefined
}
