import { expect, test } from 'vitest'
import { signerRole } from '../../../src/db/database.ts'
import { registerReserve } from '../../../src/signer/store.ts'
import { startMoney, takeOver } from '../../support/money/money-stories.ts'
import { advance, expectVerified } from '../../support/money/transactions.ts'
import { confirmedAs, type TestRail } from '../../support/rails/test-rail.ts'
import { openForTest } from '../../support/runner/database.ts'
import { runSvc } from '../../support/runner/process.ts'

/** Tokens of our treasury leave for our reserve as payouts, and for no other address. */
const money = await startMoney({ SVC_SANDBOX_LIQUIDITY: '0' })
const { api, rows, organizationId } = money
const asset = 'USDC/BASE'
const reserve = '0x52908400098527886E0F7030069857D2E4169EE7'
const own = { organizationId, holding: 'TREASURY', asset, reason: 'a test' }
await api.app.treasury.fund({ ...own, amount: '100' })

const send = (amount: string, ...more: string[]) =>
  runSvc(api, ['treasury', 'send', '--organization', organizationId, '--asset', asset, '--amount', amount, ...more])
const usable = async () =>
  (await rows(`select available from svc.liquidity where holding = 'TREASURY' and asset = '${asset}'`))[0]
const payouts = () =>
  rows(`select purpose, status, amount, customer_id from svc.payouts where purpose = 'REBALANCE' order by payout_id`)
const sent: string[] = []
const rail: TestRail = {
  isForCollections: true,
  send: async ({ destination }) => {
    sent.push(destination.type === 'ADDRESS' ? destination.address : '')
    return { outcome: 'ACCEPTED' }
  },
  ask: async ({ amount }) =>
    amount === 7_000_000n ? { state: 'REFUSED', reason: 'frozen' } : confirmedAs('0x1', amount),
}
const { payOut } = takeOver(money, { rail, sandboxLiquidity: 0 })
async function pay(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await payOut()
    await advance(api, 'PT10S')
  }
}
const because = ['--reason', 'To the vault']

test('without a registered reserve nothing is sent', async () => {
  const refused = { code: 1, output: expect.stringContaining('Register one with "svc custody reserve"') }
  expect(await send('40', ...because)).toEqual(refused)
  expect(await payouts()).toEqual([])
})

test('the signer alone registers the reserve', async () => {
  const register = `insert into svc.reserve_addresses (kind, address, registered_by) values ('EVM', '${reserve}', 'app')`
  await expect(rows(register)).rejects.toThrow('permission denied')
  const signer = openForTest({ connection: api.database.owner, role: signerRole })
  await signer.inTx((tx) => registerReserve(tx, 'EVM', '0x0000000000000000000000000000000000000001', 'ada'))
  await signer.inTx((tx) => registerReserve(tx, 'EVM', reserve, 'ada'))
  expect(await api.app.custody.findReserveAddress('EVM')).toBe(reserve)
})

test('tokens go to the reserve once, and are booked when the network confirms it', async () => {
  expect((await send('40', ...because)).output).toContain('40 USDC/BASE leave our treasury for our reserve')
  await pay()
  expect(sent).toEqual([reserve])
  expect(await payouts()).toEqual([
    { purpose: 'REBALANCE', status: 'CONFIRMED', amount: '40000000', customer_id: null },
  ])
  expect(await usable()).toEqual({ available: '60000000' })
  await expectVerified(api)
})

test('more than is available waits, and a refusal gives the liquidity back', async () => {
  await send('1000', ...because)
  await send('7', ...because)
  await pay()
  expect((await payouts()).slice(1)).toMatchObject([
    { status: 'WAITING', amount: '1000000000' },
    { status: 'REFUSED', amount: '7000000' },
  ])
  expect(await usable()).toEqual({ available: '60000000' })
  await expectVerified(api)
  const [waiting] = await rows<{ id: string }>(`select payout_id as id from svc.payouts where status = 'WAITING'`)
  const settle = [
    'payouts',
    'settle',
    waiting?.id ?? '',
    '--outcome',
    'refused',
    '--reference',
    'none',
    '--reason',
    'typo',
  ]
  expect(await runSvc(api, [...settle, '--yes'])).toMatchObject({ code: 0 })
  expect((await payouts())[1]).toMatchObject({ status: 'REFUSED' })
  expect(await usable()).toEqual({ available: '60000000' })
  await expectVerified(api)
})

test('money at a bank cannot be sent', async () => {
  const args = ['treasury', 'send', '--organization', organizationId, '--asset', 'USD', '--amount', '1.00', ...because]
  expect(await runSvc(api, args)).toMatchObject({ code: 2, output: expect.stringContaining('--asset must be a token') })
})
