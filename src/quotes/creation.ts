import { currencyOf, type FiatRail, labelOf } from '../catalog/currencies.ts'
import type { FeeTier } from '../catalog/fee-schedule.ts'
import { methodsEdition } from '../catalog/payment-methods.ts'
import type { Queryable } from '../db/database.ts'
import { gather } from '../db/gather.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { badFields, Refusal, unavailable } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import { walletTypeOf } from './account-fit.ts'
import { type Asker, orRefuse, priceFor, type QuoteDeps, requireOffered, tierOf } from './price.ts'
import type { Priced, PricingRefusal } from './pricing.ts'
import type { Derivation } from './quote.ts'
import { inOneCase, quotePartyIdsOf, requireQuoteParties, requireUsable } from './quote-parties.ts'
import { type QuoteBody, type RequestedRoute, readRoute } from './request.ts'
import * as store from './store.ts'
import { transferInstructions, transferWindowSeconds } from './transfer-instructions.ts'
import * as wire from './wire.ts'

export type Quote = Pick<store.QuoteRow, 'quoteId' | 'createdAt' | 'expiresAt'> & { derivation: Derivation }

export type Wanted = { asker: Asker; body: QuoteBody }

/** The catalog changed since it was found out what this customer may use. */
class OutdatedMethods extends Error {
  readonly organizationId: string
  readonly customerId: string
  constructor(organizationId: string, customerId: string) {
    super(`the methods of customer ${customerId} are outdated`)
    this.organizationId = organizationId
    this.customerId = customerId
  }
}

/** Processes of two editions of the catalog undo each other's findings while a deployment is upgraded. */
const attemptsAtMethods = 5

/** As many as share one statement and its commit, and how many such statements at once. */
const gathered = { most: 64, inFlight: 2 }

export function createQuoteCreationService(deps: QuoteDeps) {
  const { database } = deps
  const insertWithOthers = gather({
    ...gathered,
    run: (quotes: readonly store.NewQuote[]) => store.insertQuotes(database, quotes),
  })
  return {
    /** One round trip: rates and tiers come from memory, customer and accounts are looked at while storing. */
    create: <Answer>(
      caller: Caller,
      inspected: Validated<QuoteBody>,
      run: (effect: (queryable: Queryable) => Promise<Quote>) => Promise<Answer>,
    ): Promise<Answer> =>
      knowingMethods(deps, () =>
        run((queryable) => {
          const insert = queryable === database ? insertWithOthers : insertAlone(queryable)
          return createQuote(deps, queryable, insert, caller, inspected)
        }),
      ),

    createMany: (wanted: readonly Wanted[]) => createMany(deps, wanted),
  }
}

type Insert = (quote: store.NewQuote) => Promise<store.QuoteOutcome>

function insertAlone(queryable: Queryable): Insert {
  return async (quote) => {
    const [outcome] = await store.insertQuotes(queryable, [quote])
    if (!outcome) throw new Error('a quote came to nothing')
    return outcome
  }
}

async function knowingMethods<Result>(deps: QuoteDeps, create: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= attemptsAtMethods; attempt += 1) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof OutdatedMethods)) throw error
      // Outside of the transaction that found it: opening a customer asks the database, too.
      await deps.customers.findAllowedMethods(error.organizationId, error.customerId)
    }
  }
  throw unavailable('It is being found out what the customer may use', 1)
}

/** Each is stored or refused by itself, all in one round trip. For those who act without being asked. */
async function createMany(deps: QuoteDeps, wanted: readonly Wanted[]): Promise<(Quote | Refusal)[]> {
  const prepared = wanted.map(({ asker, body }) => {
    const asked = priceAsked(deps, asker, { ok: true, value: body })
    return asked instanceof Refusal ? asked : { asked, quote: newQuote(deps, asker, asked) }
  })
  const quotes = prepared.flatMap((each) => (each instanceof Refusal ? [] : [each.quote]))
  const outcomes = quotes.length > 0 ? await store.insertQuotes(deps.database, quotes) : []
  const outcomeOf = new Map(quotes.map((quote, place) => [quote, outcomes[place]]))
  const conclude = async (each: (typeof prepared)[number]): Promise<Quote> => {
    if (each instanceof Refusal) throw each
    // Whoever turns out to be outdated is asked about again, alone.
    let outcome = outcomeOf.get(each.quote)
    return knowingMethods(deps, async () => {
      const seen = outcome ?? (await insertAlone(deps.database)(each.quote))
      outcome = undefined
      return readOutcome(each.asked, each.quote, seen)
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
  queryable: Queryable,
  insert: Insert,
  asker: Asker,
  inspected: Validated<QuoteBody>,
): Promise<Quote> {
  const asked = priceAsked(deps, asker, inspected)
  if (asked instanceof Refusal) {
    // 404 and the states of customer and accounts are told before anything is said about the rest of the body.
    const ids = quotePartyIdsOf((inspected.value ?? {}) as Partial<QuoteBody>)
    if (ids) requireUsable(await store.findQuoteParties(queryable, asker.organizationIds, ids))
    throw asked
  }
  const quote = newQuote(deps, asker, asked)
  return readOutcome(asked, quote, await insert(quote))
}

type Asked = {
  body: QuoteBody
  route: RequestedRoute
  prices: Map<FeeTier, Priced | PricingRefusal>
}

/** From memory alone: a price for each tier of those that the customer might belong to, or why there is none. */
function priceAsked(deps: QuoteDeps, asker: Asker, inspected: Validated<QuoteBody>): Asked | Refusal {
  if (!inspected.ok) return badFields(inspected.problems)
  try {
    const route = readRoute(inspected.value)
    requireOffered(deps, route)
    const prices: Asked['prices'] = new Map()
    for (const organizationId of asker.organizationIds) {
      const tier = tierOf(asker, organizationId)
      if (!prices.has(tier)) prices.set(tier, priceFor(deps, route, tier))
    }
    return { body: inOneCase(inspected.value), route, prices }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function newQuote(deps: QuoteDeps, asker: Asker, { body, route, prices }: Asked): store.NewQuote {
  return {
    ...{ quoteId: newId(), customerId: body.customerId, isGuaranteed: body.guaranteeQuote ?? false },
    organizations: asker.organizationIds.map((organizationId) => {
      return { organizationId, tier: tierOf(asker, organizationId) }
    }),
    source: { ...route.source, paymentAccountId: body.source.sourcePaymentAccountId },
    destination: { ...route.destination, paymentAccountId: body.destination.destinationPaymentAccountId },
    allowedBy: methodsEdition,
    sourceWalletType: walletTypeOf(route.source.asset) ?? null,
    destinationWalletType: walletTypeOf(route.destination.asset) ?? null,
    labels: { source: labelOf(route.source.asset), destination: labelOf(route.destination.asset) },
    transferInstructions: instructionsFor(deps, route) ?? null,
    transferWindowSeconds: transferWindowSeconds[route.source.method],
    prices: Object.fromEntries([...prices].map(([tier, priced]) => [tier, figuresOf(deps, body, priced)])),
  }
}

/** The stored quote, or a refusal: whatever stood in its way. */
function readOutcome({ body, route, prices }: Asked, quote: store.NewQuote, outcome: store.QuoteOutcome): Quote {
  const { quoteId, organizations } = quote
  if (outcome.customerStatus === 'ACTIVE' && outcome.allowedBy !== methodsEdition) {
    throw new OutdatedMethods(outcome.customerOrganizationId ?? '', body.customerId)
  }
  requireQuoteParties(outcome, route, quote)
  const owner = organizations.find(({ organizationId }) => organizationId === outcome.customerOrganizationId)
  const priced = owner && prices.get(owner.tier)
  if (!priced) throw new Error(`customer ${body.customerId} belongs to nobody who asked`)
  const { derivation } = orRefuse(priced)
  if (!outcome.createdAt || !outcome.expiresAt) throw new Error(`quote ${quoteId} was neither stored nor refused`)
  return { quoteId, createdAt: outcome.createdAt, expiresAt: outcome.expiresAt, derivation }
}

export function figuresOf(
  { environment }: QuoteDeps,
  body: QuoteBody,
  priced: Priced | PricingRefusal,
): store.QuoteFigures | undefined {
  if (!priced.ok) return undefined
  const transactionParts = wire.presentTransactionParts(body, priced.derivation, (asset) =>
    currencyOf(environment, asset),
  )
  const { destinationAmount, svcFee, developerFee, derivation } = priced
  return {
    ...{ destinationAmount: String(destinationAmount), svcFee: String(svcFee), developerFee: String(developerFee) },
    ...{ exchangeRate: derivation.exchangeRate, derivation, transactionParts },
  }
}

function instructionsFor({ environment, receivingAccounts }: QuoteDeps, { source }: RequestedRoute) {
  const currency = currencyOf(environment, source.asset)
  const receiving = receivingAccounts[source.method as FiatRail]
  return transferInstructions({ ...source, currency, environment, receiving })
}
