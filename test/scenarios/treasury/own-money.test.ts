import { expect, test } from 'vitest'
import { findTreasuryCommand } from '../../../src/commands/treasury.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { UsageError } from '../../../src/lib/settings.ts'
import { expectVerified } from '../../support/money/transactions.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'

/** The operator moves own money between holdings, and records what banks and networks charge. */
const api = await startApi({ SVC_SANDBOX_LIQUIDITY: '0' })
const { treasury, database } = api.app
// A second account in dollars, which serves no rail of its own: the sandbox's serves both.
await database.query({
  text: `insert into svc.bank_accounts (bank_account_id, bank_name, currency, created_at)
         values ('usd-second', 'Second Bank', 'USD', now())`,
})
const { organizationId } = first((await api.get('/organizations')).body.organizations)
const organization = ['--organization', organizationId]
const reason = 'a test'
const own = { organizationId, reason }
const usd = { ...own, holding: 'usd-main', asset: 'USD' }

const run = async (...args: string[]) => runSvc(api, ['treasury', ...args, '--reason', reason])
const said = (code: number, text: string) => ({ code, output: expect.stringContaining(text) })
const liquidity = (...holdings: string[]) =>
  database.query({
    text: `select holding, asset, available, costs from svc.liquidity
            where organization_id = $1 and holding = any($2) order by holding, asset`,
    values: [organizationId, holdings],
  })

test('own money moves between two accounts, and what does not arrive is a cost', async () => {
  await treasury.fund({ ...usd, amount: '1000.00' })
  const move = ['rebalance', ...organization, '--from', 'usd-main', '--to', 'usd-second', '--asset', 'USD']
  expect(await run(...move, '--amount', '500.00', '--received', '497.00')).toEqual(
    said(0, '500.00 USD left usd-main, and 497.00 USD arrived at usd-second.'),
  )
  const moved = [
    { holding: 'usd-main', asset: 'USD', available: '50300', costs: '300' },
    { holding: 'usd-second', asset: 'USD', available: '49700', costs: '0' },
  ]
  expect(await liquidity('usd-main', 'usd-second')).toEqual(moved)
  await expectVerified(api)
  expect(await run(...move, '--amount', '500.01')).toEqual(said(1, 'Less than this amount is available'))
  expect(await liquidity('usd-main', 'usd-second')).toEqual(moved)
  const back = { ...own, from: 'usd-second', to: 'usd-main', asset: 'USD', amount: '497.00' }
  await treasury.rebalance(back)
  await expectVerified(api)
  await treasury.withdraw({ ...usd, amount: '997.00' })
  await expectVerified(api)
})

test('a token moves to another network, one for one', async () => {
  await treasury.fund({ ...own, holding: 'TREASURY', asset: 'USDC/BASE', amount: '200' })
  const move = ['rebalance', ...organization, '--from', 'TREASURY', '--to', 'TREASURY', '--asset', 'USDC/BASE']
  expect(await run(...move, '--to-asset', 'USDC/SOLANA', '--amount', '100', '--received', '99.5')).toEqual(
    said(0, '100 USDC/BASE left TREASURY, and 99.5 USDC/SOLANA arrived at TREASURY.'),
  )
  expect(await liquidity('TREASURY')).toEqual([
    { holding: 'TREASURY', asset: 'USDC/BASE', available: '100500000', costs: '500000' },
    { holding: 'TREASURY', asset: 'USDC/SOLANA', available: '99500000', costs: '0' },
  ])
  const position = (asset: string) =>
    api.app.ledger.position(database, organizationId, { kind: 'FX_POSITION', holder: '', asset })
  expect([await position('USDC/BASE'), await position('USDC/SOLANA')]).toEqual([-99_500_000n, 99_500_000n])
  await expectVerified(api)
})

test('a fee is booked although nothing is there, and at most what was charged is refunded', async () => {
  const fee = ['fee', ...organization, '--holding', 'eur-main', '--asset', 'EUR']
  expect(await run(...fee, '--amount', '12.50')).toEqual(said(0, '12.50 EUR were charged at eur-main.'))
  await expectVerified(api)
  const eur = { ...own, holding: 'eur-main', asset: 'EUR' }
  await treasury.fund({ ...eur, amount: '20.00' })
  await expect(treasury.withdraw({ ...eur, amount: '7.51' })).rejects.toThrow('Less than this amount is available')
  await expect(treasury.refundFee({ ...eur, amount: '12.51' })).rejects.toThrow('Less than this amount was charged')
  expect(await run(...fee, '--amount', '2.50', '--refund')).toEqual(said(0, '2.50 EUR were refunded at eur-main.'))
  await expectVerified(api)
  await treasury.withdraw({ ...eur, amount: '10.00' })
  expect(await liquidity('eur-main')).toEqual([{ holding: 'eur-main', asset: 'EUR', available: '1000', costs: '1000' }])
  await expectVerified(api)
})

test('a fee that belongs to no organization is booked for the platform', async () => {
  await treasury.chargeFee({ ...usd, organizationId: platformOrganizationId, amount: '15.00' })
  const { holdings } = await treasury.readOverview(platformOrganizationId)
  expect(holdings).toMatchObject([{ holding: 'usd-main', held: -15_00n, available: -15_00n, costs: 15_00n }])
  await expectVerified(api)
})

test('opposite transfers at the same time wait for each other', async () => {
  const both = ['usd-main', 'usd-second']
  for (const holding of both) await treasury.fund({ ...usd, holding, amount: '100.00' })
  const before = await liquidity(...both)
  const moves = Array.from({ length: 20 }, (_, at) => {
    const [from = '', to = ''] = at % 2 === 0 ? both : [...both].reverse()
    return treasury.rebalance({ ...own, from, to, asset: 'USD', amount: '5.00' })
  })
  expect(await Promise.all(moves)).toEqual(moves.map(() => ({ result: 'RECORDED' })))
  expect(await liquidity(...both)).toEqual(before)
  await expectVerified(api)
})

test('every act is audited with what was moved', async () => {
  const acts = await database.query({
    text: `select distinct on (action) action, actor, details from svc.audit
            where organization_id = $1 and action like 'treasury.%' order by action, at`,
    values: [organizationId],
  })
  const moved = { holding: 'usd-main', asset: 'USD', amount: '500.00', reason }
  const charged = { holding: 'eur-main', asset: 'EUR', reason }
  expect(acts).toEqual([
    { action: 'treasury.fee_charged', actor: 'command line', details: { ...charged, amount: '12.50' } },
    { action: 'treasury.fee_refunded', actor: 'command line', details: { ...charged, amount: '2.50' } },
    { action: 'treasury.funded', actor: 'command line', details: { ...moved, amount: '1000.00' } },
    {
      action: 'treasury.rebalanced',
      actor: 'command line',
      details: { ...moved, toHolding: 'usd-second', toAsset: 'USD', received: '497.00' },
    },
    { action: 'treasury.withdrawn', actor: 'command line', details: { ...moved, amount: '997.00' } },
  ])
})

const token = { ...own, from: 'TREASURY', to: 'TREASURY', asset: 'USDC/BASE', amount: '1' }
const bank = { ...own, from: 'usd-main', to: 'usd-second', asset: 'USD', amount: '1.00' }

test.each([
  [{ ...bank, amount: '0' }, '--amount must be above zero.'],
  [{ ...bank, amount: '1.001' }, '--amount must have at most 2 decimals.'],
  [{ ...bank, received: '1.01' }, '--received must not be above --amount: more arrives than has left.'],
  [{ ...bank, received: 'x' }, '--received must be'],
  [{ ...bank, to: 'usd-main' }, '--to must be another account: USD is at usd-main already.'],
  [{ ...bank, to: 'eur-main' }, '--to: USD is held at usd-main, usd-second, not at eur-main.'],
  [{ ...bank, from: 'CUSTODY' }, '--from: USD is held at usd-main, usd-second, not at CUSTODY.'],
  [{ ...bank, asset: 'GBP' }, '--asset must be one of USD, EUR'],
  [token, '--to-asset must be an asset of another network: USDC/BASE is at TREASURY already.'],
  [{ ...token, toAsset: 'EURC/BASE' }, '--to-asset must be USDC on another network, not EURC/BASE.'],
  [{ ...token, toAsset: 'USD', to: 'usd-main' }, '--to-asset must be USDC on another network, not USD.'],
])('%#: a rebalance that cannot be names the option: %o', async (written, problem) => {
  await expect(treasury.rebalance(written)).rejects.toThrow(problem)
  await expect(treasury.rebalance(written)).rejects.toBeInstanceOf(UsageError)
})

const fee = ['fee', ...organization, '--holding', 'usd-main', '--asset', 'USD', '--amount', '1.00']

test.each([
  [[...fee], '--reason is missing.'],
  [[...fee, '--reason', ' '], '--reason is missing.'],
  [[...fee, '--reason', 'x', '--received', '1'], '--received is no option of "svc treasury fee": leave it out.'],
  [
    ['fund', ...fee.slice(1), '--reason', 'x', '--refund'],
    '--refund is no option of "svc treasury fund": leave it out.',
  ],
  [['show', '--organization', 'x'], '--organization must be the id of an organization.'],
  [['approve', 'x'], '"svc treasury approve" needs the id of a proposal.'],
  [['refuse', newId()], '--reason is missing.'],
])('%j: %s', (args, problem) => {
  expect(() => findTreasuryCommand(args)).toThrow(new UsageError(problem))
})

test('bad input ends with exit code 2, the option and the form of the command', async () => {
  const before = await database.query({ text: 'select count(*) from svc.audit' })
  const { code, output } = await run(...fee.slice(0, -1), '1,00')
  expect(code).toBe(2)
  expect(output).toContain('--amount must be')
  expect(output).toContain('svc treasury fee --organization id')
  expect(output).not.toContain('svc treasury fund')
  expect(await database.query({ text: 'select count(*) from svc.audit' })).toEqual(before)
})
