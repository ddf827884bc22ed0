import type { PageSlice } from '../../lib/pages.ts'
import type { AmountRange } from '../../lib/resources/filters.ts'

/** Binds a value, and returns its place in the statement. */
export type Bind = (value: unknown) => string

/** A list is sorted by id, newest first, or by the time that its range is about. */
export type ListOrder = 'created_at' | 'updated_at' | undefined

/** The sort key of an item, for the token of the next page. */
export type Listed<Item> = Item & { sortKey: string }

/** The parts of a statement that lists a page of some organizations ($1), up to a limit ($2). */
export type ListParts = {
  /** The time by which the list is sorted; null when it is sorted by id. */
  at: string
  /** The order of the index that leads to the page. */
  order: string
  /** All conditions but the organization, each after `and`. */
  conditions: string
  values: unknown[]
}

/** The order of the ids of a page, and its sort key. */
export const pageOrder = 'at desc nulls last, id desc'
export const pageSortKey = `concat_ws('|', page.at, page.id) as "sortKey"`

/**
 * Writes the parts of a list. Each store writes the statement: for each organization a page of ids in the order of an
 * index, and then the rows of the final page alone. Not prepared: the planner chooses the index by the filters that are
 * there.
 */
export function listParts(
  { as, id, order }: { as: string; id: string; order: ListOrder },
  organizationIds: readonly string[],
  { after, limit }: PageSlice,
  conditionsOf: (bind: Bind) => readonly string[],
): ListParts {
  const values: unknown[] = [organizationIds, limit]
  const bind: Bind = (value) => `$${values.push(value)}`
  const [idColumn, timeColumn] = [`${as}.${id}`, order && `${as}.${order}`]
  const conditions = [...conditionsOf(bind), ...afterCondition(idColumn, timeColumn, after, bind)]
  return {
    at: timeColumn ?? 'null::timestamptz',
    order: timeColumn ? `${timeColumn} desc, ${idColumn} desc` : `${idColumn} desc`,
    conditions: conditions.map((condition) => `and ${condition}`).join(' '),
    values,
  }
}

function afterCondition(id: string, time: string | undefined, after: string | undefined, bind: Bind): string[] {
  if (after === undefined) return []
  if (!time) return [`${id} < ${bind(after)}::uuid`]
  const [at, last] = after.split('|')
  return [`(${time}, ${id}) < (${bind(at)}::timestamptz, ${bind(last)}::uuid)`]
}

/** Writes the conditions of equality, for the values that were sent. */
export function equalTo(bind: Bind, wanted: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${bind(value)}`],
  )
}

/** Writes the conditions of a time range: from inclusive, to exclusive. */
export function between(bind: Bind, column: string, from: string | undefined, to: string | undefined): string[] {
  return [
    ...(from === undefined ? [] : [`${column} >= ${bind(from)}::timestamptz`]),
    ...(to === undefined ? [] : [`${column} < ${bind(to)}::timestamptz`]),
  ]
}

/** Writes the conditions of an amount range: a token has amounts on each of its networks. */
export function amountIn(bind: Bind, asset: string, amount: string, range: AmountRange | undefined): string[] {
  if (!range) return []
  const [assets, from, to] = [bind(range.assets), bind(range.from), bind(range.to)]
  return [
    `${asset} = any(${assets}::text[])`,
    `exists (select from unnest(${assets}::text[], ${from}::numeric[], ${to}::numeric[]) as wanted (asset, low, high)
              where wanted.asset = ${asset} and ${amount} >= low and (high is null or ${amount} <= high))`,
  ]
}
