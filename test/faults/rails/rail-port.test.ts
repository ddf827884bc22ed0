import { expect, test } from 'vitest'
import { paymentMethods } from '../../../src/catalog/payment-methods.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { Payment, PayoutOrder, Rail } from '../../../src/transactions/payouts/rail.ts'
import { expediteOpen } from '../../../src/transactions/payouts/start-store.ts'
import { createMany, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, readTransaction, timelineOf } from '../../support/money/transactions.ts'
import { accepting, paying, startPort } from '../../support/rails/port-stories.ts'
import { allMethods, confirmedAs, makeTestRail, type TestRail } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** Each thing that a rail may say or do, alone. */
const { money, hold, owe, payoutOf, readLiquidity: liquidity, statusOf, holdSilent: makeSilent } = await startPort()
const { api, rows, offRamp } = money
const { advanceAll } = takeOver(money, {})

test('a rail that is closed gives the liquidity back, and gets the payout when it opens', async () => {
  const made = first(await owe())
  const before = await liquidity()
  let opensAt: Date | undefined
  const open = makeTestRail({ send: accepting, ask: paying })
  const closing: Rail = {
    ...open,
    prepare: async (orders, call) => {
      if (opensAt) return open.prepare(orders, call)
      opensAt = new Date((orders[0]?.notAfter.getTime() ?? 0) + 3_600_000)
      const why = 'the bank is closed'
      return {
        batches: [],
        declined: orders.map(({ reference }) => ({ reference, outcome: 'NOT_NOW', until: opensAt as Date, why })),
      }
    },
  }
  const { payOut } = hold([closing])
  await untilIdle(payOut)
  expect([(await payoutOf(made)).status, await liquidity()]).toEqual(['WAITING', before])
  await advance(api, 'PT50M')
  await untilIdle(payOut)
  expect((await payoutOf(made)).status).toBe('WAITING')
  await advance(api, 'PT15M')
  await untilIdle(payOut)
  expect(await statusOf(made)).toBe('COMPLETED')
})

test('news that come while the rail is called make the payout due again at once', async () => {
  const made = first(await owe())
  const { payoutId } = await payoutOf(made)
  const later = new Date(Date.now() + 365 * 86_400_000)
  const bringNews = () =>
    api.app.database.inTx((tx) => expediteOpen(tx, [{ organizationId: money.organizationId, payoutId }]))
  const send = async () => {
    await bringNews()
    return { outcome: 'ACCEPTED', askAgainAt: later } as const
  }
  let asks = 0
  const ask: TestRail['ask'] = async (order) => {
    asks += 1
    if (asks > 1) return paying(order)
    await bringNews()
    return { state: 'PENDING', askAgainAt: later }
  }
  const open = makeTestRail({ send, ask })
  let preparations = 0
  const prepare: Rail['prepare'] = async (orders, call) => {
    // An order of its own collects the source of the transaction.
    if (orders.some(({ reference }) => reference === payoutId)) preparations += 1
    if (preparations > 1) return open.prepare(orders, call)
    await bringNews()
    const closed = { outcome: 'NOT_NOW', until: later, why: 'the rail is closed' } as const
    return { batches: [], declined: orders.map(({ reference }) => ({ reference, ...closed })) }
  }
  await untilIdle(hold([{ ...open, prepare }]).payOut)
  expect([preparations, asks, await statusOf(made)]).toEqual([2, 2, 'COMPLETED'])
})

test('a rail refuses an order before it leaves: the transaction fails, and its source goes back', async () => {
  const made = first(await owe())
  const before = await liquidity()
  const refusing: Rail = {
    ...makeTestRail({ send: accepting, ask: paying }),
    prepare: async (orders) => ({
      batches: [],
      declined: orders.map(({ reference }) => ({ reference, outcome: 'REFUSED', reason: 'no_such_bank' })),
    }),
  }
  await untilIdle(hold([refusing]).payOut)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'FAILED',
    failureReason: 'destination_refused_funds',
  })
  expect(await liquidity()).toEqual(before)
})

test('what a rail charges is posted, and takes liquidity; value date and block are kept', async () => {
  const made = first(await owe())
  const before = await liquidity()
  const payment: Omit<Payment, 'amount'> = {
    externalReference: 'bank-7',
    valueDate: '2026-11-17',
    block: { number: 12n, hash: '0xab' },
    costs: [{ asset: 'USD', amount: 25n }],
  }
  const ask = async ({ amount }: { amount: bigint }) =>
    ({ state: 'CONFIRMED', amount, returns: [], ...payment }) as const
  await untilIdle(hold([makeTestRail({ send: accepting, ask })]).payOut)
  expect(await statusOf(made)).toBe('COMPLETED')
  expect(BigInt((await liquidity()).costs)).toBe(BigInt(before.costs) + 25n)
  const { payoutId } = await payoutOf(made)
  const posted = `select fact from svc.postings where reference = 'payout:${payoutId}:cost:USD'`
  expect(await rows(posted)).toEqual([{ fact: 'NETWORK_COST' }])
  const attempts = await rows(`select details from svc.payout_attempts
                                where payout_id = '${payoutId}' and outcome = 'CONFIRMED'`)
  const { costs: _, ...told } = payment
  const kept = { ...told, block: { number: '12', hash: '0xab' }, costs: [{ asset: 'USD', amount: '25' }] }
  expect(attempts).toEqual([{ details: kept }])
  const shown = (await timelineOf(api, made)).find(({ details }) => details.outcome === 'CONFIRMED')
  expect(shown?.details.costs).toEqual([{ amount: '0.25', currency: { label: 'USD' } }])
})

test('a file has many orders; each is asked about with the very bytes that left', async () => {
  const made = await owe(3)
  const sent: Buffer[] = []
  const asked = new Set<string>()
  const orders: PayoutOrder[] = []
  const files: Rail = {
    name: 'files',
    methods: allMethods,
    capabilities: { batchSize: 100, validSeconds: 86_400 },
    prepare: async (wanted) => {
      orders.push(...wanted.filter(({ purpose }) => purpose === 'PAYOUT'))
      const items = wanted.map(({ reference }, place) => ({ reference, key: String(place) }))
      const content = Buffer.from(wanted.map(({ shortReference, amount }) => `${shortReference} ${amount}`).join('\n'))
      return {
        batches: [{ batchId: newId(), content, notAfter: wanted[0]?.notAfter ?? new Date(), items }],
        declined: [],
      }
    },
    submit: async ({ content, items }) => {
      sent.push(content)
      return items.map(() => ({ outcome: 'ACCEPTED' }))
    },
    ask: async ({ amount, purpose }, attempts) => {
      if (purpose === 'PAYOUT') asked.add((await first(attempts).content()).toString())
      return confirmedAs('bank', amount)
    },
  }
  const { payOut } = hold([files])
  await payOut()
  expect(sent).toHaveLength(1)
  expect(sent[0]?.toString().split('\n')).toHaveLength(3)
  const [stored] = await rows<{ content: Buffer }>(`select sealed_content as content from svc.payout_batches
                                                     where rail = 'files'`)
  expect(stored?.content.includes(orders[0]?.shortReference ?? '?')).toBe(false)
  await untilIdle(payOut)
  expect([...asked]).toEqual([sent[0]?.toString()])
  for (const each of made) expect(await statusOf(each)).toBe('COMPLETED')
  expect(first(orders)).toMatchObject({
    originator: { customerId: offRamp.customerId, name: expect.stringMatching(/./) },
  })
})

test('a bank that does not answer delays no payout of another rail', async () => {
  const other = { ...offRamp, to: [money.external, 'USDC', 'BASE'] as const }
  const isFiat = (method: (typeof allMethods)[number]) => paymentMethods[method].kind === 'fiat'
  const { promise: never } = Promise.withResolvers<never>()
  const called: AbortSignal[] = []
  const banks: Rail = {
    ...makeTestRail({ send: accepting, ask: async () => ({ state: 'NOT_KNOWN' }) }),
    name: 'banks',
    methods: allMethods.filter(isFiat),
    submit: (_, { signal }) => {
      called.push(signal)
      return never
    },
  }
  const chains: Rail = {
    ...makeTestRail({ send: accepting, ask: paying }),
    name: 'chains',
    methods: allMethods.filter((method) => !isFiat(method)),
  }
  const blocked = first(await owe())
  const free = first(await createMany(money, other, 1))
  await untilIdle(advanceAll)
  const { payOut } = hold([banks, chains], { railTimeoutMs: 3_000 })
  const paid = payOut()
  await expect.poll(async () => (await payoutOf(free)).status).toBe('SENT')
  await expect.poll(() => called).toHaveLength(1)
  expect((await payoutOf(blocked)).status).toBe('SENDING')
  await paid
  await untilIdle(hold([banks, chains]).payOut)
  expect(await statusOf(free)).toBe('COMPLETED')
  expect((await payoutOf(blocked)).status).toBe('SENDING')
  // The rail is told that the worker waits no longer.
  expect(called.map(({ aborted }) => aborted)).toEqual([true])
})

test('bytes leave only when they are committed with this very attempt', async () => {
  const made = first(await owe())
  let isDead = true
  // The rail gives every attempt the same id, as if it were one.
  const open = makeTestRail({
    send: accepting,
    ask: async () => (isDead ? { state: 'DEAD', proof: 'a test' } : { state: 'PENDING' }),
  })
  const ids = new Map<string, string>()
  const repeating: Partial<Rail> = {
    ...open,
    prepare: async (orders, call) => {
      const { batches, declined } = await open.prepare(orders, call)
      const named = batches.map((batch) => {
        const { reference } = first(batch.items)
        const batchId = ids.get(reference) ?? batch.batchId
        ids.set(reference, batchId)
        return { ...batch, batchId }
      })
      return { batches: named, declined }
    },
  }
  const { payOut, sent } = makeSilent(repeating)
  for (let turn = 0; turn < 4; turn += 1) {
    await payOut()
    await advance(api, 'PT1M')
  }
  expect(sent).toHaveLength(1)
  isDead = false
  expect((await payoutOf(made)).status).toBe('SENDING')
  await rows(`update svc.payouts set status = 'SENT' where payout_id = '${(await payoutOf(made)).payoutId}'`)
})

test.each([
  ['nothing', [0n]],
  ['twice in one currency', [5n, 7n]],
])('a bank that charges %s is booked as one cost', async (_what, charges) => {
  const made = first(await owe())
  const before = await liquidity()
  const costs = charges.map((amount) => ({ asset: 'USD' as const, amount }))
  const ask = async ({ amount }: { amount: bigint }) =>
    ({ state: 'CONFIRMED', externalReference: 'b', amount, returns: [], costs }) as const
  await untilIdle(hold([makeTestRail({ send: accepting, ask })]).payOut)
  expect(await statusOf(made)).toBe('COMPLETED')
  const charged = charges.reduce((sum, amount) => sum + amount, 0n)
  expect(BigInt((await liquidity()).costs)).toBe(BigInt(before.costs) + charged)
})
