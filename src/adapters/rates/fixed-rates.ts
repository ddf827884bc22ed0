import { parseRate } from '../../lib/money.ts'
import type { PricedLabel, RateReading, RateSource } from '../../quotes/rates/rates.ts'

/** The constant rates of the sandbox: examples and tests can be computed by hand. */
const usdPerUnit: Readonly<Record<Exclude<PricedLabel, 'USD'>, string>> = {
  EUR: '1.08',
  CAD: '0.72',
  INR: '0.012',
  USDC: '1',
  EURC: '1.08',
}

export function createFixedRates(now: () => Date): RateSource {
  return {
    name: 'fixed',
    maxAgeMs: 600_000,
    read: async () =>
      Object.entries(usdPerUnit).map(([label, text]): RateReading => {
        const parsed = parseRate(text)
        if (!parsed.ok) throw new Error(`the fixed rate of ${label} ${parsed.problem}`)
        return { label: label as PricedLabel, usd: parsed.rate, asOf: now(), source: 'fixed' }
      }),
  }
}
