import { expect, test } from 'vitest'
import type { AnswerFacts } from './new-quote.ts'
import { writeAnswer } from './repeated-answer.ts'

const fees = {
  feeCurrency: { chain: 'BASE', label: 'USDC', contractAddress: '0xabc', currencyDecimals: 6 } as const,
  svcFee: { feeUSDAmount: '0.06', feeAmount: '0.050000' },
  developerFee: { feeUSDAmount: '0.00', feeAmount: '0.000000' },
}
const facts: AnswerFacts = {
  quoteId: '019aa001-0000-7000-8000-000000000001',
  expiresAt: new Date('2026-01-02T03:04:05.678Z'),
  exchangeRate: '0.998',
  destinationAmount: '993',
  parts: { destinationDecimals: 2, fees },
  guaranteedUntil: null,
  externalId: null,
}
const head =
  '{"quoteId":"019aa001-0000-7000-8000-000000000001","expiresAt":"2026-01-02T03:04:05.678Z",' +
  '"estimatedExchangeRate":"0.998","destinationAmount":"9.93","fees":{"feeCurrency":'
const tail =
  ',"svcFee":{"feeAmount":"0.050000","feeUSDAmount":"0.06"},' +
  '"developerFee":{"feeAmount":"0.000000","feeUSDAmount":"0.00"}}'
const token = '{"label":"USDC","chain":"BASE","contractAddress":"0xabc","currencyDecimals":6}'

// The bytes of answers that callers have: never change them. A new look of quotes needs a version, stored with the key.
test.each<[name: string, changed: Partial<AnswerFacts>, bytes: string]>([
  ['in tokens', {}, `${head}${token}${tail}}`],
  [
    'in a fiat currency',
    { parts: { destinationDecimals: 2, fees: { ...fees, feeCurrency: { label: 'EUR' } } } },
    `${head}{"label":"EUR"}${tail}}`,
  ],
  [
    'with a guarantee and an external id',
    { guaranteedUntil: new Date('2026-01-02T04:00:00Z'), externalId: '"é' },
    `${head}${token}${tail},"guaranteedUntil":"2026-01-02T04:00:00.000Z","externalId":"\\"é"}`,
  ],
])('the answer of a quote %s is written with the same bytes for ever', (_name, changed, bytes) => {
  expect(writeAnswer({ ...facts, ...changed })).toBe(bytes)
})
