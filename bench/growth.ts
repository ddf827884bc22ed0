import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { withDatabase } from './support/database.ts'
import { type Grown, growDatabase } from './support/grown-database.ts'
import { measureDuties, measureLooks, measureVerify } from './support/grown-work.ts'
import { compare, type Figures, type Load, measureLoad, type Rounds } from './support/growth-figures.ts'

/**
 * Compares what each path costs in a small and in a large database: the CPU time of Node and PostgreSQL for one operation.
 * Both databases are on one server and are measured in turns, so what else the machine does concerns both.
 */
const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '10000' },
    many: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '150' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
})
const [few, many, calls, rounds] = [values.few, values.many, values.calls, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const sizeOf = (rows: number) => ({
  rows,
  rules: Math.max(1_000, Math.round(rows / 10)),
  webhooks: Math.max(10, Math.round(rows / 1_000)),
})

await withDatabase(async (bench) => {
  const grown: Grown[] = []
  for (const [name, rows] of [
    ['few', few],
    ['many', many],
  ] as const) {
    const started = performance.now()
    const { rules, webhooks } = sizeOf(rows)
    grown.push(await growDatabase(bench, name, sizeOf(rows)))
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    console.log(
      `${rows} customers, quotes and transactions, ${rules} rules, ${webhooks} webhooks: filled in ${seconds} s`,
    )
  }
  const [small, large] = grown as [Grown, Grown]
  const unit = `× the CPU time of ${few} rows with ${many}`
  const [ofSmall, ofLarge] = [requestsOf(small), requestsOf(large)]
  for (const path of Object.keys(ofSmall).filter((each) => each.includes(values.only))) {
    compare(await measureInTurns((grown) => measureRequest(grown, path, grown === small ? ofSmall : ofLarge)), unit)
  }
  if (!values.only) {
    compare(await measureInTurns(measureDuties), unit)
    compare(await measureInTurns(measureLooks), unit)
    compare({ small: [await measureVerify(small)], large: [await measureVerify(large)] }, unit)
  }
  for (const each of [small, large]) await each.stop()

  async function measureInTurns(measure: (grown: Grown) => Promise<Figures>): Promise<Rounds> {
    const figures: Rounds = { small: [], large: [] }
    for (let round = 0; round < rounds; round += 1) {
      figures.small.push(await measure(small))
      figures.large.push(await measure(large))
    }
    return figures
  }
})

async function measureRequest(grown: Grown, path: string, loads: Record<string, Load>): Promise<Figures> {
  const load = loads[path]
  if (!load) throw new Error(`there is no ${path}`)
  return new Map([[path, await measureLoad(grown, load, calls)]])
}

function requestsOf({ baseUrl, calls: { headers, send }, ids }: Grown): Record<string, Load> {
  const any = <Item>(list: readonly Item[]): Item => list[randomInt(list.length)] as Item
  const get = (path: () => string) => async () => {
    const answer = await fetch(baseUrl + path(), { headers })
    if (answer.status !== 200) throw new Error(`${path()}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  return {
    'POST /quotes': () => {
      const { customerId, wallet, bank } = any(ids.wallets)
      const source = { sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
      const destination = {
        destinationPaymentAccountId: bank,
        destinationCurrency: 'USD',
        destinationPaymentMethod: 'ACH',
      }
      return send('POST', '/quotes', { customerId, source: { ...source, sourceAmount: '1' }, destination }, true)
    },
    'POST /transactions': () => send('POST', '/transactions', { quoteId: ids.openQuotes.pop() ?? '' }, true),
    'GET /customers/{customerId}': get(() => `/customers/${any(ids.originals)}`),
    'GET /transactions/{transactionId}': get(() => `/transactions/${any(ids.transactions)}`),
    'GET /quotes/{quoteId}': get(() => `/quotes/${any(ids.quotes)}`),
    'GET /transactions, page of 100': get(() => '/transactions?pageSize=100'),
    'GET /transactions of a customer': get(() => `/transactions?customerId=${any(ids.customers)}`),
    'GET /quotes, page of 100': get(() => '/quotes?pageSize=100'),
    'GET /events, page of 100': get(() => '/events?pageSize=100'),
    'GET /automation-rules, page of 100': get(() => '/automation-rules?pageSize=100'),
  }
}
