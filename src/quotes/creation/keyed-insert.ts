import { createBatcher } from '../../db/batcher.ts'
import type { Queryable } from '../../db/database.ts'
import {
  findKeptQuotes,
  type IdempotentRequest,
  isKeyTaken,
  type KeptQuote,
  requireSame,
} from '../../db/idempotency.ts'
import type { NewQuote } from './new-quote.ts'
import * as store from './store.ts'

/** The outcome of a quote, or the quote that its idempotency key already has. */
export type Inserted = { outcome?: store.QuoteOutcome | undefined; kept?: KeptQuote | undefined }

/** After a repeated request, the keys of new ones are looked up first for this long. */
const lookUpMs = 1_000
/** A key that made the first attempt fail is stored, so the look-up of the second finds it. */
const maxAttempts = 2

/**
 * Inserts quotes in one statement that looks no key up: nearly all are new, and a look-up costs nearly as much as the
 * insert of the key. It fails as a whole when a key has a quote, and while requests are repeated, the keys are looked up
 * before, in one more round trip. A process whose requests are repeated thus fails about one statement a second, and more
 * only while another process stores the same keys.
 */
export function createKeyedInsert(database: Queryable) {
  let lookUpUntil = 0
  const isLookingUp = () => performance.now() < lookUpUntil
  const repeated = () => {
    lookUpUntil = performance.now() + lookUpMs
  }
  return async (quotes: readonly NewQuote[]): Promise<Inserted[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const kept = isLookingUp() ? await findKept(database, quotes) : new Map<NewQuote, KeptQuote>()
        if (kept.size > 0) repeated()
        return await insertOthers(database, quotes, kept)
      } catch (error) {
        if (!isKeyTaken(error) || attempt === maxAttempts) throw error
        repeated()
      }
    }
  }
}

export type FindKept = (request: IdempotentRequest) => Promise<KeptQuote | undefined>

/** Finds the quotes of requests whose own was not stored, those of the same moment in one round trip. */
export function createKeptFinder(database: Queryable): FindKept {
  const find = createBatcher({
    batchSize: 64,
    concurrency: 1,
    collects: true,
    run: (requests: readonly IdempotentRequest[]) => findKeptQuotes(database, requests),
  })
  return async (request) => {
    const kept = await find(request)
    return kept && requireSame(kept, request)
  }
}

async function findKept(database: Queryable, quotes: readonly NewQuote[]): Promise<Map<NewQuote, KeptQuote>> {
  const keyed = quotes.filter(
    (quote): quote is NewQuote & { request: IdempotentRequest } => quote.request !== undefined,
  )
  const requests = keyed.map(({ request }) => request)
  const found = requests.length > 0 ? await findKeptQuotes(database, requests) : []
  return new Map(
    keyed.flatMap((quote, place) => {
      const kept = found[place]
      return kept ? [[quote, kept] as const] : []
    }),
  )
}

async function insertOthers(
  database: Queryable,
  quotes: readonly NewQuote[],
  kept: ReadonlyMap<NewQuote, KeptQuote>,
): Promise<Inserted[]> {
  const others = quotes.filter((quote) => !kept.has(quote))
  const outcomes = others.length > 0 ? await store.insertQuotes(database, others) : []
  // Unknown outcomes: the statement has committed, so it must not run again, as it would after an error.
  if (outcomes.length !== others.length) return []
  const rest = outcomes.values()
  return quotes.map((quote) => (kept.has(quote) ? { kept: kept.get(quote) } : { outcome: rest.next().value }))
}
