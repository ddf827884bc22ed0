import type { Database } from '../../db/database.ts'
import { runList } from '../../db/lists/searches.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Page, PageRequest, Pages } from '../../lib/pages.ts'
import { badField } from '../../lib/refusal.ts'
import { timeFilters } from '../../lib/resources/filters.ts'
import { readMoneyFilter } from '../../quotes/lists/money-filter.ts'
import type { Deposit } from './deposit.ts'
import { type FullDepositFilter, findDeposits } from './list-store.ts'
import { listDeposits } from './store.ts'
import { listUndecided } from './undecided-store.ts'

export type DepositListFilter = FullDepositFilter & { organizationId?: string }

/** Lists the deposits of a caller, newest first. */
export function listOf(
  { database, pages }: { database: Database; pages: Pages },
  caller: Caller,
  { organizationId, ...filter }: DepositListFilter,
  request: PageRequest,
): Promise<Page<Deposit>> {
  const amounts = readMoneyFilter(filter, ['customerId', 'paymentAccountId', 'transactionId', ...timeFilters])
  const wanted = organizationId?.toLowerCase()
  const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
  return pages.read(
    { list: 'deposits', filters: { for: caller.organizationId, organizationId: wanted, ...filter } },
    request,
    (slice): Promise<(Deposit & { sortKey?: string })[]> =>
      runList(database, caller.organizationId, filter, (each) =>
        isSimple(filter)
          ? listDeposits(each, organizationIds, filter, slice)
          : findDeposits(each, organizationIds, filter, amounts, slice),
      ),
    (deposit) => deposit.sortKey ?? deposit.depositId,
  )
}

/** Lists the deposits that wait for a decision of reviewers or the platform, newest first. */
export function listUndecidedOf(
  { database, pages }: { database: Database; pages: Pages },
  caller: Caller,
  all: readonly string[],
  { organizationId, ...filter }: DepositListFilter,
  request: PageRequest,
): Promise<Page<Deposit>> {
  const other = Object.keys(filter).find((name) => !simpleFilters.includes(name))
  if (other !== undefined) throw badField(other, 'needs the scope transactions:read')
  const wanted = organizationId?.toLowerCase()
  return pages.read(
    { list: 'undecided deposits', filters: { for: caller.organizationId, organizationId: wanted, ...filter } },
    request,
    (slice) =>
      listUndecided(
        database,
        all.filter((id) => wanted === undefined || id === wanted),
        filter,
        slice,
      ),
    (deposit) => deposit.depositId,
  )
}

const simpleFilters = ['status', 'customerId', 'paymentAccountId', 'transactionId']

/** Tells whether a prepared statement with an index of its own lists these deposits. */
function isSimple(filter: FullDepositFilter): boolean {
  return Object.keys(filter).every((name) => simpleFilters.includes(name))
}
