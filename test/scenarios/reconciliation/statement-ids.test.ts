import { expect, test } from 'vitest'
import { entry, euroAccount } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { advance } from '../../support/money/transactions.ts'
import { accountOn, openItemsOf, settleAll, today } from '../../support/reconciliation/reading.ts'

/** A bank that gives each statement the same id, and begins its numbers again. */
const { desk, api, reads } = await startSepaPayments()

const credit = (units: bigint, date: string) => {
  const dated = { bankReference: desk.newReference(), bookingDate: date, valueDate: date }
  return entry('CREDIT', units, { counterparty: { name: 'Grace Hopper' }, remittance: [`gift ${units}`] }, dated)
}
const balance = (code: string, units: bigint, date: string) => ({
  code,
  direction: 'CREDIT' as const,
  amount: { currency: 'EUR' as const, units },
  date,
})
const numbered = { statementId: 'ACCOUNT', electronicSequence: '1' }

async function nextDay(): Promise<string> {
  await advance(api, 'P1D')
  return today(api)
}

async function closingOn(date: string) {
  const account = await accountOn(api, 'eur-main', date)
  return [date, account.outside, openItemsOf(account)]
}

test('statements of several days with one id keep their days and balances, also in pages and when they come twice', async () => {
  const first = await today(api)
  const opening = { ...numbered, balances: [balance('OPBD', 0n, first), balance('CLBD', 1_000n, first)] }
  const stated = [credit(1_000n, first)]
  await reads(desk.state(euroAccount, stated, opening))
  await settleAll(api)
  expect(await closingOn(first)).toEqual([first, '10.00', []])

  const second = await nextDay()
  const pages = [
    { page: { number: '1', isLast: false }, balances: [balance('OPBD', 1_000n, second)] },
    { page: { number: '2', isLast: true }, balances: [balance('CLBD', 1_750n, second)] },
  ]
  const [one, two] = pages
  await reads(desk.state(euroAccount, [credit(500n, second)], { ...numbered, ...one }))
  await reads(desk.state(euroAccount, [credit(250n, second)], { ...numbered, ...two }))
  await settleAll(api)

  const third = await nextDay()
  const last = { ...numbered, balances: [balance('OPBD', 1_750n, third), balance('CLBD', 1_850n, third)] }
  await reads(desk.state(euroAccount, [credit(100n, third)], last))
  await reads(desk.state(euroAccount, stated, opening))
  await settleAll(api)

  expect(await closingOn(first)).toEqual([first, '10.00', []])
  expect(await closingOn(second)).toEqual([second, '17.50', []])
  expect(await closingOn(third)).toEqual([third, '18.50', []])
})
