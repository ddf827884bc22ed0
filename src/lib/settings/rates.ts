import type { settingsOf } from '../settings.ts'

const rateSources = ['fixed', 'ecb', 'kraken'] as const
const ecbRates = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'
const krakenRates = 'https://api.kraken.com'

export type RateSettings = {
  /** The sources of rates, in order of preference. */
  rateSources: (typeof rateSources)[number][]
  ratesEveryMs: number
  ecbUrl: string
  krakenUrl: string
  /** The limits of guaranteed quotes between currencies, in whole dollars. */
  guarantees: { perTransactionUsd: number; perOrganizationUsd: number; windowSeconds: number }
}

/** Reads where prices come from, and how much Svc guarantees of them. */
export function readRates(
  environment: 'sandbox' | 'production',
  { list, integer, url }: ReturnType<typeof settingsOf>,
): RateSettings {
  return {
    rateSources: list(
      'SVC_RATES',
      environment === 'sandbox' ? ['fixed'] : ['kraken', 'ecb'],
      (name) => rateSources.some((source) => source === name),
      'kraken,ecb',
      `some of ${rateSources.join(', ')}`,
    ) as RateSettings['rateSources'],
    ratesEveryMs: integer('SVC_RATES_EVERY_MS', 15_000, 200, 60_000),
    ecbUrl: url('SVC_RATES_ECB_URL', ['http:', 'https:'], ecbRates) ?? ecbRates,
    krakenUrl: (url('SVC_RATES_KRAKEN_URL', ['http:', 'https:'], krakenRates) ?? krakenRates).replace(/\/+$/, ''),
    guarantees: {
      perTransactionUsd: integer('SVC_GUARANTEE_PER_TRANSACTION', 10_000, 0, 1_000_000_000),
      perOrganizationUsd: integer('SVC_GUARANTEE_PER_ORGANIZATION', 100_000, 0, 1_000_000_000),
      // From the lifetime of a quote, so that no transaction begins with a guarantee that is over.
      windowSeconds: integer('SVC_GUARANTEE_WINDOW', 3_600, 300, 3_600),
    },
  }
}
