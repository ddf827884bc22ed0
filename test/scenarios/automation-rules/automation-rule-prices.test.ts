import { afterAll, expect, test } from 'vitest'
import { bumpRevision } from '../../../src/db/revisions.ts'
import { keepRates } from '../../support/money/quotes.ts'
import { advance, expectVerified, startWithWorkers } from '../../support/money/transactions.ts'
import { businessNow, createRule, makeRuleStory, runsOf, toNextMinute, waitForRuns } from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startWithWorkers()
await keepRates(api)
afterAll(api.stop)
afterAll(() => expectVerified(api))
await api.post('/sandbox/clock', { freeze: true })

async function setPrices(goodUntil: string): Promise<void> {
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text: `update svc.rates set good_until = ${goodUntil}` })
    await bumpRevision(tx, 'rates')
  })
  const isGood = (await api.app.database.query({ text: 'select label from svc.rates where good_until > now()' })).length
  await eventually(() => {
    const rates = [...api.app.rates.current().values()]
    expect(rates.some((rate) => rate.goodUntil > new Date())).toBe(isGood > 0)
  })
}

test('a run without a price is retried for 15 minutes', async () => {
  const { route } = await makeRuleStory(api, '100.000000')
  const in1Minute = new Date((await businessNow(api)).getTime() + 60_000)
  const cron = `${in1Minute.getUTCMinutes()} ${in1Minute.getUTCHours()} * * *`
  const rule = await createRule(api, { ...route, amount: ['FLAT', '10'], cron })
  const tries = async () => {
    const text = `select tries, reason from svc.rule_runs where rule_id = '${rule.id}' order by run_id desc limit 1`
    return (await api.app.database.query({ text }))[0]
  }
  await setPrices(`now() - interval '1 hour'`)
  await toNextMinute(api)
  const waits = { reason: 'SERVICE_UNAVAILABLE' }
  await expect.poll(tries).toEqual({ ...waits, tries: 1 })
  expect(await runsOf(api, rule)).toEqual([expect.not.objectContaining(waits)])
  await setPrices(`now() + interval '1 hour'`)
  await advance(api, 'PT1S')
  await waitForRuns(api, rule, [{ runStatus: 'EXECUTED' }])
  await setPrices(`now() - interval '1 hour'`)
  await advance(api, 'P1D')
  for (const [at, delay] of [1, 5, 15, 60, 120, 300, 400].entries()) {
    await expect.poll(tries).toEqual({ ...waits, tries: at + 1 })
    await advance(api, `PT${delay}S`)
  }
  await waitForRuns(api, rule, [{ runStatus: 'EXECUTED' }, { runStatus: 'FAILED', ...waits }])
})
