import { expect, test } from 'vitest'
import { bankAccountOf, bankAccounts, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { makeRuleModel } from '../../support/rules/rule-model.ts'
import { testMasterKey } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { makeDataFolder, startServe, svc, urlOf } from '../../support/runner/process.ts'

/** One zone with an offset in quarter hours, and one that changes its clocks on 14 March 2027. */
const hosts = ['UTC', 'Asia/Kathmandu', 'America/New_York']
const schedules = ['30 2 * * *', '0 0 * * *', '*/20 22-23 13-15 3 *', '15 18 * * sun', '45 23 14 * mon', '0 7 */3 * *']
const start = new Date('2027-03-11T22:30:00Z')
/** In minutes; a long hop acts like a host that was down. */
const hops = [20, 45, 25, 60, 300, 240, 15, 30, 420, 600, 10, 20, 90, 1_500, 35, 200, 700, 1_440, 55, 2_000]

type Rule = { id: string; nextRunAt: string }

async function startHost(zone: string) {
  const database = await makeDatabase()
  await fillAddressPool(database, 5)
  const settings = {
    DATABASE_URL: urlOf(database.owner),
    SVC_DATA_DIR: await makeDataFolder(),
    PORT: '0',
    TZ: zone,
    SVC_RATE_LIMIT_SANDBOX: '0',
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
  }
  const keys = svc(['keys', 'create'], settings)
  const [{ baseUrl }, code] = await Promise.all([
    startServe(settings),
    keys.exited,
    svc(['worker'], settings).prints(/the worker is running/),
  ])
  expect(code, keys.output()).toBe(0)
  const headers = { authorization: `Bearer ${keys.output().trim()}`, 'content-type': 'application/json' }
  return async <Answer>(path: string, body?: object): Promise<Answer> => {
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const answer = await fetch(baseUrl + path, { headers, ...sent })
    const text = await answer.text()
    expect([answer.status, text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()])
    return JSON.parse(text) as Answer
  }
}

type Host = Awaited<ReturnType<typeof startHost>>

async function makeRules(host: Host): Promise<Rule[]> {
  const { customerId } = await host<{ customerId: string }>('/customers', {
    customerType: 'INDIVIDUAL',
    email: 'ada@example.com',
  })
  const account = async (body: object) =>
    (await host<{ paymentAccountId: string }>('/payment-accounts', body)).paymentAccountId
  const bank = await account(bankAccountOf(customerId, bankAccounts.ACH()))
  const wallet = await account(serviceWalletOf(customerId))
  const transactionTemplate = {
    source: { sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' },
    destination: {
      destinationPaymentAccountId: bank,
      destinationCurrency: 'USD',
      destinationPaymentMethod: 'ACH',
    },
    amount: { type: 'FLAT', value: '1' },
  }
  const made: Rule[] = []
  for (const cronSchedule of schedules) {
    const trigger = { type: 'TIME_BASED', cronSchedule }
    made.push(await host('/automation-rules', { name: cronSchedule, customerId, transactionTemplate, trigger }))
  }
  return made
}

/** The runs of each rule after days of hops, and the runs that the model expects. */
async function live(zone: string) {
  const host = await startHost(zone)
  const clock = async (move: object) => new Date((await host<{ now: string }>('/sandbox/clock', move)).now)
  let now = await clock({ freeze: true })
  now = await clock({ advance: `PT${(start.getTime() - now.getTime()) / 1_000}S` })
  expect(now).toEqual(start)
  const rules = await makeRules(host)
  const model = makeRuleModel()
  for (const [at, { id }] of rules.entries()) model.create(id, schedules[at] ?? '', now)
  for (const minutes of hops) {
    now = await clock({ advance: `PT${minutes}M` })
    const nextRuns = async () => {
      const { automationRules } = await host<{ automationRules: Rule[] }>('/automation-rules')
      expect(automationRules).toHaveLength(rules.length)
      return automationRules.map(({ nextRunAt }) => new Date(nextRunAt))
    }
    const isDue = (at: Date) => at <= now
    await expect.poll(async () => (await nextRuns()).filter(isDue), { interval: 20 }).toEqual([])
    model.settle(now)
  }
  const scheduled = async ({ id }: Rule) => {
    const { runs } = await host<{ runs: { scheduledFor: string }[] }>(`/automation-rules/${id}/runs?pageSize=100`)
    return runs.map(({ scheduledFor }) => scheduledFor).sort()
  }
  return { runs: await Promise.all(rules.map(scheduled)), expected: rules.map(({ id }) => model.expected(id)) }
}

test('hosts in three time zones run the same rules at the same instants', async () => {
  const lives = await Promise.all(hosts.map(live))
  for (const [at, { runs, expected }] of lives.entries()) {
    expect(runs, hosts[at]).toEqual(expected)
    expect(runs, hosts[at]).toEqual(lives[0]?.runs)
  }
  expect(lives[0]?.runs.every((runs) => runs.length > 0)).toBe(true)
})
