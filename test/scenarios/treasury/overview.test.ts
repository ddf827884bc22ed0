import { expect, test } from 'vitest'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { formatAmount } from '../../../src/lib/money.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, expectVerified } from '../../support/money/transactions.ts'
import { confirmedAs } from '../../support/rails/test-rail.ts'
import { runSvc } from '../../support/runner/process.ts'

/** The operator compares the books with the banks' statements. A customer has a wallet with 1,000,000 USDC. */
const money = await startMoney({ SVC_SANDBOX_LIQUIDITY: '0' })
const { api, organizationId, offRamp, wallet, external } = money
const { treasury, ledger } = api.app
const usd = { organizationId, holding: 'usd-main', asset: 'USD', reason: 'a test' }
const accepting = { send: async () => ({ outcome: 'ACCEPTED' }) as const }
const pending = { ...accepting, ask: async () => ({ state: 'PENDING' }) as const }
const paying = {
  ...accepting,
  ask: async ({ amount }: { amount: bigint }) => confirmedAs('bank-1', amount),
}

test('the books are shown to the unit while payouts are under way, and after they have arrived', async () => {
  await treasury.fund({ ...usd, amount: '15.00' })
  await treasury.chargeFee({ ...usd, amount: '1.00' })
  await treasury.chargeFee({ ...usd, organizationId: platformOrganizationId, amount: '2.00' })
  // A part of the postings is folded, and the rest is not.
  await ledger.fold()
  const [created] = await createMany(money, offRamp, 2)
  await untilIdle(takeOver(money, {}).advanceAll)
  const rail = takeOver(money, { rail: pending, sandboxLiquidity: 0 })
  await rail.payOut()
  const paid = created?.destination.destinationAmount ?? ''
  expect(paid).toMatch(/^9\.\d\d$/)

  const shown = async () => {
    const { code, output } = await runSvc(api, ['treasury', 'show', '--json'])
    expect(code).toBe(0)
    return JSON.parse(output)
  }
  const cents = BigInt(paid.replace('.', ''))
  const text = (units: bigint) => formatAmount(units, 2)
  const none = { developerFees: '0.00', reversed: '0.00', sent: '0.00', waiting: '0.00' }
  const sending = await shown()
  const usdMain = { organizationId, holding: 'usd-main', asset: 'USD', ...none, costs: '1.00' }
  const platform = { ...none, held: '-2.00', available: '-2.00', costs: '2.00' }
  const usdc = {
    organizationId,
    asset: 'USDC/BASE',
    developerFees: '0.000000',
    costs: '0.000000',
    reversed: '0.000000',
  }
  expect(sending.holdings).toEqual([
    { ...usdMain, ...platform, organizationId: platformOrganizationId },
    {
      ...usdc,
      holding: 'CUSTODY',
      held: '1000000.000000',
      available: '0.000000',
      sent: '0.000000',
      waiting: '0.000000',
    },
    { ...usdMain, held: '14.00', available: text(14_00n - cents), sent: paid, waiting: paid },
  ])
  const owed = { organizationId, returnedFunds: '0.00', suspense: '0.00', developerFees: '0.00', wallets: '0.00' }
  expect(sending.owed).toMatchObject([
    { ...owed, asset: 'USD', clearing: text(2n * cents), total: text(2n * cents) },
    { asset: 'USDC/BASE', wallets: '999980.000000', clearing: '0.000000', total: '999980.000000' },
  ])
  expect(sending.total).toEqual([
    { holding: 'usd-main', asset: 'USD', held: '12.00' },
    // The tokens of both payouts wait to be collected.
    { holding: 'CUSTODY', asset: 'USDC/BASE', held: '1000000.000000' },
  ])

  await treasury.fund({ ...usd, amount: '100.00' })
  await advance(api, 'PT1H')
  await untilIdle(takeOver(money, { rail: paying, sandboxLiquidity: 0 }).payOut)
  await advance(api, 'PT1H')
  await untilIdle(takeOver(money, { rail: paying, sandboxLiquidity: 0 }).payOut)
  const after = await shown()
  const left = text(114_00n - 2n * cents)
  expect(after.holdings.at(-1)).toEqual({ ...usdMain, held: left, available: left })
  expect(after.total.slice(1)).toEqual([
    { holding: 'CUSTODY', asset: 'USDC/BASE', held: '999980.000000' },
    { holding: 'TREASURY', asset: 'USDC/BASE', held: '20.000000' },
  ])
  await expectVerified(api)
})

test('fees that stay at a customer’s address are among what is held there', async () => {
  const before = await treasury.readOverview(organizationId)
  const { customerId } = offRamp
  const fee = ['SOURCE_CURRENCY', '1'] as const
  await api.app.rates.refresh()
  await createMany(money, { customerId, from: [wallet, 'USDC', 'BASE', '10'], to: [external, 'USDC', 'BASE'], fee }, 1)
  await untilIdle(takeOver(money, {}).advanceAll)
  for (const duration of ['PT1H', 'PT2H']) {
    await untilIdle(takeOver(money, { rail: paying }).payOut)
    await advance(api, duration)
  }
  const after = await treasury.readOverview(organizationId)
  const heldIn = ({ holdings }: typeof after) => holdings.find(({ holding }) => holding === 'CUSTODY')?.held ?? 0n
  const walletsIn = ({ owed }: typeof after) => owed.find(({ asset }) => asset === 'USDC/BASE')?.wallets ?? 0n
  const fees = heldIn(after) - walletsIn(after)
  expect(heldIn(before)).toBe(walletsIn(before))
  expect(fees).toBeGreaterThanOrEqual(1_000_000n)
  expect(heldIn(before) - heldIn(after)).toBe(10_000_000n - fees)
  await expectVerified(api)
})

test('the table has aligned columns, for one organization or all', async () => {
  const all = (await runSvc(api, ['treasury', 'show'])).output.trimEnd().split('\n')
  expect(all[0]).toBe(`Organization ${platformOrganizationId} (the platform)`)
  expect(all[1]).toBe(
    '  Holding   Asset   Held  Available  Developer fees  Costs  Reversed  Payouts sent  Payouts waiting',
  )
  expect(all[2]).toBe(
    '  usd-main  USD    -2.00      -2.00            0.00   2.00      0.00          0.00             0.00',
  )
  expect(all).toContain('All organizations, as statements of banks and balances of addresses show it')
  const one = (await runSvc(api, ['treasury', 'show', '--organization', organizationId])).output.split('\n')
  expect(one[0]).toBe(`Organization ${organizationId}`)
  expect(one.join()).not.toContain(platformOrganizationId)
  expect(one.join()).toMatch(/Owed {2}Asset {6} +Wallets {2}Returned funds +Suspense +Clearing +Developer fees +In sum/)
})
