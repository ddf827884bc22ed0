import { expect, test } from 'vitest'
import { makePayer, resolve } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { expectVerified, type Transaction } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'

/** Operators order disbursements and repayments of the same money at the same time. */
const { api } = await startHeard()
const { shown, bodyOf, kept, order, ...stories } = createDisbursementStories(api, api)
const { creditedRefund, creditedDeposit, returnedPayout } = stories

test('32 concurrent disbursements take each cent of two deposits once', async () => {
  const ada = await makePayer(api)
  await creditedDeposit(ada, '9.00')
  await creditedDeposit(ada, '6.00')
  const body = { ...(await bodyOf(ada)), destinationPaymentAccountId: ada.bank, amount: '2.00' }
  const answers = await Promise.all(Array.from({ length: 32 }, () => order(ada, body)))
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array.from({ length: 7 }, () => 201),
    ...Array.from({ length: 25 }, () => 422),
  ])
  expect(await shown(ada)).toEqual([['USD', '1.00', '']])
  await expectVerified(api)
})

test('concurrent disbursements and repayments never pay more than the balance', async () => {
  const ada = await makePayer(api)
  await creditedRefund(ada)
  const failed = [await returnedPayout(ada), await returnedPayout(ada)]
  const { paymentAccountId } = first(await kept(ada))
  const body = { paymentAccountId, currency: 'USD', destinationPaymentAccountId: ada.bank, amount: '7.00' }
  const orders = Array.from({ length: 24 }, (_, at) =>
    at % 3 === 0 ? resolve(api, failed[at % 2] as Transaction, { action: 'PAY_AGAIN' }) : order(ada, body),
  )
  const answers = await Promise.all(orders)
  expect(answers.filter(({ status }) => ![200, 201, 409, 422].includes(status))).toEqual([])
  const rows = await api.app.database.query<{ amount: string }>({
    text: `select sum(amount)::text as amount from svc.payouts
            where customer_id = $1 and purpose in ('REPAYMENT', 'DISBURSEMENT') and status <> 'REFUSED'`,
    values: [ada.customerId],
  })
  const paid = BigInt(first(rows).amount)
  expect(paid <= 1266n + 995n + 995n).toBe(true)
  expect(paid > 1266n + 995n + 995n - 700n).toBe(true)
  await expectVerified(api)
})
