import { makeOutboundHttp } from '../adapters/outbound-http.ts'
import { makeEcbRates } from '../adapters/rates/ecb-rates.ts'
import { makeFixedRates } from '../adapters/rates/fixed-rates.ts'
import { krakenPath, makeKrakenRates } from '../adapters/rates/kraken-rates.ts'
import { fetchFrom } from '../adapters/rates/reading.ts'
import type { Config } from '../config.ts'
import type { CustomerService } from '../customers/service.ts'
import type { QuoteOptions } from '../quotes/price.ts'
import type { RateSource } from '../quotes/rates/rates.ts'
import { makeRateService } from '../quotes/rates/service.ts'
import { makeQuoteService } from '../quotes/service.ts'
import { sandboxReceivingAccounts } from '../sandbox/receiving-accounts.ts'
import type { AppOptions, ServiceParts } from './parts.ts'

export function makeQuoteServices({ config, log }: AppOptions, parts: ServiceParts & { customers: CustomerService }) {
  const { database, watch, customers } = parts
  const now = () => new Date(watch.databaseNow())
  const http = makeOutboundHttp()
  const known: Record<Config['rateSources'][number], () => RateSource> = {
    fixed: () => makeFixedRates(now),
    ecb: () => makeEcbRates(fetchFrom(http, config.ecbUrl)),
    kraken: () => makeKrakenRates(fetchFrom(http, config.krakenUrl + krakenPath), now),
  }
  const rates = makeRateService({
    database,
    sources: config.rateSources.map((name) => known[name]()),
    nowMs: watch.databaseNow,
    onProblem: (source, why) => log.warn({ source, why }, 'a rate source gave nothing usable'),
  })
  const quoteOptions: QuoteOptions = {
    ...{ database, customers, rates, environment: config.environment, configuredMethods: config.paymentMethods },
    receivingAccounts: config.environment === 'sandbox' ? sandboxReceivingAccounts : {},
    onNoPrice: (why) => log.warn({ why }, 'a quote was refused for want of a price'),
  }
  const quotes = makeQuoteService(quoteOptions)
  return { rates, quotes, quoteOptions, closeRates: http.close }
}
