import type { Queryable } from '../../db/database.ts'
import { findKeptQuotes, type IdempotentRequest, isKeyTaken, type KeptQuote } from '../../db/idempotency.ts'
import type { NewQuote } from './new-quote.ts'
import * as store from './store.ts'

/** The outcome of a quote, or the quote that its idempotency key already has. */
export type Inserted = { outcome?: store.QuoteOutcome | undefined; kept?: KeptQuote | undefined }

/** After a repeated request, the keys of new ones are looked up first for this long. */
const lookUpMs = 1_000
/** Another request may store a key between the look-up and the insert. */
const maxAttempts = 5

/**
 * Inserts quotes in one statement that looks no key up: nearly all are new, and a look-up costs as much as the insert of
 * the key. It fails as a whole when a key has a quote. While requests are repeated, the keys are therefore looked up
 * before, in one more round trip: a repeated request costs its neighbours one failed statement a second.
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
  if (outcomes.length !== others.length) throw new Error('the statement returned no outcome for some quotes')
  const rest = outcomes.values()
  return quotes.map((quote) => (kept.has(quote) ? { kept: kept.get(quote) } : { outcome: rest.next().value }))
}
