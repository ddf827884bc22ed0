import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { NetworkKind } from '../../../src/catalog/network-kinds.ts'
import { createCustodyService } from '../../../src/custody/service.ts'
import { custodyChecks } from '../../../src/custody/store.ts'
import { clientConfig, type Database } from '../../../src/db/database.ts'
import { verify } from '../../../src/db/verify.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createSeedService } from '../../../src/signer/seeds.ts'
import { openSigner } from '../../../src/signer/service.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { testSignerKey } from '../../support/secrets/signer.ts'

async function start(count = 50) {
  const database = await makeDatabase()
  await fillAddressPool(database, count)
  const app = openForTest({ ...database.app, connections: 32 })
  return { database, app, custody: createCustodyService({ database: app }), signers: openForTest(database.signer) }
}

function take(app: Database, kind: NetworkKind, paymentAccountId = newId()) {
  const owner = { organizationId: newId(), customerId: newId(), paymentAccountId, kind }
  return app.inTx((tx) => createCustodyService({ database: app }).assignAddress(tx, owner))
}

test('the addresses of a phrase are assigned in order of their index', async () => {
  const { app } = await start()
  expect(await take(app, 'EVM')).toEqual({ address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })
  expect(await take(app, 'EVM')).toEqual({ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  expect(await take(app, 'SOLANA')).toEqual({ address: 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96' })
})

test('64 concurrent callers get 64 addresses, and an empty pool gives none', async () => {
  const { app, custody } = await start(100)
  const first = await Promise.all(Array.from({ length: 64 }, () => take(app, 'EVM')))
  expect(new Set(first.map((each) => each?.address)).size).toBe(64)
  const rest = await Promise.all(Array.from({ length: 64 }, () => take(app, 'EVM')))
  const given = [...first, ...rest].flatMap((each) => each?.address ?? [])
  expect(given).toHaveLength(100)
  expect(new Set(given).size).toBe(100)
  expect(await take(app, 'EVM')).toBeUndefined()
  expect(await custody.countFree()).toEqual({ EVM: 0, SOLANA: 100 })
  expect(await verify(app, custodyChecks)).toMatchObject({ ok: true })
})

test('an address stays free when the creation of its payment account rolls back', async () => {
  const { app, custody } = await start()
  const failing = app.inTx(async (tx) => {
    await custody.assignAddress(tx, {
      organizationId: newId(),
      customerId: newId(),
      paymentAccountId: newId(),
      kind: 'EVM',
    })
    throw new Error('the account could not be made')
  })
  await expect(failing).rejects.toThrow('could not be made')
  expect(await take(app, 'EVM')).toEqual({ address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })
})

test('assigned, free and treasury addresses are recognized in any letter case', async () => {
  const { custody } = await start()
  const treasury = await custody.findServiceAddress('EVM', 'TREASURY')
  expect(treasury).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94')
  expect(await custody.isOwnAddress('EVM', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe(true)
  expect(await custody.isOwnAddress('EVM', treasury?.toLowerCase() ?? '')).toBe(true)
  expect(await custody.isOwnAddress('EVM', '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045')).toBe(false)
  expect(await custody.isOwnAddress('SOLANA', 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96')).toBe(true)
  expect(await custody.isOwnAddress('SOLANA', 'oeyf6kajklyhbur8cigc6l4d4xtfepr85fudga9kq96')).toBe(false)
})

test('three concurrent signers fill the pool to its size, each index exactly once', async () => {
  const database = await makeDatabase()
  const pools = [1, 2, 3].map(() => openForTest(database.signer))
  const seedServices = pools.map((pool) => createSeedService({ database: pool, signerKey: testSignerKey }))
  // They also race to create the seeds: one of them does.
  const made = await Promise.all(seedServices.map((seedService) => seedService.create('a test')))
  expect(made.flat().sort()).toEqual(['SERVICE', 'WALLETS'])
  const signers = await Promise.all(
    seedServices.map((seedService, at) => openSigner(pools[at] as Database, seedService, { poolSize: 200 })),
  )
  const fill = async ({ refill }: (typeof signers)[number]) => {
    while ((await refill()) > 0);
  }
  await Promise.all(signers.map(fill))
  const counted = await openForTest({ connection: database.owner }).query({
    text: `select kind, count(*)::int as rows, max(address_index) + 1 as next, count(distinct seed_id)::int as seeds
             from svc.wallet_addresses group by kind order by kind`,
  })
  expect(counted).toEqual([
    { kind: 'EVM', rows: 200, next: 200, seeds: 1 },
    { kind: 'SOLANA', rows: 200, next: 200, seeds: 1 },
  ])
})

test('a used pool is refilled from the next index', async () => {
  const { app, database } = await start(50)
  await take(app, 'SOLANA')
  await fillAddressPool(database, 50)
  const rows = await app.query({
    text: `select kind, max(address_index) as last, count(*) filter (where taken_at is null)::int as free
             from svc.wallet_addresses group by kind order by kind`,
  })
  expect(rows).toEqual([
    { kind: 'EVM', last: 49, free: 50 },
    { kind: 'SOLANA', last: 99, free: 99 },
  ])
})

test('the app can only assign an address; it cannot create one or read a seed', async () => {
  const { app, custody } = await start()
  const account = newId()
  await take(app, 'EVM', account)
  const refused = (text: string, values: unknown[] = []) =>
    expect(app.query({ text, values }), text).rejects.toThrow(/permission denied|violates/)
  await refused('select sealed_entropy from svc.signer_seeds')
  await refused('select fingerprint from svc.signer_seeds')
  await refused('select act from svc.custody_acts')
  await refused(`insert into svc.wallet_addresses (seed_id, kind, address_index, address, public_key)
                 select seed_id, kind, 999, 'mine', public_key from svc.wallet_addresses limit 1`)
  await refused(`update svc.wallet_addresses set address = 'mine'`)
  await refused(`update svc.service_addresses set address = 'mine'`)
  await refused(`update svc.wallets set address = 'mine'`)
  // An assigned address stays assigned: row security hides its row, so the update changes nothing.
  const mine = 'where payment_account_id = $1 returning address'
  expect(
    await app.query({
      text: `update svc.wallet_addresses set taken_at = null, payment_account_id = null ${mine}`,
      values: [account],
    }),
  ).toEqual([])
  expect(
    await app.query({
      text: `update svc.wallet_addresses set payment_account_id = gen_random_uuid() ${mine}`,
      values: [account],
    }),
  ).toEqual([])
  // Nor can an address get a second account, nor can a wallet get an address that the signer never made.
  const insert = 'insert into svc.wallets (organization_id, payment_account_id, customer_id, kind, address)'
  const strange = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  await refused(`${insert} values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'EVM', $1)`, [strange])
  await refused(`${insert} select gen_random_uuid(), gen_random_uuid(), customer_id, kind, address from svc.wallets`)
  expect(await custody.countFree()).toEqual({ EVM: 49, SOLANA: 50 })
})

test('the signer cannot read customer data, and cannot assign an address', async () => {
  const { signers } = await start()
  const tables = await signers.query<{ name: string; power: string }>({
    text: `select relname as name, power from pg_class, unnest(array['select', 'insert', 'update', 'delete']) as power
            where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p')
              and (has_table_privilege(oid, power) or (power <> 'delete' and has_any_column_privilege(oid, power)))
            order by relname, power`,
  })
  expect(tables.map(({ name, power }) => `${power} ${name}`)).toEqual([
    'select bank_account_rails',
    'select clock',
    'insert custody_acts',
    'select custody_acts',
    'insert deployment',
    'select deployment',
    'select deposits',
    'select entries',
    'select former_bank_details',
    'update former_bank_details',
    'select functions',
    'select ledger_accounts',
    'select migrations',
    'select payment_accounts',
    'update payment_accounts',
    'select payout_attempts',
    'select payout_preparations',
    'select payouts',
    'update payouts',
    'select postings',
    'select relay_transactions',
    'update relay_transactions',
    'insert reserve_addresses',
    'select reserve_addresses',
    'update reserve_addresses',
    'select reserves',
    'insert sealing_keys',
    'select sealing_keys',
    'update sealing_keys',
    'insert service_addresses',
    'select service_addresses',
    'update service_addresses',
    'insert signer_seeds',
    'select signer_seeds',
    'update signer_seeds',
    'insert signing_stops',
    'select signing_stops',
    'update signing_stops',
    'select solana_transfers',
    'update solana_transfers',
    'select transactions',
    'select transfer_authorizations',
    'update transfer_authorizations',
    'select unfolded_postings',
    'insert wallet_addresses',
    'select wallet_addresses',
    'update wallet_addresses',
    'select wallets',
  ])
  await expect(signers.query({ text: 'update svc.wallet_addresses set taken_at = clock_timestamp()' })).rejects.toThrow(
    /permission denied/,
  )
})

test('verify names an assigned address that belongs to no payment account, or to two', async () => {
  const { app, database } = await start()
  await take(app, 'EVM')
  await take(app, 'SOLANA')
  const owner = openForTest({ connection: database.owner })
  await owner.query({ text: `delete from svc.wallets where kind = 'EVM'` })
  await owner.query({
    text: `insert into svc.wallets (organization_id, payment_account_id, customer_id, kind, address)
           select gen_random_uuid(), payment_account_id, customer_id, kind, address from svc.wallets`,
  })
  const { checks } = await verify(app, custodyChecks)
  const [belongs] = checks.filter((check) => !check.ok)
  expect(belongs?.name).toBe('every assigned address belongs to one payment account')
  expect(belongs?.violations).toEqual([
    expect.stringMatching(/^EVM address 0xf39\S+ .* has 0 wallets$/),
    expect.stringMatching(/^SOLANA address oeYf\S+ .* has 2 wallets$/),
  ])
})

test('verify names privileges that the app must not have', async () => {
  const { app, database } = await start()
  const owner = openForTest({ connection: database.owner })
  await owner.query({
    text: 'grant select on svc.signer_seeds to svc_app; grant insert (address) on svc.wallet_addresses to svc_app',
  })
  await owner.query({ text: 'alter table svc.wallet_addresses disable row level security' })
  const { checks } = await verify(app, custodyChecks)
  expect(checks.flatMap((check) => check.violations.sort())).toEqual([
    'svc_app may insert wallet_addresses',
    'svc_app may select signer_seeds',
    'svc.wallet_addresses has no row security: an address could be assigned a second time',
  ])
})

test('in production verify names a login of the API that could become the signer', async () => {
  const { database } = await start()
  const login = `login_${newId().replaceAll('-', '')}`
  const client = new pg.Client(clientConfig({ connection: database.owner }))
  await client.connect()
  onTestFinished(async () => {
    await client.query(`reset session authorization; drop role ${login}`)
    await client.end()
  })
  await client.query(`insert into svc.deployment (environment) values ('production') on conflict do nothing`)
  await client.query(`create role ${login} login; grant svc_app to ${login}`)
  const query: Database['query'] = async (statement) => (await client.query(statement)).rows
  const asLogin: Database = {
    query,
    inTx: async (work) => {
      await client.query('begin')
      const result = await work({ isTx: true, query })
      await client.query('commit')
      return result
    },
    close: async () => {},
  }
  const violations = async () => {
    await client.query(`set session authorization ${login}; set role svc_app`)
    const { checks } = await verify(asLogin, custodyChecks)
    await client.query('reset role; reset session authorization')
    return checks.flatMap((check) => check.violations)
  }
  expect(await violations()).toEqual([])
  await client.query(`grant svc_signer to ${login}`)
  expect(await violations()).toEqual([`${login} may assume the role svc_signer: give the signer its own login`])
})

test('the signer names an address in the pool that it did not derive', async () => {
  const { database, signers } = await start()
  const signer = await openSigner(signers, createSeedService({ database: signers, signerKey: testSignerKey }), {
    poolSize: 1,
  })
  expect(await signer.findForeignAddresses()).toEqual([])
  const owner = openForTest({ connection: database.owner })
  const strange = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  await owner.query({
    text: `update svc.wallet_addresses set address = $1 where kind = 'EVM' and address_index = 3`,
    values: [strange],
  })
  expect(await signer.findForeignAddresses()).toEqual([`EVM address ${strange} at 3 is not derived from its seed`])
})
