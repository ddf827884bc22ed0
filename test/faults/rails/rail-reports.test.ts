import { expect, test } from 'vitest'
import type { RailReport } from '../../../src/transactions/payouts/rail.ts'
import { untilIdle } from '../../support/money/money-stories.ts'
import { advance, createTransaction, readTransaction } from '../../support/money/transactions.ts'
import { accepting, paying, startPort } from '../../support/rails/port-stories.ts'
import { confirmedAs, makeTestRail } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** Reports of rails: late, twice, wrong, and about payouts of others. */
const { money, hold, owe, payoutOf, statusOf, holdSilent: makeSilent } = await startPort()
const { api, rows } = money

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
  // A conversion takes the parts so far; a later part waits for its own decision.
  const { customerId } = made
  const readKept = async () => (await api.get(`/customers/${customerId}/returned-funds`)).body.returnedFunds
  const kept = first(await readKept())
  const from = [kept.paymentAccountId, 'USD', 'ACH', '3.00'] as const
  const to = [made.source.sourcePaymentAccountId, 'USDC', 'BASE'] as const
  await createTransaction(api, { customerId, from, to })
  expect(await readKept()).toEqual([])
  expect((await readTransaction(api, made)).repayment).toMatchObject({ repaymentStatus: 'PENDING' })
  await back('d', 50n)
  await untilIdle(() => reports.applyDue(10, 5_000))
  expect(await readKept()).toMatchObject([{ balance: '0.50', transactionId: made.transactionId }])
  const path = `/transactions/${made.transactionId}/resolve` as const
  const again = await api.post(path, { action: 'PAY_AGAIN', reason: 'a test' })
  expect(again).toMatchObject({ status: 200, body: { repayment: { repaymentAmount: '0.50' } } })
})

test('a report that an attempt is dead makes the worker ask; only the answer counts', async () => {
  const made = first(await owe())
  const { payOut, reports, sent } = makeSilent()
  await untilIdle(payOut)
  const { payoutId: reference } = await payoutOf(made)
  for (const reportId of ['dead', 'dead-again']) {
    await reports.receive({ rail: 'test rail', reportId, reference, report: { state: 'DEAD' } })
    await reports.applyDue(10, 5_000)
    await untilIdle(payOut)
  }
  expect(sent).toHaveLength(1)
  expect((await payoutOf(made)).status).toBe('SENT')
})

test('a rail speaks of its own payouts alone, and one bad report delays no other', async () => {
  const made = first(await owe())
  const { payOut, reports } = makeSilent()
  await untilIdle(payOut)
  const { payoutId: reference } = await payoutOf(made)
  const refused = { state: 'REFUSED', reason: 'closed' } as const
  await reports.receive({ rail: 'another bank', reportId: 'foreign', reference, report: refused })
  await reports.receive({ rail: 'test rail', reportId: 'own', reference, report: refused })
  await untilIdle(() => reports.applyDue(10, 5_000))
  const results = await rows(`select report_id, result from svc.rail_reports
                               where report_id in ('foreign', 'own') order by report_id`)
  expect(results).toEqual([
    { report_id: 'foreign', result: 'UNMATCHED' },
    { report_id: 'own', result: 'APPLIED' },
  ])
})

test('a payout that the rail has paid before it left does not leave; the operator records it', async () => {
  const made = first(await owe())
  const { payoutId, shortReference: reference } = await payoutOf(made)
  const { payOut, reports, sent } = makeSilent()
  const { amount } = first(
    await rows<{ amount: string }>(`select amount from svc.payouts where payout_id = '${payoutId}'`),
  )
  const report = { state: 'CONFIRMED', externalReference: 'b', amount: BigInt(amount), costs: [] } as const
  await reports.receive({ rail: 'test rail', reportId: 'unasked', reference, report })
  await reports.applyDue(10, 5_000)
  for (let turn = 0; turn < 3; turn += 1) {
    await advance(api, 'PT2M')
    await payOut()
  }
  expect(sent).toEqual([])
  await api.app.rates.refresh()
  const wanted = { payoutId, outcome: 'confirmed', reference: 'b', reason: 'the bank has paid it' } as const
  expect(await api.app.manualSettlements.settle(wanted)).toEqual({ result: 'SETTLED' })
  expect(await statusOf(made)).toBe('COMPLETED')
})

test('an acknowledged payout goes on', async () => {
  const made = first(await owe())
  const { payOut, reports, sent } = makeSilent()
  const { payoutId: reference } = await payoutOf(made)
  await api.signer.sealAll()
  const report = { state: 'REFUSED', reason: 'closed' } as const
  await reports.receive({ rail: 'test rail', reportId: 'early', reference, report })
  await reports.applyDue(10, 5_000)
  expect(await api.app.manualSettlements.acknowledge({ payoutId: reference, reason: 'a mistake' })).toBe(true)
  await advance(api, 'PT2M')
  await untilIdle(payOut)
  expect(sent).toHaveLength(1)
})

test('each part of a return can be repaid', async () => {
  const made = first(await owe())
  const { payOut, reports } = hold([makeTestRail({ send: accepting, ask: paying })])
  await untilIdle(payOut)
  const { payoutId: reference } = await payoutOf(made)
  const repay = () => api.post(`/transactions/${made.transactionId}/resolve`, { action: 'PAY_AGAIN', reason: 'a test' })
  for (const [returnId, amount] of [
    ['x', 100n],
    ['y', 200n],
  ] as const) {
    const report = { state: 'RETURNED', returnId, reason: 'closed', amount } as const
    await reports.receive({ rail: 'test rail', reportId: `${reference}-${returnId}`, reference, report })
    await untilIdle(() => reports.applyDue(10, 5_000))
    expect(await repay()).toMatchObject({ status: 200 })
    await untilIdle(payOut)
    expect(await readTransaction(api, made)).toMatchObject({ repayment: { repaymentStatus: 'COMPLETED' } })
  }
  expect(await repay()).toMatchObject({ status: 409 })
})

test('a return told twice with other amounts is booked once, and raises the alarm', async () => {
  const made = first(await owe())
  const { payOut, reports } = hold([makeTestRail({ send: accepting, ask: paying })])
  await untilIdle(payOut)
  const { payoutId: reference } = await payoutOf(made)
  for (const amount of [100n, 300n]) {
    const report = { state: 'RETURNED', returnId: 'z', reason: 'closed', amount } as const
    await reports.receive({ rail: 'test rail', reportId: `${reference}-${amount}`, reference, report })
    await untilIdle(() => reports.applyDue(10, 5_000))
  }
  expect((await payoutOf(made)).returned).toBe('100')
  expect(
    await rows(`select from svc.payouts where contradicted_at is not null and payout_id = '${reference}'`),
  ).toHaveLength(1)
  await rows('update svc.payouts set contradicted_at = null')
})

test.each([
  ['the confirmation once more', { state: 'CONFIRMED', externalReference: 'bank-1', costs: [] }],
  ['a return that is recorded', { state: 'RETURNED', returnId: 'known', reason: 'closed', amount: 100n }],
  ['a return that is impossible', { state: 'RETURNED', returnId: 'odd', reason: 'closed', amount: 0n }],
  ['a refusal', { state: 'REFUSED', reason: 'closed' }],
] as const)('the last poll of the return window comes after a report of %s', async (_, report) => {
  const made = first(await owe())
  const returns = [{ returnId: 'known', reason: 'closed', amount: 100n }]
  const ask = async ({ amount }: { amount: bigint }) => ({ ...confirmedAs('bank-1', amount), returns: [...returns] })
  const { payOut, reports } = hold([makeTestRail({ send: accepting, ask })])
  await untilIdle(payOut)
  const { payoutId: reference, amount } = await payoutOf(made)
  // No worker runs until the window has ended, and the report is the first to come.
  await advance(api, 'P6D')
  returns.push({ returnId: 'late', reason: 'closed', amount: 200n })
  const told = { amount: BigInt(amount), ...report } as RailReport
  await reports.receive({ rail: 'test rail', reportId: `${reference}-again`, reference, report: told })
  await untilIdle(() => reports.applyDue(10, 5_000))
  await untilIdle(payOut)
  expect((await payoutOf(made)).returned).toBe('300')
  await rows('update svc.payouts set contradicted_at = null')
})

test('the return window does not end while the rail gives no answer', async () => {
  const made = first(await owe())
  let isSilent = false
  let polls = 0
  const ask = async ({ amount }: { amount: bigint }) => {
    polls += 1
    if (isSilent) throw new Error('the rail does not answer')
    const returns = polls > 1 ? [{ returnId: 'late', reason: 'closed', amount: 200n }] : []
    return { ...confirmedAs('bank-1', amount), returns }
  }
  const { payOut } = hold([makeTestRail({ send: accepting, ask })])
  await untilIdle(payOut)
  expect((await payoutOf(made)).status).toBe('CONFIRMED')
  isSilent = true
  for (const pause of ['P1D', 'P3D', 'P3D', 'PT2M']) {
    await advance(api, pause)
    await untilIdle(payOut)
  }
  expect(polls).toBe(5)
  isSilent = false
  await advance(api, 'PT2M')
  await untilIdle(payOut)
  expect((await payoutOf(made)).returned).toBe('200')
  // The rail has answered after the window: it is asked no more.
  const asked = polls
  await advance(api, 'P2D')
  await untilIdle(payOut)
  expect(polls).toBe(asked)
})
