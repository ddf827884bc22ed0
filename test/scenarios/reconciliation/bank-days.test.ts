import { expect, test } from 'vitest'
import { makePayer, offRamp, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { advance, transferReference, waitForTransaction } from '../../support/money/transactions.ts'
import { accountOn, openItemsOf, today } from '../../support/reconciliation/reading.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { runSvc } from '../../support/runner/process.ts'

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

  expect(await accountOn(api, 'usd-main', day, 1)).toEqual(before)

  await advance(api, 'P1D')
  await folder.arrived('camt.053.001')
  const after = await accountOn(api, 'usd-main', day)
  expect(after).toMatchObject({ ...before, lastStatement: day })
})

test('svc verify --banks names each account, its balances and what is open, and fails for aged items alone', async () => {
  const run = (...more: string[]) =>
    runSvc(api, ['verify', '--banks', ...more], { SVC_SANDBOX_BANK: 'files', SVC_BANK_DIR: folder.root })
  const day = await today(api)
  const fee = { organizationId: ada.organizationId, holding: 'usd-main', asset: 'USD', amount: '7.00', reason: 'a fee' }
  await api.app.treasury.chargeFee(fee)
  const open = await run()
  expect(open.output).toMatch(/^ok +usd-main on \S+: ledger \S+ USD, bank \S+ USD, last statement \S+$/m)
  expect(open.output).toMatch(/in flight: MISSING OWN \S+, -7.00 USD, 0 days$/m)
  expect(open.code).toBe(0)
  await advance(api, 'P6D')
  const aged = await run()
  expect(aged.output).toMatch(/^VIOLATED +usd-main/m)
  expect(aged.output).toMatch(/aged: MISSING OWN \S+, -7.00 USD, 6 days$/m)
  expect(aged.code).toBe(1)
  expect((await run('--date', day)).code).toBe(0)
  expect(await api.app.reconciliation.countAged()).toMatchObject({ aged: 1 })
})
