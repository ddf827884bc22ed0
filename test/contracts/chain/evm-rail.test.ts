import { createPublicClient, http, parseAbiItem } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readClock } from '../../../src/db/business-clock.ts'
import { openDatabase } from '../../../src/db/database.ts'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'
import { contractOf } from '../../support/chains/outside-wallet.ts'
import { advance } from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { testRail } from '../../support/rails/rail-contract.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

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

const upkeep = () =>
  app.chainPayouts.keepUp({
    bookGas: async () => {},
    expedite: async () => {},
    onFailure: (error) => {
      throw error
    },
  })

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
const worker: Rail = {
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
}

const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

testRail('EVM chain', () => ({
  rail: worker,
  makeOrder: () => ({
    purpose: 'REBALANCE',
    attempt: 1,
    amount,
    originator: { customerId: null, name: '' },
    memo: 'a test',
    method: 'BASE',
    asset: 'USDC/BASE',
    from: { type: 'TREASURY' },
    destination: { type: 'ADDRESS', address: reserve },
  }),
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
