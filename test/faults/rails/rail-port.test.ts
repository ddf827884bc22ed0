import { afterEach, expect, test } from 'vitest'
import { paymentMethods } from '../../../src/catalog/payment-methods.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { Payment, PayoutOrder, Rail } from '../../../src/transactions/payouts/rail.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, expectVerified, readTransaction, type Transaction } from '../../support/money/transactions.ts'
import { allMethods, confirmedAs, makeTestRail } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** Each thing that a rail may say or do, alone. */
const money = await startMoney({ SVC_SANDBOX_LIQUIDITY: '0' })
const { api, rows, organizationId, offRamp } = money
const { treasury } = api.app
await treasury.fund({ organizationId, holding: 'usd-main', asset: 'USD', amount: '1000.00', reason: 'a test' })
const { advanceAll } = takeOver(money, {})
afterEach(async () => {
  await expectVerified(api)
  await rows('update svc.payouts set due_at = null')
})

const accepting = async () => ({ outcome: 'ACCEPTED' }) as const
const paying = async ({ amount }: { amount: bigint }) => confirmedAs('bank-1', amount)
const hold = (rails: readonly Rail[], more = {}) => takeOver(money, { rails, sandboxLiquidity: 0, ...more })

async function owe(count = 1): Promise<Transaction[]> {
  const made = await createMany(money, offRamp, count)
  await untilIdle(advanceAll)
  return made
}
type Row = { payoutId: string; shortReference: string; status: string; returned: string | null }
const payoutOf = async ({ transactionId }: Transaction): Promise<Row> =>
  first(
    await rows<Row>(`select payout_id as "payoutId", svc.short_reference(payout_id) as "shortReference", status,
                            returned_amount as returned
                       from svc.payouts where transaction_id = '${transactionId}' and purpose = 'PAYOUT'`),
  )
const liquidity = async () =>
  first(
    await rows<{ available: string; costs: string }>(
      `select available, costs from svc.liquidity where holding = 'usd-main'`,
    ),
  )
const statusOf = async (made: Transaction) => (await readTransaction(api, made)).transactionStatus

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
      if (purpose === 'PAYOUT') asked.add(first(attempts).content.toString())
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

test('a report names a payout by its short reference, in any case, and counts once', async () => {
  const made = first(await owe())
  const { payOut, reports } = hold([makeTestRail({ send: accepting, ask: async () => ({ state: 'PENDING' }) })])
  await untilIdle(payOut)
  const { shortReference } = await payoutOf(made)
  expect(shortReference).toMatch(/^[0-9A-Z]{15}$/)
  const { amount } = first(
    await rows<{ amount: string }>(`select amount from svc.payouts where transaction_id = '${made.transactionId}'
                                       and purpose = 'PAYOUT'`),
  )
  const report = { state: 'CONFIRMED', externalReference: 'camt-1', amount: BigInt(amount), costs: [] } as const
  const told = { rail: 'test rail', reportId: 'entry-1', reference: shortReference.toLowerCase(), report }
  expect([await reports.receive(told), await reports.receive(told)]).toEqual([true, false])
  await reports.applyDue(10, 5_000)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'COMPLETED',
    destination: { destinationReferenceId: 'camt-1' },
  })
  // The bank returns it in parts, one of them twice, and in the end more than it received.
  const back = (returnId: string, part: bigint) =>
    reports.receive({
      ...told,
      reportId: `return-${returnId}`,
      report: { state: 'RETURNED', returnId, reason: 'closed', amount: part },
    })
  for (const [id, part] of [
    ['a', 100n],
    ['b', 200n],
    ['b', 200n],
    ['c', BigInt(amount)],
  ] as const)
    await back(id, part)
  await untilIdle(() => reports.applyDue(10, 5_000))
  expect(await payoutOf(made)).toMatchObject({ status: 'RETURNED', returned: '300' })
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'FAILED',
    repayment: { repaymentAmount: '3.00' },
  })
  expect(await rows(`select from svc.payouts where contradicted_at is not null`)).toHaveLength(1)
  await rows('update svc.payouts set contradicted_at = null')
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
  const { payOut } = hold([banks, chains])
  const paid = payOut()
  await expect.poll(async () => (await payoutOf(free)).status).toBe('SENT')
  expect((await payoutOf(blocked)).status).toBe('SENDING')
  await paid
  await untilIdle(payOut)
  expect(await statusOf(free)).toBe('COMPLETED')
  expect((await payoutOf(blocked)).status).toBe('SENDING')
  // The rail is told that the worker waits no longer.
  expect(called.map(({ aborted }) => aborted)).toEqual([true])
})
