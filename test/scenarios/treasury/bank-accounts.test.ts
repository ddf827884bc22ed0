import { expect, test } from 'vitest'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { autoFiatAccountOf, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import { startApi, testMasterKey } from '../../support/runner/api.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

const production = {
  SVC_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://svc@db.example/svc?sslmode=verify-full',
  SVC_MASTER_KEY: testMasterKey.toString('base64'),
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_PUBLIC_URL: 'https://pay.example.com',
}
const api = await startApi(production)
const [organization] = await api.app.database.query<{ organizationId: string }>({
  text: 'select organization_id as "organizationId" from svc.organizations where organization_id <> $1',
  values: [platformOrganizationId],
})
const organizationId = organization?.organizationId ?? ''

const dialectOf = (immediateDestination: string) => ({
  immediateDestination,
  immediateOrigin: '1234567890',
  destinationName: 'FIRST BANK',
  originName: 'EXAMPLE INC',
  companyId: '1234567890',
  companyName: 'EXAMPLE INC',
  odfi: '02100002',
})

test('the operator of a production deployment opens bank accounts, and records its own money', async () => {
  const settings = {
    ...production,
    DATABASE_URL: urlOf(api.database.owner),
    SVC_DATA_DIR: await makeDataFolder(),
  }
  const run = async (...args: string[]) => {
    const command = svc(['treasury', ...args], settings)
    return { code: await command.exited, output: command.output() }
  }
  const account = ['open', '--account', 'usd-main', '--bank', 'First Bank', '--currency', 'USD', '--rails']
  const money = ['--organization', organizationId, '--holding', 'usd-main', '--asset', 'USD', '--reason', 'a loan']
  const said = (code: number, text: string) => ({ code, output: expect.stringContaining(text) })
  const wanted = { bankAccountId: 'usd-main', bankName: 'First Bank', currency: 'USD' }
  const open = (rails: string[]) => api.app.treasury.openAccount({ ...wanted, rails })
  expect(await api.app.treasury.listAccounts()).toEqual([])
  await expect(open(['SEPA'])).rejects.toThrow('The rails of USD are ACH, WIRE.')
  expect(await run(...account, 'ACH,WIRE')).toEqual(said(0, 'usd-main serves ACH,WIRE.'))
  await expect(open(['ACH'])).rejects.toThrow('The account usd-main exists already.')
  const second = { ...wanted, bankAccountId: 'usd-second', rails: ['WIRE'] }
  await expect(api.app.treasury.openAccount(second)).rejects.toThrow('usd-main serves ACH, WIRE already.')
  expect(await run('accounts', '--holdings', 'x')).toEqual(said(2, 'These are valid:'))
  expect(await run('accounts')).toEqual(said(0, 'usd-main  USD  ACH,WIRE  First Bank'))
  expect(await run('fund', ...money, '--amount', '100.00')).toEqual(said(0, '100.00 USD were put into usd-main.'))
  expect(await run('withdraw', ...money, '--amount', '100.01')).toEqual(said(1, 'Less than this amount is available'))
  const own = { organizationId, holding: 'usd-main', asset: 'USD', reason: 'a loan' }
  await api.app.treasury.withdraw({ ...own, amount: '40.00' })
  await expect(api.app.treasury.fund({ ...own, holding: 'TREASURY', amount: '1.00' })).rejects.toThrow(
    '--holding: USD is held at usd-main, not at TREASURY.',
  )
  const acts = await api.app.database.query({
    text: `select organization_id as "organizationId", action, details from svc.audit
            where action like 'treasury.%' or action like 'bank_account.%' order by at`,
  })
  const moved = (amount: string) => ({ holding: 'usd-main', asset: 'USD', amount, reason: 'a loan' })
  expect(acts).toEqual([
    {
      organizationId: platformOrganizationId,
      action: 'bank_account.opened',
      details: { bankName: 'First Bank', currency: 'USD', rails: ['ACH', 'WIRE'] },
    },
    { organizationId, action: 'treasury.funded', details: moved('100.00') },
    { organizationId, action: 'treasury.withdrawn', details: moved('40.00') },
  ])
  const liquidity = await api.app.database.query({ text: 'select holding, available from svc.liquidity' })
  expect(liquidity).toEqual([{ holding: 'usd-main', available: '6000' }])
})

test('an account that was opened without coordinates is connected with its bank once', async () => {
  const settings = { ...production, DATABASE_URL: urlOf(api.database.owner), SVC_DATA_DIR: await makeDataFolder() }
  const account = { bankAccountId: 'eur-main', bankName: 'Second Bank', currency: 'EUR', rails: ['SEPA'] }
  await api.app.treasury.openAccount(account)
  const connect = async (coordinates: string) => {
    const names = ['--holder', 'Example Payments SE', '--coordinates', coordinates, '--dialect', 'batchBooking=false']
    const command = svc(['treasury', 'connect', 'eur-main', ...names], settings)
    return { code: await command.exited, output: command.output() }
  }
  const refused = { code: 1, output: expect.stringContaining('--coordinates: iban') }
  expect(await connect('iban=DE00512108001245126199')).toEqual(refused)
  const connected = { code: 0, output: expect.stringContaining('eur-main exchanges files with its bank.') }
  expect(await connect('iban=DE75512108001245126199')).toEqual(connected)
  const other = { holderName: 'Else', coordinates: { iban: 'DE89370400440532013000' }, dialect: {} }
  await expect(api.app.treasury.connectAccount('eur-main', other)).rejects.toThrow('is connected already')
  await expect(api.app.treasury.connectAccount('eur-none', other)).rejects.toThrow('There is no account eur-none')
  const files = {
    holderName: 'Example Payments SE',
    coordinates: { iban: 'DE75512108001245126199' },
    dialect: { iso20022: { batchBooking: false } },
  }
  expect((await api.app.treasury.listAccounts()).find(({ currency }) => currency === 'EUR')).toMatchObject({ files })
  const acts = await api.app.database.query({
    text: `select subject_id as "subjectId", details from svc.audit where action = 'bank_account.connected'`,
  })
  const { coordinates, dialect } = files
  expect(acts).toEqual([{ subjectId: 'eur-main', details: { coordinates, dialect } }])
})

test('coordinates of another account in the currency are refused', async () => {
  const { treasury } = (await startApi(production)).app
  const [accountNumber, routingNumber] = ['900000000001', '021000021']
  const dialect = dialectOf(routingNumber)
  const holderName = 'Example Payments Inc'
  const ach = { bankAccountId: 'usd-ach', bankName: 'First Bank', currency: 'USD', rails: ['ACH'] }
  await treasury.openAccount(ach, { holderName, coordinates: { accountNumber, routingNumber }, dialect })
  const wire = { bankAccountId: 'usd-wire', bankName: 'First Bank', currency: 'USD', rails: ['WIRE'] }
  const refused = { code: 'CONFLICT', details: [{ field: 'coordinates' }], message: expect.stringContaining('usd-ach') }
  const same = { holderName, coordinates: { accountNumber, routingNumber }, dialect: {} }
  await expect(treasury.openAccount(wire, same)).rejects.toMatchObject(refused)
  await treasury.openAccount(wire)
  await expect(treasury.connectAccount('usd-wire', same)).rejects.toMatchObject(refused)
  const own = { ...same, coordinates: { accountNumber: '900000000002', routingNumber } }
  await treasury.connectAccount('usd-wire', own)
  expect((await treasury.listAccounts()).map(({ files }) => files?.coordinates.accountNumber)).toEqual([
    accountNumber,
    '900000000002',
  ])
})

test('the operator records coins for relayers, for the platform alone', async () => {
  const settings = { ...production, DATABASE_URL: urlOf(api.database.owner), SVC_DATA_DIR: await makeDataFolder() }
  const names = ['--organization', platformOrganizationId, '--holding', 'TREASURY', '--asset', 'ETH/BASE']
  const command = svc(['treasury', 'fund', ...names, '--amount', '0.5', '--reason', 'gas'], settings)
  expect(await command.exited).toBe(0)
  expect(command.output()).toContain('0.5 ETH/BASE were put into TREASURY.')
  const { treasury } = api.app
  const coins = { organizationId: platformOrganizationId, holding: 'TREASURY', asset: 'ETH/BASE', reason: 'gas' }
  await expect(treasury.withdraw({ ...coins, amount: '0.6' })).rejects.toThrow('Less than this amount is available')
  await treasury.withdraw({ ...coins, amount: '0.2' })
  await treasury.fund({ ...coins, asset: 'SOL/SOLANA', amount: '3' })
  await expect(treasury.fund({ ...coins, organizationId, amount: '1' })).rejects.toThrow('--organization must be')
  await expect(treasury.chargeFee({ ...coins, amount: '0.1' })).rejects.toThrow('books what relayers pay for gas')
  const text = `select asset, available from svc.liquidity where organization_id = $1 order by asset`
  expect(await api.app.database.query({ text, values: [platformOrganizationId] })).toEqual([
    { asset: 'ETH/BASE', available: '300000000000000000' },
    { asset: 'SOL/SOLANA', available: '3000000000' },
  ])
})

test('the number of a virtual account is refused for an account of ours', async () => {
  const sandbox = await startWithWorkers()
  const { customerId } = await makeActive(sandbox, 'US')
  const { wallet } = await makeAccounts(sandbox, { customerId })
  const { svcAutoFiatAccount } = await createAccount(sandbox, autoFiatAccountOf(customerId, 'USD', wallet))
  const { accountNumber = '', routingNumber = '' } = svcAutoFiatAccount ?? {}
  const { treasury } = sandbox.app
  const ours = (await treasury.listAccounts()).find(({ currency }) => currency === 'USD')
  const dialect = dialectOf(routingNumber)
  const files = { holderName: 'Example Payments', coordinates: { accountNumber, routingNumber }, dialect }
  await expect(treasury.connectAccount(ours?.bankAccountId ?? '', files)).rejects.toMatchObject({
    code: 'CONFLICT',
    details: [{ field: 'coordinates', message: expect.stringContaining('virtual account') }],
  })
})
