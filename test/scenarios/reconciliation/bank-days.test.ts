import { expect, test } from 'vitest'
import { makePayer, offRamp, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { advance, transferReference, waitForTransaction } from '../../support/money/transactions.ts'
import { accountOn, openItemsOf, today } from '../../support/reconciliation/reading.ts'
import { eventually } from '../../support/runner/eventually.ts'

const { api, folder } = await startBankWorld()
const ada = await makePayer(api, 'ACH')
const deposit = async (body: object) => (await api.post('/sandbox/bank/deposits', body)).body.referenceId

test('a day with deposits and payouts is matched to the last unit, before and after its statement', async () => {
  const incoming = await onRamp(api, ada)
  const reference = transferReference(incoming)
  await deposit({ bankAccountId: 'usd-main', amount: '500.00', reference, senderName: 'Ada Example' })
  await waitForTransaction(api, incoming, { transactionStatus: 'COMPLETED' })
  const outgoing = await offRamp(api, ada)
  await waitForTransaction(api, outgoing, { transactionStatus: 'COMPLETED' })
  await deposit({ bankAccountId: 'usd-main', amount: '12.34', senderName: 'Unknown Sender' })
  await eventually(async () => expect(await api.app.unattributedDeposits.list()).toHaveLength(1))
  await folder.settled()

  const day = await today(api)
  const before = await accountOn(api, 'usd-main', day)
  expect(before).toMatchObject({ difference: '0.00' })
  expect(openItemsOf(before)).toEqual([])
  expect(before.items.map(({ kind, state }) => `${state} ${kind}`).sort()).toEqual([
    'MATCHED DEPOSIT',
    'MATCHED DEPOSIT',
    'MATCHED PAYOUT',
  ])

  await advance(api, 'P1D')
  await folder.arrived('camt.053.001')
  const after = await accountOn(api, 'usd-main', day)
  expect(after).toMatchObject({ ...before, lastStatement: day })
})
