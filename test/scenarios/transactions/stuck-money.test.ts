import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import {
  createMany,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { advance } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'

const money = await startMoney()
const { api } = money
const { receive, advanceAll } = takeOver(money, {})

const open = { apiKey: null }
const concerns = async () => (await api.get('/readyz', open)).body.concerns
async function gauges(): Promise<Record<string, number>> {
  const text = (await api.get('/metrics', open)).body
  const found = text.matchAll(/^svc_(transactions_stuck|refunds_stuck|deposits_stuck|payouts_halted) (\S+)$/gm)
  return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]))
}

test('metrics and /readyz show payments that have been in progress for over an hour', async () => {
  const nothing = { transactions_stuck: 0, refunds_stuck: 0, deposits_stuck: 0, payouts_halted: 0 }
  expect([await concerns(), await gauges()]).toEqual([[], nothing])
  const short = first(await createMany(money, money.onRamp, 1))
  await pay(money, short, '5.00')
  await untilIdle(receive)
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  await createMany(money, money.offRamp, 2)
  await untilIdle(advanceAll)
  const late = first(await createMany(money, money.onRamp, 1))
  await pay(money, late)
  expect([await concerns(), await gauges()]).toEqual([[], nothing])
  await advance(api, 'PT1H1S')
  expect(await gauges()).toEqual({ transactions_stuck: 2, refunds_stuck: 1, deposits_stuck: 1, payouts_halted: 0 })
  expect(await concerns()).toEqual(['TRANSACTIONS_STUCK', 'REFUNDS_STUCK', 'DEPOSITS_STUCK'])
  await api.app.rates.refresh()
  await settleEverything(money)
  expect([await concerns(), await gauges()]).toEqual([[], nothing])
})

test('a halt of payouts is reported, and requests are still served', async () => {
  await api.app.database.query({
    text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`,
    values: [newId()],
  })
  expect(await api.get('/readyz', open)).toMatchObject({
    status: 200,
    body: { status: 'ready', concerns: ['PAYOUTS_HALTED'] },
  })
  expect(await gauges()).toMatchObject({ payouts_halted: 1 })
})
