import { expect, test } from 'vitest'
import { admitRate } from './admit-rate.ts'
import { type PricedLabel, readRate } from './rates.ts'

const now = new Date('2026-11-15T12:00:00.000Z')
const rateOf = (text: string) => {
  const rate = readRate(text)
  if (!rate) throw new Error(text)
  return rate
}
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

// biome-ignore format: a table is read by column
test.each([
  // label    before   doubted   doubted ago  reading   read ago   outcome
  ['EUR',     null,    null,     0,           '1.08',   0,         'ACCEPTED'],
  ['EUR',     '1.08',  null,     0,           '1.10',   0,         'ACCEPTED'],
  ['EUR',     '1.08',  null,     0,           '1.134',  0,         'ACCEPTED'],
  ['EUR',     '1.08',  null,     0,           '1.135',  0,         'DOUBTED'],
  ['EUR',     '1.08',  null,     0,           '2.16',   0,         'REJECTED'],
  ['EUR',     null,    null,     0,           '108',    0,         'REJECTED'],
  ['EUR',     '1.08',  '108',    60,          '108',    0,         'REJECTED'],
  ['CAD',     null,    null,     0,           '1.39',   0,         'REJECTED'],
  ['INR',     null,    null,     0,           '83',     0,         'REJECTED'],
  ['USDC',    '1',     null,     0,           '0.01',   0,         'DOUBTED'],
  ['USDC',    '1',     '0.01',   60,          '0.01',   0,         'ACCEPTED'],
  ['EUR',     '1.08',  '1.20',   29,          '1.20',   0,         'DOUBTED'],
  ['EUR',     '1.08',  '1.20',   30,          '1.20',   0,         'ACCEPTED'],
  ['EUR',     '1.08',  '1.20',   60,          '1.21',   0,         'ACCEPTED'],
  ['EUR',     '1.08',  '1.20',   60,          '1.30',   0,         'DOUBTED'],
  ['EUR',     '1.08',  '1.20',   60,          '1.081',  0,         'ACCEPTED'],
  ['EUR',     '1.08',  '1.20',   3_601,       '1.20',   0,         'DOUBTED'],
  ['USDC',    '1',     null,     0,           '0.981',  0,         'ACCEPTED'],
  ['USDC',    '1',     null,     0,           '0.97',   0,         'DOUBTED'],
  ['EUR',     '1.08',  null,     0,           '1.08',   601,       'REJECTED'],
  ['EUR',     '1.08',  null,     0,           '1.08',   -61,       'REJECTED'],
  ['EUR',     '1.08',  null,     0,           '1.08',   Number.NaN, 'REJECTED'],
] as const)('%s was %s, doubted %s %i s ago, now %s of %d s ago: %s', (label, before, doubted, doubtedAgo, reading, readAgo, outcome) => {
  const memory = {
    ...(before ? { accepted: { usd: rateOf(before), asOf: ago(60), source: 'test' } } : {}),
    ...(doubted ? { doubted: { usd: rateOf(doubted), seenAt: ago(doubtedAgo) } } : {}),
  }
  const admission = admitRate({ label: label as PricedLabel, usd: rateOf(reading), asOf: ago(readAgo), source: 'test' }, memory, now, 600_000)
  expect(admission.outcome).toBe(outcome)
})

test.each([
  ['the same source', 'test', 61, 'REJECTED'],
  ['the same source again', 'test', 60, 'ACCEPTED'],
  ['another source', 'other', 61, 'ACCEPTED'],
] as const)('after a reading of a minute ago, %s of %s with one of %i s ago: %s', (_what, source, readAgo, outcome) => {
  const reading = { label: 'EUR', usd: rateOf('1.09'), asOf: ago(readAgo), source } as const
  const accepted = { usd: rateOf('1.08'), asOf: ago(60), source: 'test' }
  expect(admitRate(reading, { accepted }, now, 600_000).outcome).toBe(outcome)
})
