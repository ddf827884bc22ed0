import { expect, test } from 'vitest'
import { writeNotification } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { dollarAccount, entry } from '../../support/bank/bank-desk.ts'
import { askVirtual, makePayer, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { bankAccountOf, bankAccounts, postAccount } from '../../support/money/payment-accounts.ts'
import { waitForDeposit } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Account numbers that banks write with more or fewer leading zeros. */
const ranges = ['usd-main 0099000001-0099000001', 'usd-main 99000001-99000003']
const { api, folder } = await startBankWorld({ SVC_VIRTUAL_ACCOUNTS: ranges.join(',') })
const [ada, bob] = [await makePayer(api, 'ACH'), await makePayer(api, 'ACH')]

async function open(payer: typeof ada) {
  const { paymentAccountId, svcAutoFiatAccount } = (await askVirtual(api, payer)).body
  return { paymentAccountId, ...(svcAutoFiatAccount as { accountNumber: string; routingNumber: string }) }
}
/** The bank books money that a payer sent to a number; answers the bank's reference. */
async function receive(number: string, account = dollarAccount): Promise<string> {
  const [id, bankReference] = [newId().replaceAll('-', '').slice(0, 30), newId().slice(-12)]
  const amount = { units: 5_000n, currency: 'USD' } as const
  const received = entry('CREDIT', amount.units, { amount, ownAccount: { number } }, { amount, bankReference })
  const statements = [{ statementId: id, account, entries: [received], balances: [] }]
  const content = Buffer.concat([...writeNotification({ messageId: id, createdAt: new Date(), statements })])
  await folder.put('incoming', `${id}.xml`, content)
  await folder.arrived(id)
  return bankReference
}
const ours = await open(ada)
const other = await open(bob)

test('two numbers that differ by leading zeros alone are not issued', () => {
  expect([ours.accountNumber, other.accountNumber]).toEqual(['0099000001', '99000002'])
})

test.each([
  ['dropped', '99000001', () => ours],
  ['added', '000099000002', () => other],
])('money whose account has its zeros %s is that of the customer', async (_, number, receiver) => {
  const paymentAccountId = receiver().paymentAccountId
  await waitForDeposit(api, await receive(number), { paymentAccountId, depositStatus: 'APPLIED' })
})

test('a file about our own account may write it with leading zeros', async () => {
  const sent = await receive(other.accountNumber, { ...dollarAccount, number: `00${dollarAccount.number}` })
  await waitForDeposit(api, sent, { paymentAccountId: other.paymentAccountId })
})

test('money for a number that is not issued yet waits for the operator, and is not lost', async () => {
  const sent = await receive('99000003')
  const text = 'select organization_id, customer_id, status, amount from svc.deposits where external_id = $1'
  await eventually(async () =>
    expect(await api.app.database.query({ text, values: [sent] })).toEqual([
      { organization_id: platformOrganizationId, customer_id: null, status: 'UNMATCHED', amount: '5000' },
    ]),
  )
})

test.each([
  ['our own account', () => String(dollarAccount.number), 'an account of this service'],
  ['our own account with a zero', () => `0${dollarAccount.number}`, 'an account of this service'],
  ['a number that is not issued yet', () => '99000003', 'an account of this service'],
  ['an issued number with zeros', () => '0099000002', 'that this service has issued'],
])('%s cannot be registered for a customer', async (_, numberOf, problem) => {
  const { routingNumber } = other
  const register = (more: object) => postAccount(api, bankAccountOf(ada.customerId, bankAccounts.ACH(more)))
  expect(await register({ routingNumber, accountNumber: numberOf() })).toMatchObject({
    status: 400,
    body: {
      details: [{ field: 'externalBankAccount.accountNumber', message: expect.stringContaining(problem) }],
    },
  })
  // At another bank the number is that of another account.
  expect((await register({ routingNumber: '026009593', accountNumber: numberOf() })).status).toBe(201)
})
