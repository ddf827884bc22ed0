import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
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

const start = new Date('2026-11-13T15:00:00.000Z')
const { told, makeEcb, makeKraken } = await startRateServer()
const minute = 60
let now = start
/** The requests to the bank, by their conditional headers. */
let conditions: (string | undefined)[] = []
let bank = (_request: IncomingMessage, response: ServerResponse): unknown => response.end(ecbFile(goodCubes))
let exchange = (response: ServerResponse): unknown => response.end(krakenAnswer({ USDCUSD: market('1', '1') }))
told.answer = (request, response) => {
  if (request.url !== ecbPath) return void exchange(response)
  conditions.push(request.headers['if-none-match'] ?? request.headers['if-modified-since'])
  bank(request, response)
}
beforeEach(() => {
  now = start
  conditions = []
  told.asked = []
  bank = (_request, response) => response.end(ecbFile(goodCubes))
  exchange = (response) => response.end(krakenAnswer({ USDCUSD: market('1', '1') }))
})

/** Delays have no random part, so that the test can count them. */
async function makeBoth() {
  const made = await makeRates(
    [makeKraken(() => now), makeEcb()],
    () => now,
    () => 0,
  )
  const at = async (seconds: number) => {
    now = new Date(start.getTime() + seconds * 1_000)
    await made.service.refresh()
    return made.rates()
  }
  return { ...made, at }
}

const asOf = (name: string, value: string) => (request: IncomingMessage, response: ServerResponse) => {
  const condition = name === 'etag' ? 'if-none-match' : 'if-modified-since'
  if (request.headers[condition] === value) response.writeHead(304).end()
  else response.writeHead(200, { [name]: value }).end(ecbFile(goodCubes))
}

test('the daily file is polled every 15 minutes, a ticker each time', async () => {
  const { at } = await makeBoth()
  for (const seconds of [0, 15, 30, 45, 15 * minute - 1, 15 * minute]) await at(seconds)
  expect(told.asked.filter((url) => url === ecbPath)).toHaveLength(2)
  expect(told.asked.filter((url) => url !== ecbPath)).toHaveLength(6)
})

test.each([
  ['etag', '"14df23"'],
  ['last-modified', 'Fri, 13 Nov 2026 15:00:00 GMT'],
])('with its %s the bank answers "unchanged", and the earlier rates stay valid', async (name, value) => {
  bank = asOf(name, value)
  const { at, problems } = await makeBoth()
  await at(0)
  expect(await at(15 * minute)).toMatchObject({ EUR: 'ecb 1.08', INR: 'ecb 0.012' })
  bank = (_request, response) => response.end(ecbFile(goodCubes.replace('90.0000', '91.0000')))
  expect(await at(30 * minute)).toMatchObject({ INR: 'ecb 0.011868131868' })
  expect(conditions).toEqual([undefined, value, value])
  expect(problems).toEqual([])
})

test('the bank’s rates stay in use, without another request, when the exchange stops answering', async () => {
  const { at } = await makeBoth()
  exchange = (response) => response.end(krakenAnswer({ ZEURZUSD: market('1.1', '1.1') }))
  expect(await at(0)).toMatchObject({ EUR: 'kraken 1.1' })
  exchange = (response) => response.destroy()
  expect(await at(61)).toMatchObject({ EUR: 'ecb 1.08' })
  expect(conditions).toHaveLength(1)
})

test('after a failure the bank is polled with growing delays, without conditional headers', async () => {
  bank = asOf('etag', '"1"')
  const { at, problems } = await makeBoth()
  await at(0)
  bank = (_request, response) => response.writeHead(503).end()
  const asked: number[] = []
  for (let seconds = 15 * minute; seconds <= 60 * minute; seconds += 15) {
    const before = conditions.length
    expect(await at(seconds)).toMatchObject({ EUR: 'ecb 1.08', INR: 'ecb 0.012' })
    if (conditions.length > before) asked.push(seconds / minute)
  }
  expect(asked).toEqual([15, 16, 18, 22, 30, 45, 60])
  expect(conditions.slice(1)).toEqual(['"1"', ...Array.from({ length: 6 }, () => undefined)])
  expect(problems).toEqual(asked.map(() => 'ecb: the answer is 503'))
})

test('an unreadable file is not remembered, and "unchanged" to an unconditional request is a failure', async () => {
  const { at, problems } = await makeBoth()
  bank = (_request, response) => response.writeHead(200, { etag: '"half"' }).end(ecbFile(goodCubes).slice(0, 300))
  expect(await at(0)).not.toHaveProperty('EUR')
  bank = (_request, response) => response.writeHead(304).end()
  expect(await at(minute)).not.toHaveProperty('EUR')
  bank = asOf('etag', '"half"')
  expect(await at(3 * minute)).toMatchObject({ EUR: 'ecb 1.08' })
  expect(conditions).toEqual([undefined, undefined, undefined])
  expect(problems).toEqual([expect.any(String), 'ecb: the answer is 304'])
})

test('only a new answer of the bank confirms a jump, never the remembered file', async () => {
  const { at } = await makeBoth()
  bank = asOf('etag', '"monday"')
  await at(0)
  // One digit is changed in transit, once.
  bank = (_request, response) => {
    bank = asOf('etag', '"tuesday"')
    response
      .writeHead(200, { etag: '"tuesday"' })
      .end(ecbFile([cube('USD', '1.0800'), cube('INR', '70.0000')].join('')))
  }
  expect(await at(15 * minute)).toMatchObject({ INR: 'ecb 0.012' })
  expect(await at(15 * minute + 45)).toMatchObject({ INR: 'ecb 0.012' })
  expect(await at(15 * minute + 90)).toMatchObject({ INR: 'ecb 0.012' })
  expect(conditions).toEqual([undefined, '"monday"', undefined])
})

test('a file from before a jump of the exchange does not confirm the jump', async () => {
  const { at } = await makeBoth()
  bank = (_request, response) => response.end(ecbFile(cube('USD', '1.2000')))
  exchange = (response) => response.end(krakenAnswer({ ZEURZUSD: market('1.08', '1.08') }))
  await at(0)
  exchange = (response) => response.end(krakenAnswer({ ZEURZUSD: market('1.2', '1.2') }))
  await at(15)
  exchange = (response) => response.destroy()
  expect(await at(75)).toMatchObject({ EUR: 'kraken 1.08' })
  expect(conditions).toHaveLength(1)
  expect(await at(90)).toMatchObject({ EUR: 'ecb 1.2' })
  expect(conditions).toHaveLength(2)
})

/** Two workers that take turns, each with its own memory. */
async function makeTwo() {
  const one = await makeRates([makeEcb()], () => now)
  const other = one.another([makeEcb()])
  const at = async (seconds: number, { refresh }: Pick<typeof other, 'refresh'>) => {
    now = new Date(start.getTime() + seconds * 1_000)
    const { accepted, doubted } = await refresh()
    return `accepted ${accepted}, doubted ${doubted}`
  }
  return { one, other, at }
}

test('a worker that remembers an older file does not restore its rates', async () => {
  const { one, other, at } = await makeTwo()
  await at(0, one.service)
  await at(10, other)
  bank = (_request, response) => response.end(ecbFile(goodCubes.replace('90.0000', '91.0000')))
  await at(15 * minute, one.service)
  expect(await at(15 * minute + 5, other)).toBe('accepted EUR,CAD, doubted ')
  expect(await one.rates()).toMatchObject({ INR: 'ecb 0.011868131868' })
})

test('a worker that remembers an older file does not confirm a rate that another worker doubts', async () => {
  const { one, other, at } = await makeTwo()
  expect(await at(0, one.service)).toBe('accepted EUR,CAD,INR, doubted ')
  await at(10, other)
  bank = (_request, response) => response.end(ecbFile(goodCubes.replace('90.0000', '100.0000')))
  expect(await at(15 * minute, one.service)).toBe('accepted EUR,CAD, doubted INR')
  expect(await at(15 * minute + 5, other)).toBe('accepted EUR,CAD, doubted ')
  await one.service.load()
  expect(one.service.current().get('INR')).toMatchObject({ isDoubted: true })
  expect(await at(15 * minute + 35, other)).toBe('accepted EUR,CAD,INR, doubted ')
})

test('every refresh lists remembered rates as accepted', async () => {
  const { service, at } = await makeBoth()
  await at(0)
  now = new Date(start.getTime() + 15_000)
  expect((await service.refresh()).accepted).toContain('INR')
})

test('a clock that is set back does not delay the next poll', async () => {
  const { at } = await makeBoth()
  await at(0)
  await at(-3_600)
  expect(conditions).toHaveLength(2)
})
