import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { findStatementCommand } from '../../../src/commands/exports/statements.ts'
import type { IncomingRecord } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { advance, waitForTransaction } from '../../support/money/transactions.ts'
import { accountOn, openItemsOf, settleAll, today } from '../../support/reconciliation/reading.ts'
import { runSvc } from '../../support/runner/process.ts'

/** The ledger's own statement, delivered as if a bank had written it. The bank itself sends notifications alone. */
const { desk, api, pay, reads } = await startSepaPayments()
const day = await today(api)
const dated = (more: object = {}) => ({
  bankReference: desk.newReference(),
  bookingDate: day,
  valueDate: day,
  ...more,
})
const exportDay = (format: 'csv' | 'xml') => api.get(`/reconciliation/statement.${format}?account=eur-main&date=${day}`)

test('every entry of our own camt.053 is matched when it comes back as a statement', async () => {
  const [plain, charged, returned] = [await pay('10.00'), await pay('20.00'), await pay('30.00')]
  const named = ({ sent }: typeof plain) => ({ references: { endToEndId: sent.reference } })
  const costs = { amount: { currency: 'EUR', units: 25n }, direction: 'DEBIT', isIncluded: true } as const
  const credited = dated()
  await desk.notify(euroAccount, [
    entry('DEBIT', plain.sent.amount, named(plain), dated()),
    entry('DEBIT', charged.sent.amount + 25n, named(charged), dated({ charges: [costs] })),
    entry('DEBIT', returned.sent.amount, named(returned), dated()),
    entry('CREDIT', 7_700n, { counterparty: { name: 'Grace Hopper' }, remittance: ['a gift'] }, dated()),
    entry('CREDIT', 5_500n, { counterparty: { name: 'Alan Turing' }, remittance: ['another'] }, credited),
  ])
  for (const each of [plain, charged, returned]) await waitForTransaction(api, each, { transactionStatus: 'COMPLETED' })
  await reads(
    desk.notify(euroAccount, [
      entry('CREDIT', returned.sent.amount, { ...named(returned), return: { reason: { code: 'AC04' } } }, dated()),
      entry('DEBIT', 5_500n, {}, { ...credited, isReversal: true }),
    ]),
  )
  await waitForTransaction(api, returned, { transactionStatus: 'FAILED' })
  await settleAll(api)
  const before = await accountOn(api, 'eur-main', day)
  expect(openItemsOf(before)).toEqual([])
  expect(before.lastStatement).toBeUndefined()

  await advance(api, 'P1D')
  const { status, body: exported } = await exportDay('xml')
  expect(status).toBe(200)
  const read: IncomingRecord[] = []
  for await (const record of readIncoming(chunksOf(exported))) read.push(record)
  expect(read.filter(({ type }) => type === 'ENTRY')).toHaveLength(7)
  expect(read.filter(({ type }) => type === 'BALANCE')).toMatchObject([
    { code: 'OPBD', amount: { units: 0n } },
    { code: 'CLBD', amount: { units: BigInt(before.ledger.replace(/[-.]/g, '')) } },
  ])
  await reads(desk.deliver([exported]))

  const after = await accountOn(api, 'eur-main', day)
  expect(after).toEqual({ ...before, lastStatement: day })
  const text = `select outcome, count(*)::integer as count from svc.bank_entries where source = 'STATEMENT' group by outcome`
  expect(await api.app.database.query({ text })).toEqual([{ outcome: 'REPEATED', count: 7 }])
  await waitUntilRead(api, desk)
})

test('the CSV leads from the opening balance to the closing balance, line by line', async () => {
  const { body } = await exportDay('csv')
  const [head, ...rows] = body
    .trimEnd()
    .split('\r\n')
    .map((line: string) => line.split(','))
  expect(head).toEqual(['date', 'kind', 'reference', 'bankReference', 'fact', 'posting', 'amount', 'balance'])
  const [opening, ...lines] = rows
  const closing = lines.pop()
  expect([opening?.[1], closing?.[1]]).toEqual(['OPENING_BALANCE', 'CLOSING_BALANCE'])
  const units = (text = '0') => BigInt(text.replace('.', ''))
  const sum = lines.reduce((total: bigint, line: string[]) => total + units(line[6]), units(opening?.[7]))
  // Charges have a line of their own.
  expect(lines).toHaveLength(8)
  expect([sum, lines.at(-1)?.[7]]).toEqual([units(closing?.[7]), closing?.[7]])
})

test('svc statements export writes the same to standard output, and a whole file only', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-statements-'))
  const run = (...args: string[]) =>
    runSvc(api, ['statements', ...args], { SVC_SANDBOX_BANK: 'files', SVC_BANK_DIR: desk.settings.SVC_BANK_DIR ?? '' })
  const dayOf = (format: string) => ['export', 'eur-main', '--date', day, '--format', format]
  const [csv, xml] = [(await exportDay('csv')).body, (await exportDay('xml')).body]
  expect(await run(...dayOf('csv'))).toEqual({ code: 0, output: csv })
  const file = path.join(folder, 'eur-main.xml')
  expect(await run(...dayOf('camt053'), '--output', file)).toEqual({ code: 0, output: '' })
  expect(await readFile(file, 'utf8')).toBe(xml)
  const refused = (text: string) => ({ code: 1, output: expect.stringContaining(text) })
  const nowhere = ['export', 'nowhere', '--date', day, '--format', 'csv', '--output', `${file}2`]
  expect(await run(...nowhere)).toEqual(refused('There is no bank account "nowhere"'))
  expect(await run(...dayOf('csv'), '--output', file)).toEqual(
    refused('--output: a file with this name exists already'),
  )
  const lost = path.join(folder, 'missing', 'eur-main.csv')
  expect(await run(...dayOf('csv'), '--output', lost)).toEqual(refused('--output: its folder does not exist'))
  expect(await readFile(file, 'utf8')).toBe(xml)
  expect(await readdir(folder)).toEqual(['eur-main.xml'])
  expect(() => findStatementCommand(dayOf('pdf'))).toThrow('--format must be csv or camt053.')
  expect(() => findStatementCommand(['export', 'eur-main', '--format', 'csv'])).toThrow('--date is missing.')
  expect(findStatementCommand(['list'])).toBeUndefined()
})

test('only ended days of known accounts are exported', async () => {
  const path = (account: string, date: string) => `/reconciliation/statement.xml?account=${account}&date=${date}`
  const now = await today(api)
  for (const [account, date, status] of [
    ['eur-main', now, 400],
    ['eur-main', '2026-02-30', 400],
    ['eur-main', '0000-01-01', 400],
    ['eur-main', '0001-01-01', 400],
    ['nowhere', day, 404],
  ] as const) {
    expect(await api.get(path(account, date))).toMatchObject({ status })
  }
  for (const date of ['2999-01-01', 'yesterday', '0000-01-01', '0001-01-01'])
    expect(await api.get(`/reconciliation?date=${date}`)).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST' } })
})

async function* chunksOf(text: string) {
  yield Buffer.from(text)
}
