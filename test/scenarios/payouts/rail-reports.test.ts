import { expect, test } from 'vitest'
import { findPayoutCommand } from '../../../src/commands/payouts.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import type { RailReport } from '../../../src/transactions/payouts/rail.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { expectVerified } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { runSvc } from '../../support/runner/process.ts'

/** A rail reports what Svc did not order, and what Svc cannot apply yet. */
const money = await startMoney()
const { api } = money
const silent = {
  send: async () => ({ outcome: 'ACCEPTED' }) as const,
  ask: async () => ({ state: 'PENDING' }) as const,
}
const hands = takeOver(money, { rail: silent })
const unmatched = () => readMetric(api, 'svc_rail_reports_unmatched')
const run = (...args: string[]) => runSvc(api, ['payouts', 'reports', ...args])

test('a report that matches no payout is counted and listed until the operator resolves it', async () => {
  const reference = newId()
  const report: RailReport = { state: 'RETURNED', returnId: 'r-1', reason: 'account_closed', amount: 500n }
  expect(await hands.reports.receive({ rail: 'bank files', reportId: 'r-1', reference, report })).toBe(true)
  expect(await unmatched()).toBe('0')
  await hands.reports.applyDue(10, 500)
  expect(await unmatched()).toBe('1')

  const { code, output } = await run()
  expect(code).toBe(0)
  const content = '{"state":"RETURNED","amount":"500","reason":"account_closed","returnId":"r-1"}'
  expect(output).toMatch(/^UNMATCHED {2}\d{4}-\S+Z {2}"bank files" "r-1" {2}/)
  expect(output).toContain(`reference "${reference}"  ${content}`)

  const reason = ['--reason', 'A wire of our own']
  const other = await run('resolve', 'bank files', 'r-2', ...reason)
  expect(other).toEqual({ code: 1, output: expect.stringContaining('There is no such unmatched report.') })
  const resolved = await run('resolve', 'bank files', 'r-1', ...reason)
  expect(resolved).toEqual({ code: 0, output: 'Resolved.\n' })
  expect(await unmatched()).toBe('0')
  expect(await api.app.unmatchedReports.list()).toEqual([])
  const again = { rail: 'bank files', reportId: 'r-1', reason: 'twice' }
  expect(await api.app.unmatchedReports.resolve(again)).toBe(false)
  const acts = await money.rows(`select organization_id as "organizationId", actor, subject_id as "subjectId", details
                                   from svc.audit where action = 'rail_report.resolved'`)
  const details = { rail: 'bank files', reference, reason: 'A wire of our own' }
  expect(acts).toEqual([{ organizationId: platformOrganizationId, actor: 'command line', subjectId: 'r-1', details }])
  await expectVerified(api)
})

test('a report that comes too early is listed as waiting, and cannot be resolved', async () => {
  await createMany(money, money.offRamp, 1)
  await untilIdle(takeOver(money, {}).advanceAll)
  await hands.payOut()
  const { payoutId } = first(await money.rows<{ payoutId: string }>(`select payout_id as "payoutId" from svc.payouts`))
  const report: RailReport = { state: 'RETURNED', returnId: 'r-3', reason: 'account_closed', amount: 1n }
  await hands.reports.receive({ rail: 'test rail', reportId: 'r-3', reference: payoutId, report })
  await hands.reports.applyDue(10, 500)
  expect(await unmatched()).toBe('0')
  expect(await api.app.unmatchedReports.list()).toMatchObject([
    { state: 'WAITING', reportId: 'r-3', reference: payoutId },
  ])
  expect(await api.app.unmatchedReports.resolve({ rail: 'test rail', reportId: 'r-3', reason: 'early' })).toBe(false)
})

test.each([
  [['reports', 'resolve', 'test rail', 'r-1']],
  [['reports', 'resolve', 'test rail', '--reason', 'x']],
  [['reports', 'remove', 'test rail', 'r-1', '--reason', 'x']],
  [['reports', '--reason', 'x']],
])('%j is no command', (args) => {
  expect(findPayoutCommand(args)).toBeUndefined()
})

test('the operator lets a report with a wrong reference count for its payout', async () => {
  const [made] = await createMany(money, money.offRamp, 1)
  await untilIdle(takeOver(money, {}).advanceAll)
  await hands.payOut()
  const { payoutId, amount } = first(
    await money.rows<{ payoutId: string; amount: string }>(`select payout_id as "payoutId", amount from svc.payouts
                                                            where transaction_id = '${made?.transactionId}'`),
  )
  const report: RailReport = { state: 'CONFIRMED', externalReference: 'b', amount: BigInt(amount), costs: [] }
  await hands.reports.receive({ rail: 'test rail', reportId: 'r-9', reference: 'GARBLED', report })
  await hands.reports.applyDue(10, 5_000)
  const reason = ['--reason', 'The bank cut the reference']
  const unknown = await run('apply', 'test rail', 'r-9', '--payout', newId(), ...reason)
  expect(unknown).toEqual({ code: 1, output: 'There is no such payout.\n' })
  const applied = await run('apply', 'test rail', 'r-9', '--payout', payoutId, ...reason)
  expect(applied).toEqual({ code: 0, output: 'A worker applies it now.\n' })
  await hands.reports.applyDue(10, 5_000)
  expect(await money.rows(`select status from svc.payouts where payout_id = '${payoutId}'`)).toEqual([
    { status: 'CONFIRMED' },
  ])
  expect((await run('apply', 'test rail', 'r-9', '--payout', payoutId, ...reason)).code).toBe(1)
})
