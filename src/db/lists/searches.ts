import { Refusal, unavailable } from '../../lib/refusal.ts'
import { isSearch } from '../../lib/resources/filters.ts'
import { createTurns, createUse } from '../../lib/shares/turns.ts'
import { isTooSlow } from '../checks/slices.ts'
import type { Database, Queryable, Tx } from '../database.ts'

/** The longest that a search may read. */
const longestMs = 2_000
/** Searches at the same time: half of the connections of a process, and a quarter for one organization. */
const atOnce = 4
const atOnceOfOne = 2
/** The searches of one organization that wait. A longer line would outlast the patience of its callers. */
const waitingOfOne = 25

/**
 * Runs the statement of a list. One that searches may read many rows for each that it shows, so it has a time limit, and
 * its organization has a share of the connections. A list that an id or a status leads to has neither.
 */
export async function runList<Result>(
  database: Database,
  organizationId: string,
  filter: object,
  run: (database: Queryable) => Promise<Result>,
): Promise<Result> {
  if (!isSearch(filter)) return run(database)
  const share = shares.get(database) ?? createShare()
  shares.set(database, share)
  return share(organizationId, () => runLimited(database, run))
}

/** A process has one database, and so one share for all lists. */
const shares = new WeakMap<Database, ReturnType<typeof createShare>>()

async function runLimited<Result>(database: Database, run: (tx: Tx) => Promise<Result>): Promise<Result> {
  try {
    return await database.inTx(async (tx) => {
      await tx.query({
        name: 'limit search',
        text: `select set_config('statement_timeout', $1, true)`,
        values: [String(longestMs)],
      })
      return run(tx)
    })
  } catch (error) {
    if (!isTooSlow(error)) throw error
    const advice = 'narrow the time range, or name a customer or an account'
    throw new Refusal('SEARCH_TOO_WIDE', `This search reads too many rows; ${advice}`)
  }
}

/** Lets organizations take turns, none with more than its part. */
function createShare() {
  const turns = createTurns<() => void>()
  const [running, waiting] = [createUse(), createUse()]
  let taken = 0
  const start = (): void => {
    while (taken < atOnce) {
      const next = turns.next((organizationId) => running.of(organizationId) < atOnceOfOne)
      if (!next) return
      taken += 1
      running.add(next.organizationId, 1)
      waiting.add(next.organizationId, -1)
      next.taken()
    }
  }
  return async <Result>(organizationId: string, run: () => Promise<Result>): Promise<Result> => {
    if (waiting.of(organizationId) >= waitingOfOne)
      throw unavailable('Too many of your searches wait already; send fewer at the same time', 1)
    await new Promise<void>((resolve) => {
      waiting.add(organizationId, 1)
      turns.add(organizationId, resolve)
      start()
    })
    try {
      return await run()
    } finally {
      taken -= 1
      running.add(organizationId, -1)
      start()
    }
  }
}
