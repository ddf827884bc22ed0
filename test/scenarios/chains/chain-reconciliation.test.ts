import { expect, test } from 'vitest'
import { insertOddity } from '../../../src/chains/scanner/store.ts'
import { describeReport } from '../../../src/commands/reconciliation/verify.ts'
import { newId } from '../../../src/lib/ids.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  createTransaction,
  creditWallet,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import type { ShownItem } from '../../support/reconciliation/reading.ts'
import { openForTest } from '../../support/runner/database.ts'

/** Networks against the ledger: every difference is named, and none is invented, also while money moves. */
const network = 'BASE'
const world = await startPaying()
const { api, chains, customerId, organizationId, until, makeWallet, makeExternal, rows } = world
const { control } = chains
const { paymentAccountId: bank } = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
const stranger = await openOutsideWallet(chains, network)
const [spending, resting] = [await makeWallet(), await makeWallet()]
for (const { address } of [spending, resting]) await stranger.transfer(address, 100_000_000n)
await until(async () => expect(await availableIn(api, resting.wallet, 'USDC', network)).toBe('100.000000'))
const treasury = (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
const relayer = (await api.app.custody.findServiceAddress('EVM', 'RELAYER')) ?? ''

const reconcile = async () => {
  const report = (await api.app.chainPayouts.comparisons.compareAll()).find((each) => each.network === network)
  if (!report?.block) throw new Error(report?.problem ?? 'there is no report')
  return report
}
/** The differences as an operator reads them. */
const lines = async () =>
  describeReport(await reconcile())
    .slice(1)
    .map((line) => line.trim())

const send = (to: string, currency: string, method: string) =>
  createTransaction(api, { customerId, from: [spending.wallet, 'USDC', network, '10'], to: [to, currency, method] })
const complete = (transaction: Transaction) => waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })

test('while payments of every kind are on their way, no comparison invents a difference', async () => {
  const { external } = await makeExternal(network)
  await complete(await send(external, 'USDC', network))
  // The sandbox has given the relayer its coins.
  await until(async () => expect(await lines()).toEqual([]))
  const sent = await Promise.all([
    send(external, 'USDC', network),
    send(resting.wallet, 'USDC', network),
    send(bank, 'USD', 'ACH'),
  ])
  const done = Promise.all(sent.map(complete))
  let [isDone, comparisons] = [false, 0]
  const ended = done.then(() => (isDone = true))
  while (!isDone) {
    expect(await lines()).toEqual([])
    comparisons += 1
  }
  await ended
  expect(comparisons).toBeGreaterThan(0)
  // The source of the sale is collected.
  await until(async () => {
    expect(await lines()).toEqual([])
    expect(await rows(`select from svc.payouts where status <> 'CONFIRMED'`)).toEqual([])
  })
})

test('chains that were killed have what the ledger says when they are back', async () => {
  const headOf = async () => (await control.status()).find((each) => each.network === network)?.head
  await control.pause(network)
  const before = await headOf()
  await chains.kill('SIGKILL')
  await until(async () => expect(await headOf()).toEqual(before))
  await control.resume(network)
  await until(async () => expect(await lines()).toEqual([]))
  const { external, address } = await makeExternal(network)
  const paid = await complete(await send(external, 'USDC', network))
  expect(await world.balanceOf(network, address)).toBe(BigInt(paid.destination.destinationAmount.replace('.', '')))
  await until(async () => expect(await lines()).toEqual([]))
})

test('known transfers explain a surplus', async () => {
  await stranger.transfer(resting.address, 7n)
  await stranger.transfer(treasury, 5_000_000n)
  await until(async () => expect((await reconcile()).explained).toHaveLength(2))
  expect((await reconcile()).differences).toEqual([])
  expect(await lines()).toEqual([
    expect.stringContaining(`explained: treasury ${treasury} has 5.000000 USDC more than the ledger`),
    expect.stringContaining(`explained: wallet ${resting.address} has 0.000007 USDC more than the ledger`),
  ])
  const causes = (await lines()).map((line) => line.split('known: ')[1])
  expect(causes).toEqual(['5.000000 USDC received, and not recorded', '0.000007 USDC dust'])
  // Worthless tokens do not push out what explains the treasury.
  const spam = { kind: 'FOREIGN_TOKEN', contract: relayer, from: relayer, to: relayer, value: 1n } as const
  const place = { blockNumber: 1n, observedAt: new Date() }
  await api.app.database.inTx(async (tx) => {
    for (let position = 0; position < 1_000; position += 1)
      await insertOddity(tx, network, { ...spam, ...place, transactionHash: 'spam', position })
  })
  expect((await reconcile()).explained).toHaveLength(2)
})

test('money that leaves, comes or is booked in another way is named, each with its address', async () => {
  const give = { key: newId(), currency: 'USDC', address: stranger.address, amount: '1000000' }
  await control.faucet(network, { ...give, from: spending.address })
  const burnt = { key: newId(), currency: 'USDC', act: 'burn', account: treasury, amount: '2' } as const
  await control.administer(network, burnt)
  await control.faucet(network, { key: newId(), address: relayer, currency: 'NATIVE', amount: '3' })
  await creditWallet(api, { organizationId, paymentAccountId: resting.wallet, amount: 50_000_000n })
  await until(async () => {
    const found = (await reconcile()).differences
    const named = found.map(({ about, place, ledger, chain }) => [about, place, chain - ledger])
    expect(named).toEqual([
      // Less than what is known to have come: a part is missing.
      ['CHAIN', `treasury ${treasury}`, 4_999_998n],
      ['CHAIN', `wallet ${spending.address}`, -1_000_000n],
      ['BALANCES', `wallet ${resting.address}`, expect.any(BigInt)],
      ['BOOKS', 'all wallets', -50_000_000n],
      ['CHAIN', `relayer ${relayer}`, 3n],
    ])
  })
  expect((await lines()).join('\n')).toContain(`wallet ${spending.address} has 1.000000 USDC less than the ledger`)
})

const { comparisons } = api.app.chainPayouts
const unitsOf = (text: string) => BigInt(text.replace('.', ''))
type Shown = { account: string; ledger: string; outside: string; difference: string; items: ShownItem[] }
type Answer = { date: string; accounts: Shown[]; networks: { network: string; isCompared: boolean }[] }
const readNow = async () => (await api.get('/reconciliation')).body
const openOf = (accounts: Shown[], name: string) =>
  accounts
    .find(({ account }) => account === name)
    ?.items.map(({ state, kind, reference, amount, ageDays, isAged }) => [
      state,
      kind,
      reference,
      amount,
      ageDays,
      isAged,
    ])

test('the worker keeps one comparison for each day, and the API shows it with the age of each item', async () => {
  await advance(api, 'P1D')
  const day = (await readNow()).date
  const made = () =>
    rows<{ day: string }>(`select day::text from svc.chain_comparisons where network = $1 and is_daily and day = $2`, [
      network,
      day,
    ])
  await until(async () => expect(await made()).toHaveLength(1))
  const { accounts, networks } = await readNow()
  expect(networks.find((each: { network: string }) => each.network === network)).toMatchObject({
    isCompared: true,
    block: { number: expect.any(String), hash: expect.stringMatching(/^0x/) },
    comparedAt: expect.stringContaining(day),
  })
  // Two comparisons have named each: the operator's of the day before, and this one.
  expect(openOf(accounts, 'BASE USDC treasury')).toEqual([['UNEXPECTED', 'ADDRESS', treasury, '4.999998', 1, true]])
  expect(openOf(accounts, 'BASE USDC wallets')).toEqual([
    ['MISSING', 'ADDRESS', spending.address, '1.000000', 1, true],
    ['UNEXPECTED', 'DUST', resting.address, '0.000007', 1, false],
    ['MISSING', 'RECORDS', 'all wallets', '50.000000', 1, true],
  ])
  expect(openOf(accounts, 'BASE ETH relayers')).toEqual([
    ['UNEXPECTED', 'ADDRESS', relayer, '0.000000000000000003', 1, true],
  ])
  expect(openOf(accounts, `BASE USDC wallets: customers at ${resting.address}`)).toEqual([
    ['MISSING', 'CLAIMS', resting.address, '50.000000', 1, true],
  ])
  for (const { ledger, outside, difference, items } of accounts as Shown[]) {
    const signs = { MATCHED: 0n, MISSING: -1n, UNEXPECTED: 1n } as const
    const open = items.reduce((sum, { state, amount }) => sum + signs[state] * unitsOf(amount), 0n)
    expect(unitsOf(outside) - unitsOf(ledger)).toBe(open)
    expect(unitsOf(difference)).toBe(open)
  }
  // Another worker that does the same changes nothing.
  await Promise.all([comparisons.compareDaily(network), comparisons.compareDaily(network)])
  expect(await made()).toHaveLength(1)
})

test('a transfer that waits to be credited has its own age, also at an address where another one waited before', async () => {
  const copy = `insert into svc.sightings
    select (jsonb_populate_record(sighting, jsonb_build_object('external_id', $1::text, 'due_at', svc.now() + interval '9 years',
             'dust', null, 'lease_until', null))).*
      from svc.sightings as sighting where method = $2 and address = $3 and state = 'FINAL' limit 1`
  const owner = openForTest({ connection: api.database.owner })
  const wait = (externalId: string) => owner.query({ text: copy, values: [externalId, network, spending.address] })
  const ages = async () => {
    await advance(api, 'P1D')
    const { date } = await readNow()
    const isBase = (each: { network: string }) => each.network === network
    await until(async () =>
      expect((await readNow()).networks.find(isBase)).toMatchObject({ comparedAt: expect.stringContaining(date) }),
    )
    const { accounts } = await readNow()
    const items = openOf(accounts, 'BASE USDC wallets') ?? []
    return items
      .filter(([, , reference]) => String(reference).startsWith('waits-'))
      .map(([, , name, , age]) => [name, age])
  }
  await wait('waits-1')
  expect(await ages()).toEqual([['waits-1', 0]])
  await owner.query({ text: `delete from svc.sightings where external_id = 'waits-1'` })
  await wait('waits-2')
  expect(await ages()).toEqual([['waits-2', 0]])
  await owner.query({ text: `delete from svc.sightings where external_id = 'waits-2'` })
})

test('a network that cannot be read is not compared: no day of it passes, and no old comparison stands for it', async () => {
  const shownOn = async (date?: string) => {
    const answer = await api.get(`/reconciliation${date === undefined ? '' : `?date=${date}`}`)
    const body = answer.body as unknown as Answer
    const accounts = body.accounts.filter(({ account }) => account.startsWith(network))
    return {
      date: body.date,
      accounts,
      of: body.networks.find((each) => each.network === network),
    }
  }
  const { date: compared } = await shownOn()
  await control.fault(network, { kind: 'down', calls: 100_000 })
  await advance(api, 'P1D')
  await until(async () => {
    const { of, accounts } = await shownOn()
    expect(of).toMatchObject({ isCompared: false, problem: expect.stringContaining('node 1 of BASE') })
    expect(accounts).toEqual([])
  })
  expect((await shownOn(compared)).of).toMatchObject({ isCompared: false })
  // The day before it ended as the comparison at its end found it.
  const before = new Date(Date.parse(compared) - 86_400_000).toISOString().slice(0, 10)
  expect((await shownOn(before)).of).toMatchObject({ isCompared: true, comparedAt: expect.stringContaining(compared) })
  await control.fault(network, { kind: 'down', calls: 0 })
  await until(async () => expect(await comparisons.compareDaily(network)).toEqual({ problem: undefined }))
  expect((await shownOn(compared)).of).toMatchObject({ isCompared: true })
  expect((await shownOn()).of).toMatchObject({ isCompared: true })
})

test('a network whose scanner is behind is not compared until it has caught up', async () => {
  await api.stop()
  const burnt = { key: newId(), currency: 'USDC', act: 'burn', account: resting.address, amount: '90000000' } as const
  await control.administer(network, burnt)
  await advance(api, 'P1D')
  await control.mine(network, { blocks: 8 })
  const shown = async () => (await readNow()).networks.find((each) => each.network === network)
  expect(await comparisons.compareDaily(network)).toEqual({ problem: expect.stringContaining('SCANNER_BEHIND') })
  expect(await shown()).toMatchObject({ isCompared: false, problem: expect.stringContaining('SCANNER_BEHIND') })
  api.stop = (await api.app.startWorker()).stop
  await until(async () => expect(await shown()).toMatchObject({ isCompared: true }))
  expect(openOf((await readNow()).accounts, 'BASE USDC wallets')).toContainEqual([
    'MISSING',
    'ADDRESS',
    resting.address,
    '90.000000',
    0,
    true,
  ])
})
