import { createPublicClient, http, parseAbiItem } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainNode } from '../../../src/chains/node.ts'
import { measureFunds } from '../../../src/chains/payouts/funds.ts'
import { createChainPayoutService } from '../../../src/chains/payouts/service.ts'
import { readClock } from '../../../src/db/business-clock.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { resumeSigning, stopSigning } from '../../../src/signer/signing/service.ts'
import type { PayoutOrder, Rail } from '../../../src/transactions/payouts/rail.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'
import { contractOf } from '../../support/chains/outside-wallet.ts'
import { advance } from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { testRail } from '../../support/rails/rail-contract.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** The rail of an EVM network keeps the promises of the port, with a real signer, relayer and chain. */
const chains = await startLocalChains()
const database = await makeDatabaseWithAddresses()
const api = await startApi({}, { database, chains })
const { app } = api
const owner = openDatabase({ connection: database.owner })
const rail = app.chainPayouts.rails.find(({ methods }) => methods.includes('BASE')) as Rail
const client = createPublicClient({ transport: http(chains.rpcUrls.BASE) })
const reserve = makeEvmAddress()
const amount = 1_000n

beforeAll(async () => {
  await owner.query({
    text: `insert into svc.reserve_addresses (kind, address, registered_by) values ('EVM', $1, 'a test')`,
    values: [reserve],
  })
  const treasury = (await app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
  await chains.control.faucet('BASE', { key: 'treasury', address: treasury, currency: 'USDC', amount: '1000000' })
  api.signer.start()
})
afterAll(() => owner.close())

const keepUp = ({ upkeeps }: Pick<typeof app.chainPayouts, 'upkeeps'>) =>
  upkeeps
    .find((each) => each.network === 'BASE')
    ?.keepUp({
      bookGas: async () => {},
      expedite: async () => {},
      report: async () => {},
      onFailure: (error) => expect.fail(String(error)),
    })
const upkeep = () => keepUp(app.chainPayouts)

/** An obligation that is sealed and being paid: tokens of our treasury, for our reserve. */
async function oblige(reference: string): Promise<void> {
  await owner.query({
    text: `insert into svc.payouts (organization_id, payout_id, purpose, method, asset, amount, pays_from, status, created_at)
           select organization_id, $1, 'REBALANCE', 'BASE', 'USDC/BASE', $2, 'TREASURY', 'WAITING', svc.now()
             from svc.organizations limit 1`,
    values: [reference, amount],
  })
  await api.signer.sealAll()
  await eventually(async () => {
    const text = `update svc.payouts set status = 'SENDING', attempts = 1 where payout_id = $1 and seal is not null
                  returning payout_id`
    expect(await owner.query({ text, values: [reference] })).toHaveLength(1)
  })
}

/** As the worker does: the obligation exists before its bytes, which are committed before they leave. */
const workerOf = (rail: Rail): Rail => ({
  ...rail,
  prepare: async (orders, call) => {
    for (const { reference } of orders) await oblige(reference)
    return rail.prepare(orders, call)
  },
  submit: async (batch, call) => {
    call.signal.throwIfAborted()
    for (const { reference, key } of batch.items) {
      await owner.query({
        text: `with batch as (
                 insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
                 values ($1, $2, '', $3, svc.now()) on conflict do nothing)
               insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
               select organization_id, payout_id, 1, $1, $5 from svc.payouts where payout_id = $4
               on conflict do nothing`,
        values: [batch.batchId, rail.name, batch.notAfter, reference, key],
      })
    }
    return rail.submit(batch, call)
  },
})
const worker = workerOf(rail)

const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

const makeOrder = (): Omit<PayoutOrder, 'reference' | 'shortReference' | 'notAfter'> => ({
  purpose: 'REBALANCE',
  attempt: 1,
  amount,
  originator: { customerId: null, name: '' },
  memo: 'a test',
  method: 'BASE',
  asset: 'USDC/BASE',
  from: { type: 'TREASURY' },
  destination: { type: 'ADDRESS', address: reserve },
})

testRail('EVM chain', () => ({
  rail: worker,
  makeOrder,
  now: async () => (await readClock(app.database)).now,
  pass: async (seconds) => {
    await eventually(async () => {
      await upkeep()
      expect(await app.database.query({ text: `select from svc.relay_nonces where state = 'OPEN'` })).toEqual([])
    })
    await advance(api, `PT${seconds}S`)
    const { now } = await readClock(app.database)
    await eventually(async () => {
      const { timestamp } = await client.getBlock({ blockTag: 'finalized' })
      expect(Number(timestamp) * 1_000).toBeGreaterThan(now.getTime() - 60_000)
    })
  },
  countPayments: async (reference) => {
    const paid = await app.database.query<{ hash: string }>({
      text: `select hash from svc.relay_nonces join svc.transfer_authorizations using (authorization_id)
              where payout_id = $1 and hash is not null`,
      values: [reference],
    })
    const logs = await client.getLogs({
      address: contractOf('BASE'),
      event: transfer,
      args: { to: reserve as `0x${string}` },
      fromBlock: 0n,
    })
    return logs.filter(({ transactionHash }) => paid.some(({ hash }) => hash === transactionHash)).length
  },
}))

test('every transfer to the reserve is one that the relayer knows', async () => {
  const logs = await client.getLogs({
    address: contractOf('BASE'),
    event: transfer,
    args: { to: reserve as `0x${string}` },
    fromBlock: 0n,
  })
  expect(logs.map(({ args }) => args.value)).toEqual([amount])
})

const call = () => ({ signal: new AbortController().signal })
const node = app.chains.nodes.get('BASE') as ChainNode
/** The rail and the upkeep of Base, with a node that answers some questions in another way. */
const openWith = (changes: Partial<ChainNode>) =>
  createChainPayoutService({
    database: app.database,
    custody: app.custody,
    onPoint: () => {},
    environment: 'sandbox',
    networks: [
      { node: { ...node, ...changes }, finality: 'finalized', gas: { maxFeeGwei: 100, perHour: 0, perDay: 0 } },
    ],
  })
const prepare = async () => {
  const notAfter = new Date((await readClock(app.database)).now.getTime() + 600_000)
  const order: PayoutOrder = { ...makeOrder(), reference: newId(), shortReference: newId().slice(0, 15), notAfter }
  const batch = first((await worker.prepare([order], call())).batches)
  const { content, ...committed } = batch
  const attempt = { ...first(batch.items), ...committed, rail: rail.name, attempt: 1, content: async () => content }
  return { batch, ask: () => rail.ask(order, [attempt], call()) }
}
const relaysOf = (key: string) =>
  app.database.query<{ version: number; refusal: string | null; tip: string }>({
    text: `select version.version, version.send_refusal as refusal, version.tip::text as tip
             from svc.relay_nonces as used join svc.relay_transactions as version using (network, relayer, nonce)
            where used.authorization_id = $1 order by version.version`,
    values: [key],
  })

test('fees rise above the cap when the bytes leave: no nonce is allocated, and they are relayed later', async () => {
  const { batch, ask } = await prepare()
  const expensive = openWith({ feeHistory: async () => ({ nextBaseFee: 10n ** 15n, tips: [0n] }) })
  const submitted = await workerOf(first(expensive.rails)).submit(batch, call())
  expect(submitted).toEqual([{ outcome: 'UNKNOWN', why: 'gas costs more than the cap' }])
  expect(await relaysOf(first(batch.items).key)).toEqual([])
  expect(await ask()).toMatchObject({ state: 'PENDING' })
  await eventually(async () => {
    await upkeep()
    expect(await ask()).toMatchObject({ state: 'CONFIRMED' })
  })
})

test('a transaction that nodes call underpriced is replaced with a higher tip', async () => {
  const { batch, ask } = await prepare()
  let refused: string | undefined
  const strict = openWith({
    sendRaw: async (raw) => {
      refused ??= raw
      if (raw !== refused) return node.sendRaw(raw)
      return { outcome: 'REFUSED', reason: 'UNDERPRICED', message: 'transaction underpriced: tip needed 25' }
    },
  })
  await workerOf(first(strict.rails)).submit(batch, call())
  await eventually(async () => {
    await keepUp(strict)
    expect(await ask()).toMatchObject({ state: 'CONFIRMED' })
  })
  const [former, replacement] = await relaysOf(first(batch.items).key)
  expect([former?.refusal, replacement?.refusal]).toEqual(['UNDERPRICED', null])
  expect(BigInt(replacement?.tip ?? 0)).toBeGreaterThan(BigInt(former?.tip ?? 0))
})

test('a token with another domain than the one we sign for: payouts wait', async () => {
  const separatorQuestion = '0x3644e515'
  const other = openWith({
    call: async (asked, block) => (asked.data === separatorQuestion ? `0x${'5'.repeat(64)}` : node.call(asked, block)),
  })
  const notAfter = new Date((await readClock(app.database)).now.getTime() + 600_000)
  const order = { ...makeOrder(), reference: newId(), shortReference: newId().slice(0, 15), notAfter }
  const { batches, declined } = await first(other.rails).prepare([order], call())
  expect(batches).toEqual([])
  expect(declined).toMatchObject([{ outcome: 'NOT_NOW', why: expect.stringContaining('has not the domain') }])
})

test('a treasury and a relayer with few funds are an alarm until they have more', async () => {
  const measure = (lowCoins: number, lowTreasury: number) =>
    measureFunds({
      node,
      finality: 'finalized',
      database: app.database,
      environment: 'sandbox',
      custody: app.custody,
      least: { lowCoins, lowTreasury },
      onLow: ({ asset }) => told.push(asset),
    })
  const told: string[] = []
  const alarms = async () => [
    await readMetric(api, 'svc_relayer_coins_low'),
    await readMetric(api, 'svc_treasury_low'),
    ((await api.get('/readyz')).body as { concerns: string[] }).concerns.filter((name) => name.endsWith('_LOW')),
  ]
  await measure(1, 0)
  expect(await alarms()).toEqual(['0', '0', []])
  // The sandbox's relayer has ten thousand coins, the treasury less than two tokens of one kind and none of the other.
  for (let times = 0; times < 2; times += 1) await measure(1_000_000_000, 2)
  expect(await alarms()).toEqual(['1', '1', ['RELAYER_COINS_LOW', 'TREASURY_LOW']])
  expect(told.sort()).toEqual(['ETH/BASE', 'USDC/BASE'])
  await measure(1, 0)
  expect(await alarms()).toEqual(['0', '0', []])
})

/** Prepares a first attempt, whose bytes are never committed, and begins the second. */
async function prepareTwice(secondBegins: (reference: string, key: string) => Promise<unknown>) {
  const reference = newId()
  const notAfter = new Date((await readClock(app.database)).now.getTime() + 600_000)
  const order = { ...makeOrder(), reference, shortReference: 'R00000000000000', notAfter }
  const { key } = first(first((await worker.prepare([order], call())).batches).items)
  await owner.query({ text: 'update svc.payouts set attempts = 2 where payout_id = $1', values: [reference] })
  await secondBegins(reference, key)
  const prepared = await rail.prepare([{ ...order, attempt: 2 }], call())
  return { reference, key, keys: prepared.batches.flatMap(({ items }) => items.map((item) => item.key)) }
}

test('a signature without committed bytes is used by the next attempt, even while signing is stopped', async () => {
  const operator = openDatabase({ ...database.signer, connections: 1 })
  const { key, keys } = await prepareTwice(() => stopSigning(operator, 'a test', 'ada'))
  expect(keys).toEqual([key])
  await resumeSigning(operator, 'ada')
  await operator.close()
})

test('a payout stays with the treasury that signed first, although another one is in use and holds tokens', async () => {
  const imported = makeEvmAddress()
  await chains.control.faucet('BASE', { key: 'imported', address: imported, currency: 'USDC', amount: '1000000' })
  const treasury = await app.custody.findServiceAddress('EVM', 'TREASURY')
  const { reference, key, keys } = await prepareTwice(async (payoutId, first) => {
    for (const text of [
      `insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
       values ('${first}', 'x', '', svc.now(), svc.now())`,
      `insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
       select organization_id, payout_id, 1, '${first}', '${first}' from svc.payouts where payout_id = '${payoutId}'`,
      `insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
       select organization_id, payout_id, 1, svc.now(), 'DEAD' from svc.payouts where payout_id = '${payoutId}'`,
      `update svc.transfer_authorizations set valid_before = 1 where authorization_id = '${first}'`,
      `update svc.service_addresses set retired_at = clock_timestamp() where kind = 'EVM' and role = 'TREASURY'`,
      `insert into svc.service_addresses (seed_id, kind, role, address)
       select seed_id, 'EVM', 'TREASURY', '${imported}' from svc.signer_seeds where purpose = 'WALLETS' limit 1`,
    ])
      await owner.query({ text })
  })
  expect(keys).toHaveLength(1)
  expect(keys).not.toContain(key)
  const senders = await app.database.query<{ sender: string }>({
    text: 'select distinct from_address as sender from svc.transfer_authorizations where payout_id = $1',
    values: [reference],
  })
  expect(senders).toEqual([{ sender: treasury }])
})
