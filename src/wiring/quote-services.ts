import { createOutboundHttp } from '../adapters/outbound-http.ts'
import { createEcbRates } from '../adapters/rates/ecb-rates.ts'
import { createFixedRates } from '../adapters/rates/fixed-rates.ts'
import { createKrakenRates, krakenPath } from '../adapters/rates/kraken-rates.ts'
import { fetchFrom } from '../adapters/rates/reading.ts'
import type { Config } from '../config.ts'
import type { CustomerService } from '../customers/service.ts'
import type { QuoteDeps } from '../quotes/price.ts'
import type { RateSource } from '../quotes/rates/rates.ts'
import { createRateService } from '../quotes/rates/service.ts'
import { createQuoteService } from '../quotes/service.ts'
import { sandboxReceivingAccounts } from '../sandbox/receiving-accounts.ts'
import { createReceivingAccounts } from '../transactions/treasury/receiving-accounts.ts'
import type { Deps } from './deps.ts'

export type QuoteServices = ReturnType<typeof createQuoteServices>

export function createQuoteServices(deps: Deps, { customers }: { customers: CustomerService }) {
  const { config, log, database, pages, revisions } = deps
  const now = () => new Date(revisions.databaseNow())
  const http = createOutboundHttp()
  const known: Record<Config['rateSources'][number], () => RateSource> = {
    fixed: () => createFixedRates(now),
    ecb: () => createEcbRates(fetchFrom(http, config.ecbUrl)),
    kraken: () => createKrakenRates(fetchFrom(http, config.krakenUrl + krakenPath), now),
  }
  const rates = createRateService({
    database,
    sources: config.rateSources.map((name) => known[name]()),
    nowMs: revisions.databaseNow,
    onProblem: (source, why) => log.warn({ source, why }, 'a rate source returned no usable rate'),
  })
  const quoteDeps: QuoteDeps = {
    database,
    pages,
    customers,
    rates,
    environment: config.environment,
    configuredMethods: config.paymentMethods,
    guaranteeLimits: config.guarantees,
    findReceivingAccount:
      config.environment === 'sandbox'
        ? async (_queryable, rail) => sandboxReceivingAccounts[rail]
        : createReceivingAccounts(),
    onNoPrice: (why) => log.warn({ why }, 'a quote was refused because no price is known'),
  }
  return { rates, quotes: createQuoteService(quoteDeps), quoteDeps, closeRates: http.close }
}
