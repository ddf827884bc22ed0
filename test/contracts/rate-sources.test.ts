import type { RequestListener } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { createFixedRates } from '../../src/adapters/rates/fixed-rates.ts'
import { formatRate } from '../../src/lib/money.ts'
import { priceOf, type RateSource } from '../../src/quotes/rates/rates.ts'
import {
  cube,
  ecbFile,
  ecbPath,
  goodCubes,
  krakenAnswer,
  makeRates,
  market,
  startRateServer,
} from '../support/money/rate-servers.ts'

const { told, makeEcb, makeKraken } = await startRateServer()
beforeEach(() => {
  told.asked = []
})
const day = new Date('2026-11-13T15:00:00.000Z')
const ecb = makeEcb()
const kraken = makeKraken(() => day)
const says = (text: string, status = 200): RequestListener => {
  return (_request, response) => response.writeHead(status).end(text)
}
const shown = async (source: RateSource) =>
  (await source.read(false)).map(({ label, usd, asOf }) => `${label} ${formatRate(usd)} ${asOf.toISOString()}`)

const goodMarkets = {
  USDCUSD: market('0.9998', '1.0000'),
  EURCUSD: market('1.0790', '1.0810'),
  ZEURZUSD: market('1.07990', '1.08010'),
  ZUSDZCAD: market('1.39990', '1.40010'),
}

test('the reference rates of the European Central Bank are read as published', async () => {
  told.answer = says(ecbFile(goodCubes))
  expect(await shown(ecb)).toEqual([
    'EUR 1.08 2026-11-13T13:15:00.000Z',
    'CAD 0.72 2026-11-13T13:15:00.000Z',
    'INR 0.012 2026-11-13T13:15:00.000Z',
  ])
  expect(told.asked).toEqual([ecbPath])
})

test('the ticker of Kraken is read in the middle between bid and ask', async () => {
  told.answer = says(krakenAnswer(goodMarkets))
  expect(await shown(kraken)).toEqual([
    `USDC 0.9999 ${day.toISOString()}`,
    `EURC 1.08 ${day.toISOString()}`,
    `EUR 1.08 ${day.toISOString()}`,
    `CAD 0.714285714285 ${day.toISOString()}`,
  ])
  expect(told.asked).toEqual(['/0/public/Ticker?pair=USDCUSD,EURCUSD,EURUSD,USDCAD'])
})

// biome-ignore format: a table is read by column
test.each([
  ['no dollar',           says(ecbFile(cube('CAD', '1.5')))],
  ['no day',              says(ecbFile(goodCubes, 'yesterday'))],
  ['a day of no month',   says(ecbFile(goodCubes, '2026-02-31'))],
  ['the dollar twice',    says(ecbFile(goodCubes + cube('USD', '1.1000')))],
  ['two days',            says(ecbFile(`${goodCubes}</Cube><Cube time='2026-11-12'>${goodCubes}`))],
  ['a page of HTML',      says('<!doctype html><html><body>Maintenance</body></html>')],
  ['nothing',             says('')],
  ['half a file',         says(ecbFile(goodCubes).slice(0, 300))],
  ['a 500',               says(ecbFile(goodCubes), 500)],
  ['a redirect',          (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['a megabyte too much', says(ecbFile(goodCubes + ' '.repeat(1_000_000)))],
  ['a reset',             (request) => request.socket.destroy()],
] as [string, RequestListener][])('the European Central Bank sends %s: no rate is read', async (_what, listener) => {
  told.answer = listener
  await expect(ecb.read(false)).rejects.toThrow()
})

// biome-ignore format: a table is read by column
test.each([
  ['an error',            says(krakenAnswer({}, ['EGeneral:Temporary lockout']))],
  ['no error list',       says('{"result":{}}')],
  ['null',                says('null')],
  ['garbage',             says('{"error":[],"result":{"USDCUSD":')],
  ['a 429',               says(krakenAnswer(goodMarkets), 429)],
] as [string, RequestListener][])('Kraken sends %s: no rate is read', async (_what, listener) => {
  told.answer = listener
  await expect(kraken.read(false)).rejects.toThrow()
})

// biome-ignore format: a table is read by column
test.each([
  ['numbers in place of texts', { USDCUSD: { a: [1], b: [1] } }],
  ['an exponent',               { USDCUSD: market('1e0', '1') }],
  ['a negative price',          { USDCUSD: market('-1', '1') }],
  ['zero',                      { USDCUSD: market('0', '0') }],
  ['bid above ask',             { USDCUSD: market('1.01', '1.00') }],
  ['a market that is too wide', { USDCUSD: market('0.90', '1.10') }],
  ['next to nothing',           { USDCUSD: market('0.0000000000001', '0.0000000000001') }],
  ['no bid',                    { USDCUSD: { a: ['1'] } }],
  ['null for a market',         { USDCUSD: null }],
] as const)('Kraken shows %s: that market has no rate, the others have', async (_what, broken) => {
  told.answer = says(krakenAnswer({ ...goodMarkets, ...broken }))
  const labels = (await kraken.read(false)).map(({ label }) => label)
  expect(labels).toEqual(['EURC', 'EUR', 'CAD'])
})

// biome-ignore format: a table is read by column
test.each([
  ['a negative rate',    cube('CAD', '-1.5')],
  ['zero',               cube('CAD', '0.0000')],
  ['no number',          cube('CAD', 'NaN')],
  ['an exponent',        cube('CAD', '1e308')],
  ['a rate past bounds', cube('CAD', '99999999999999999999')],
  ['two of it',          cube('CAD', '1.5000') + cube('CAD', '15.000')],
  ['the same twice',     cube('CAD', '1.5000') + cube('CAD', '1.5000')],
])('the European Central Bank shows %s: that currency has no rate, the others have', async (_what, cubes) => {
  told.answer = says(ecbFile(cube('USD', '1.08') + cubes + cube('INR', '90')))
  expect((await ecb.read(false)).map(({ label }) => label)).toEqual(['EUR', 'INR'])
})

test('an inverted market does not hide the next source', async () => {
  told.answer = (request, response) =>
    request.url?.startsWith('/0/')
      ? response.end(krakenAnswer({ ...goodMarkets, ZUSDZCAD: market('0.7142', '0.7144') }))
      : response.end(ecbFile(goodCubes))
  const { service, rates, problems } = await makeRates([kraken, ecb], () => day)
  await service.refresh()
  expect(await rates()).toMatchObject({ EUR: 'kraken 1.08', CAD: 'ecb 0.72' })
  expect(problems).toEqual(['kraken: CAD is outside its plausible range'])
})

test('the next source gives the rates that the first one lacks; other currencies have none', async () => {
  told.answer = (request, response) =>
    request.url?.startsWith('/0/')
      ? response.end(krakenAnswer({ USDCUSD: goodMarkets.USDCUSD }))
      : response.end(ecbFile(goodCubes))
  const { service, rates } = await makeRates([kraken, ecb], () => day)
  expect(await service.refresh()).toEqual({ accepted: ['USDC', 'EUR', 'CAD', 'INR'], doubted: [] })
  expect(await rates()).toMatchObject({ USDC: 'kraken 0.9999', EUR: 'ecb 1.08', INR: 'ecb 0.012' })
})

test('a source that hangs or fails does not delay the others', async () => {
  told.answer = (request, response) => {
    if (request.url?.startsWith('/0/')) request.socket.destroy()
    else response.end(ecbFile(goodCubes))
  }
  const { service, rates, problems } = await makeRates([kraken, ecb], () => day)
  await service.refresh()
  expect(await rates()).toMatchObject({ EUR: 'ecb 1.08' })
  expect(problems).toEqual([expect.stringContaining('kraken: no answer')])
})

test('a silent exchange stays in use for one minute, and is used again at once when it answers', async () => {
  let now = day
  let isSilent = false
  told.answer = (request, response) => {
    if (!request.url?.startsWith('/0/')) response.end(ecbFile(goodCubes))
    else if (isSilent) request.socket.destroy()
    else response.end(krakenAnswer({ ZEURZUSD: market('1.1', '1.1') }))
  }
  const source = makeKraken(() => now)
  const { service, rates } = await makeRates([source, ecb], () => now)
  const afterSeconds = async (seconds: number, silent: boolean) => {
    isSilent = silent
    now = new Date(day.getTime() + seconds * 1_000)
    await service.refresh()
    return (await rates()).EUR
  }
  expect(await afterSeconds(0, false)).toBe('kraken 1.1')
  expect(await afterSeconds(15, true)).toBe('kraken 1.1')
  expect(await afterSeconds(60, true)).toBe('kraken 1.1')
  expect(await afterSeconds(61, true)).toBe('ecb 1.08')
  expect(await afterSeconds(75, false)).toBe('kraken 1.1')
})

test('a source with impossible dates does not hide the next source', async () => {
  told.answer = (request, response) =>
    request.url?.startsWith('/0/')
      ? response.end(krakenAnswer(goodMarkets))
      : response.end(ecbFile(goodCubes, '2026-11-14'))
  const { service, rates, problems } = await makeRates([ecb, kraken], () => day)
  await service.refresh()
  expect(await rates()).toMatchObject({ EUR: 'kraken 1.08' })
  expect(problems).toContain('ecb: EUR has a date in the future')
})

test('a huge jump is accepted only when it persists for half a minute', async () => {
  let now = day
  let bid = '1.0000'
  told.answer = (_request, response) => response.end(krakenAnswer({ USDCUSD: market(bid, bid) }))
  const source = makeKraken(() => now)
  const { service, rates } = await makeRates([source], () => now)
  await service.refresh()
  bid = '0.9000'
  now = new Date(day.getTime() + 15_000)
  expect(await service.refresh()).toMatchObject({ doubted: ['USDC'] })
  now = new Date(day.getTime() + 30_000)
  await service.refresh()
  expect(await rates()).toMatchObject({ USDC: 'kraken 1' })
  // Meanwhile there is no price, because the rate may be wrong.
  expect(priceOf(service.current(), 'USDC', 'USD', now)).toMatchObject({
    ok: false,
    why: expect.stringContaining('jumped'),
  })
  now = new Date(day.getTime() + 45_000)
  expect(await service.refresh()).toMatchObject({ accepted: ['USDC'] })
  expect(await rates()).toMatchObject({ USDC: 'kraken 0.9' })
})

test('a reference rate of last week is not used', async () => {
  told.answer = says(ecbFile(goodCubes, '2026-11-06'))
  const { service } = await makeRates([ecb], () => day)
  expect(await service.refresh()).toEqual({ accepted: [], doubted: [] })
})

test('every fixed rate is available, dated at the time of the request', async () => {
  expect(await shown(createFixedRates(() => day))).toEqual(
    ['EUR 1.08', 'CAD 0.72', 'INR 0.012', 'USDC 1', 'EURC 1.08'].map((each) => `${each} ${day.toISOString()}`),
  )
})
