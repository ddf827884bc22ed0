import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { createEcbRates } from '../../../src/adapters/rates/ecb-rates.ts'
import { createKrakenRates, krakenPath } from '../../../src/adapters/rates/kraken-rates.ts'
import { fetchFrom } from '../../../src/adapters/rates/reading.ts'
import { formatRate } from '../../../src/lib/money.ts'
import type { RateSource } from '../../../src/quotes/rates/rates.ts'
import { createRateService } from '../../../src/quotes/rates/service.ts'
import { makeDatabase, openForTest } from '../runner/database.ts'

/** A local server that publishes rates like the European Central Bank and Kraken, valid or broken as the test sets. */
export async function startRateServer() {
  const http = createOutboundHttp()
  const nothing: RequestListener = (_request, response) => response.end()
  const told = { answer: nothing, asked: [] as string[] }
  const server = createServer((request, response) => {
    told.asked.push(request.url ?? '')
    told.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await http.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    told,
    makeEcb: () => createEcbRates(fetchFrom(http, baseUrl + ecbPath)),
    makeKraken: (now: () => Date) => createKrakenRates(fetchFrom(http, baseUrl + krakenPath), now),
  }
}

export const ecbPath = '/stats/eurofxref/eurofxref-daily.xml'

export const ecbFile = (cubes: string, time = '2026-11-13') => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube><Cube time='${time}'>${cubes}</Cube></Cube>
</gesmes:Envelope>`
export const cube = (currency: string, rate: string) => `<Cube currency='${currency}' rate='${rate}'/>`
export const goodCubes = [
  cube('USD', '1.0800'),
  cube('JPY', '165.09'),
  cube('CAD', '1.5000'),
  cube('INR', '90.0000'),
].join('')

export const market = (bid: string, ask: string) => {
  return { a: [ask, '1', '1.000'], b: [bid, '1', '1.000'], c: [ask, '0.1'] }
}
export const krakenAnswer = (result: object, error: unknown = []) => JSON.stringify({ error, result })

/** A separate service with an empty database and a clock that the test moves. */
export async function makeRates(sources: RateSource[], now: () => Date, random?: () => number) {
  const opened = openForTest((await makeDatabase()).app)
  const problems: string[] = []
  const another = (asked: RateSource[]) =>
    createRateService({
      database: opened,
      sources: asked,
      nowMs: () => now().getTime(),
      ...(random ? { random } : {}),
      onProblem: (source, why) => problems.push(`${source}: ${why}`),
    })
  const service = another(sources)
  const rates = async () => {
    await service.load()
    return Object.fromEntries(
      [...service.current()].map(([label, each]) => [label, `${each.source} ${formatRate(each.usd)}`]),
    )
  }
  return { service, another, problems, rates }
}
