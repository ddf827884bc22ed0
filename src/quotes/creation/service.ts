import { currencyOf, isFiatRail, labelOf } from '../../catalog/currencies.ts'
import type { FeeTier } from '../../catalog/fee-schedule.ts'
import { methodsEdition } from '../../catalog/payment-methods.ts'
import { createBatcher } from '../../db/batcher.ts'
import type { Queryable } from '../../db/database.ts'
import { type IdempotentRequest, inProgress, type KeptQuote, nameOfKey, requireSame } from '../../db/idempotency.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import { badFields, Refusal, unavailable } from '../../lib/refusal.ts'
import { externalIdTaken, type NewOwnData, presentOwnData } from '../../lib/resources/own-data.ts'
import type { Validated } from '../../lib/validated.ts'
import { walletTypeOf } from '../../payment-accounts/payment-account.ts'
import { aboveGuarantee, guaranteeOf } from '../guarantee.ts'
import { priceFor, type QuoteCaller, type QuoteDeps, requireOffered, requirePriced, tierOf } from '../price.ts'
import type { PricedRoute, PricingRefusal } from '../pricing.ts'
import type { Derivation, StoredQuote } from '../quote.ts'
import { lowerCaseIds, quotePartyIdsOf, requireActiveParties, requireQuoteParties } from '../quote-parties.ts'
import { findQuoteParties } from '../quote-party-store.ts'
import { type QuoteBody, type RequestedRoute, readRoute } from '../request.ts'
import { type ReceivingAccount, transferInstructions, transferWindowSeconds } from '../transfer-instructions.ts'
import { valueOfRequest } from '../value.ts'
import * as wire from '../wire.ts'
import { createKeptFinder, createKeyedInsert, type FindKept, type Inserted } from './keyed-insert.ts'
import type { NewQuote, QuoteFigures } from './new-quote.ts'
import { writeAnswer } from './repeated-answer.ts'
import * as store from './store.ts'

export type Quote = Pick<StoredQuote, 'quoteId' | 'createdAt' | 'expiresAt' | 'guaranteedUntil'> &
  NewOwnData & { derivation: Derivation }

/** A created quote. The answer is its JSON text. */
export type CreatedQuote = { answer: string; isReplay: boolean }

export type QuoteRequest = { caller: QuoteCaller; body: QuoteBody }

/** Thrown when the customer's allowed methods come from an older catalog edition. */
class OutdatedMethods extends Error {
  readonly organizationId: string
  readonly customerId: string
  constructor(organizationId: string, customerId: string) {
    super(`the methods of customer ${customerId} are outdated`)
    this.organizationId = organizationId
    this.customerId = customerId
  }
}

/** During an upgrade, processes of two catalog editions overwrite each other's allowed methods. */
const maxAttempts = 5

/**
 * Up to 64 quotes of the same moment share one statement and its commit; up to two such statements run at once. Under
 * load, half a batch goes together: more small statements cost a fifth more of PostgreSQL's time for each quote.
 */
const batching = { batchSize: 64, concurrency: 2, collects: true, gathers: { requests: 32, ms: 25 } }

export function createQuoteCreationService(deps: QuoteDeps) {
  const { database } = deps
  const insert = createBatcher({
    ...batching,
    run: createKeyedInsert(database),
    nameOf: ({ request }: NewQuote) => request && nameOfKey(request),
  })
  const steps = { insert, findKept: createKeptFinder(database) }
  return {
    /**
     * Creates a quote in one round trip: rates and tiers come from memory, and one statement checks the parties and the
     * idempotency key and stores both. The answer is JSON text.
     */
    create: (
      caller: Caller,
      request: IdempotentRequest | undefined,
      inspected: Validated<QuoteBody>,
    ): Promise<CreatedQuote> => withCurrentMethods(deps, () => createQuote(deps, steps, caller, request, inspected)),

    createMany: (requests: readonly QuoteRequest[]) => createMany(deps, requests),
  }
}

type Steps = { insert: (quote: NewQuote) => Promise<Inserted>; findKept: FindKept }

async function insertAlone(queryable: Queryable, quote: NewQuote): Promise<store.QuoteOutcome> {
  const [outcome] = await store.insertQuotes(queryable, [quote])
  if (!outcome) throw new Error(`quote ${quote.quoteId} has no outcome`)
  return outcome
}

async function withCurrentMethods<Result>(deps: QuoteDeps, create: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof OutdatedMethods)) throw error
      // Runs outside the failed tx, because it uses the database itself.
      await deps.customers.refreshAllowedMethods(error.organizationId, error.customerId)
    }
  }
  throw unavailable('The payment methods of this customer are being updated: retry', 1)
}

/** Creates quotes in one round trip. Each is stored or refused independently of the others. */
async function createMany(deps: QuoteDeps, requests: readonly QuoteRequest[]): Promise<(Quote | Refusal)[]> {
  const prepared = await Promise.all(
    requests.map(async ({ caller, body }) => {
      const request = await priceRequest(deps, deps.database, caller, { ok: true, value: body })
      return request instanceof Refusal ? request : { request, quote: newQuote(deps, caller, request, undefined) }
    }),
  )
  const quotes = prepared.flatMap((each) => (each instanceof Refusal ? [] : [each.quote]))
  const outcomes = quotes.length > 0 ? await store.insertQuotes(deps.database, quotes) : []
  if (outcomes.length !== quotes.length) throw new Error('the statement returned no outcome for some quotes')
  const outcomeOf = new Map(quotes.map((quote, place) => [quote, outcomes[place]]))
  const conclude = async (each: (typeof prepared)[number]): Promise<Quote> => {
    if (each instanceof Refusal) throw each
    // A customer with outdated methods gets another attempt in a statement of its own.
    let outcome = outcomeOf.get(each.quote)
    return withCurrentMethods(deps, async () => {
      const latest = outcome ?? (await insertAlone(deps.database, each.quote))
      outcome = undefined
      return readOutcome(each.request, each.quote, latest)
    })
  }
  return Promise.all(
    prepared.map((each) =>
      conclude(each).catch((error: unknown) => {
        if (error instanceof Refusal) return error
        throw error
      }),
    ),
  )
}

async function createQuote(
  deps: QuoteDeps,
  { insert, findKept }: Steps,
  caller: QuoteCaller,
  request: IdempotentRequest | undefined,
  inspected: Validated<QuoteBody>,
): Promise<CreatedQuote> {
  const { database } = deps
  const priced = await priceRequest(deps, database, caller, inspected)
  if (priced instanceof Refusal) {
    // The first answer stays valid when the same request has no price today.
    const kept = request && (await findKept(request))
    if (kept) return repeatAnswer(database, kept)
    // Missing and inactive parties are reported before problems of the body.
    const ids = quotePartyIdsOf((inspected.value ?? {}) as Partial<QuoteBody>)
    if (ids) requireActiveParties(await findQuoteParties(database, caller.organizationIds, ids))
    throw priced
  }
  const quote = newQuote(deps, caller, priced, request)
  const { outcome, kept } = await insert(quote)
  if (request && !outcome?.createdAt) {
    // The first answer comes before what is wrong with the quote today.
    const first = kept ? requireSame(kept, request) : await findKept(request)
    if (first) return repeatAnswer(database, first)
  }
  if (!outcome) throw new Error(`quote ${quote.quoteId} has no outcome`)
  if (!outcome.hasKey) throw inProgress()
  const stored = readOutcome(priced, quote, outcome)
  const shown = wire.presentQuote(stored, (asset) => currencyOf(deps.environment, asset))
  return { answer: JSON.stringify(shown), isReplay: false }
}

async function repeatAnswer(database: Queryable, kept: KeptQuote): Promise<CreatedQuote> {
  return { answer: writeAnswer(await store.findAnswerFacts(database, kept)), isReplay: true }
}

type PricedRequest = {
  body: QuoteBody
  route: RequestedRoute
  prices: Map<FeeTier, PricedRoute | PricingRefusal>
  receiving: ReceivingAccount | undefined
}

/** Prices a request from memory, once for each tier of the organizations the customer may belong to. */
async function priceRequest(
  deps: QuoteDeps,
  queryable: Queryable,
  caller: QuoteCaller,
  inspected: Validated<QuoteBody>,
): Promise<PricedRequest | Refusal> {
  if (!inspected.ok) return badFields(inspected.problems)
  try {
    const route = readRoute(inspected.value)
    requireOffered(deps, route)
    const prices: PricedRequest['prices'] = new Map()
    for (const organizationId of caller.organizationIds) {
      const tier = tierOf(caller, organizationId)
      if (!prices.has(tier)) prices.set(tier, priceFor(deps, route, tier))
    }
    const receiving = await findReceiving(deps, queryable, route)
    return { body: lowerCaseIds(inspected.value), route, prices, receiving }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Finds the account that shall receive the customer's transfer. A quote without one would be a promise to nowhere. */
async function findReceiving(
  deps: QuoteDeps,
  queryable: Queryable,
  { source }: RequestedRoute,
): Promise<ReceivingAccount | undefined> {
  if (!isFiatRail(source.method)) return undefined
  const receiving = await deps.findReceivingAccount(queryable, source.method)
  if (receiving) return receiving
  throw new Refusal(
    'PAYMENT_METHOD_NOT_AVAILABLE',
    `This deployment has no bank account that receives ${source.method}`,
  )
}

function newQuote(
  deps: QuoteDeps,
  caller: QuoteCaller,
  priced: PricedRequest,
  request: IdempotentRequest | undefined,
): NewQuote {
  const { body, route, prices } = priced
  const quoteId = newId()
  return {
    request,
    quoteId,
    customerId: body.customerId,
    isGuaranteed: body.guaranteeQuote ?? false,
    guarantee: body.guaranteeQuote ? guaranteeOf(deps.guaranteeLimits, prices.values()) : undefined,
    usdCents: valueOfRequest(prices.values()),
    organizations: caller.organizationIds.map((organizationId) => {
      return { organizationId, tier: tierOf(caller, organizationId) }
    }),
    source: { ...route.source, paymentAccountId: body.source.sourcePaymentAccountId },
    destination: { ...route.destination, paymentAccountId: body.destination.destinationPaymentAccountId },
    allowedBy: methodsEdition,
    sourceWalletType: walletTypeOf(route.source.method) ?? null,
    destinationWalletType: walletTypeOf(route.destination.method) ?? null,
    labels: { source: labelOf(route.source.asset), destination: labelOf(route.destination.asset) },
    own: presentOwnData(body),
    transferInstructions: instructionsFor(deps, priced) ?? null,
    transferWindowSeconds: transferWindowSeconds[route.source.method],
    prices: Object.fromEntries([...prices].map(([tier, priced]) => [tier, figuresOf(deps, body, priced)])),
  }
}

/** Returns the stored quote, or throws the refusal that explains why the statement stored none. */
function readOutcome({ body, route, prices }: PricedRequest, quote: NewQuote, outcome: store.QuoteOutcome): Quote {
  const { quoteId } = quote
  if (outcome.customerStatus === 'ACTIVE' && outcome.allowedBy !== methodsEdition) {
    throw new OutdatedMethods(outcome.customerOrganizationId ?? '', body.customerId)
  }
  if (!outcome.fits) requireQuoteParties(outcome, route, quote)
  const tier = tierOfOwner(quote, outcome)
  const priced = tier && prices.get(tier)
  if (!priced) throw new Error(`customer ${body.customerId} belongs to no organization of the caller`)
  const { derivation } = requirePriced(priced)
  if (outcome.guaranteeMaximum !== null) {
    throw aboveGuarantee(quote.guarantee?.usdCents ?? '0', outcome.guaranteeMaximum)
  }
  // Another quote has the id: the statement stored nothing.
  if (outcome.fits && !outcome.createdAt && body.externalId !== undefined) throw externalIdTaken()
  if (!outcome.createdAt || !outcome.expiresAt) throw new Error(`quote ${quoteId} was neither stored nor refused`)
  const { createdAt, expiresAt, guaranteedUntil } = outcome
  return { quoteId, createdAt, expiresAt, guaranteedUntil, derivation, ...quote.own }
}

function tierOfOwner({ organizations }: NewQuote, { customerOrganizationId }: store.QuoteOutcome) {
  return organizations.find(({ organizationId }) => organizationId === customerOrganizationId)?.tier
}

export function figuresOf(
  { environment }: QuoteDeps,
  body: QuoteBody,
  priced: PricedRoute | PricingRefusal,
): QuoteFigures | undefined {
  if (!priced.ok) return undefined
  const transactionParts = wire.presentTransactionParts(body.source, priced.derivation, (asset) =>
    currencyOf(environment, asset),
  )
  const { destinationAmount, svcFee, developerFee, derivation } = priced
  return {
    destinationAmount,
    svcFee,
    developerFee,
    exchangeRate: derivation.exchangeRate,
    derivation: JSON.stringify(derivation),
    transactionParts: JSON.stringify(transactionParts),
  }
}

function instructionsFor({ environment }: QuoteDeps, { route: { source }, receiving }: PricedRequest) {
  const currency = currencyOf(environment, source.asset)
  return transferInstructions({ ...source, currency, environment, receiving })
}
