import { expect, test } from 'vitest'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { accountKinds } from '../../../src/ledger/account.ts'
import type { NewPosting } from '../../../src/ledger/posting.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { createLedgerService } from '../../../src/ledger/service.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const shared = await makeDatabase()

function setUp() {
  const database = openForTest(shared.app)
  const raised: unknown[] = []
  const onIncrease = async (_transaction: unknown, wallets: readonly unknown[]) => void raised.push(...wallets)
  const ledger = createLedgerService({
    database,
    onIncrease,
    onHalted: () => {},
    pages: createPages(Buffer.alloc(32)),
    audit: createAudit(Buffer.alloc(32)),
  })
  const organizationId = newId()
  const wallet = newId()
  const posting = (reference: string, content: facts.PostingContent): NewPosting => ({
    organizationId,
    reference,
    ...content,
  })
  const deposit = (reference: string, amount: bigint, to = wallet, asset = 'USDC/BASE') =>
    posting(reference, facts.depositToWallet({ paymentAccountId: to, asset, amount }))
  const spend = (reference: string, amount: bigint, from = wallet, asset = 'USDC/BASE') =>
    posting(reference, facts.captureFromWallet({ paymentAccountId: from, asset, amount }))
  const outcomes = async (postings: NewPosting[]) =>
    (await ledger.post(asTx(database), postings)).map(({ outcome }) => outcome)
  const balance = async (of = wallet) => (await ledger.balances(database, organizationId, of))[0]
  const reserve = async (reference: string, amount: bigint, from = wallet) =>
    (
      await ledger.reserve(asTx(database), [
        { organizationId, reference, account: facts.walletOf(from, 'USDC/BASE'), amount },
      ])
    )[0]?.outcome
  const release = async (reference: string) =>
    (await ledger.release(asTx(database), [{ organizationId, reference }]))[0]?.outcome
  return {
    database,
    ledger,
    organizationId,
    wallet,
    posting,
    deposit,
    spend,
    outcomes,
    balance,
    reserve,
    release,
    raised,
  }
}

test('the database knows the same account kinds, and keeps balances for the same ones', async () => {
  const { database, ledger, organizationId } = setUp()
  const [constraint] = await database.query<{ definition: string }>({
    text: `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'account_kind_known'`,
  })
  const named = [...(constraint?.definition.matchAll(/'(\w+)'/g) ?? [])].map((match) => match[1])
  expect(named).toEqual(Object.keys(accountKinds))
  const opened = Object.keys(accountKinds).map((kind) => ({ kind, holder: 'x', asset: 'USD' }))
  await database.query({
    text: 'select svc.open_ledger_accounts(array_fill($1::uuid, array[cardinality($2::text[])]), $2, $3, $4)',
    values: [
      organizationId,
      ...(['kind', 'holder', 'asset'] as const).map((field) => opened.map((each) => each[field])),
    ],
  })
  const rows = await database.query<{ kind: string; keeps: boolean }>({
    text: 'select kind, keeps_balance as keeps from svc.ledger_accounts where organization_id = $1',
    values: [organizationId],
  })
  expect(Object.fromEntries(rows.map(({ kind, keeps }) => [kind, keeps]))).toEqual(
    Object.fromEntries(Object.entries(accountKinds).map(([kind, { keepsBalance }]) => [kind, keepsBalance])),
  )
  expect(await ledger.balances(database, newId(), 'x')).toEqual([])
})

test('a posting changes balances once, however often it is repeated', async () => {
  const { deposit, spend, outcomes, balance } = setUp()
  expect(await outcomes([deposit('a', 100n)])).toEqual(['POSTED'])
  expect(await outcomes([deposit('a', 100n)])).toEqual(['REPLAYED'])
  expect(await outcomes([deposit('a', 101n)])).toEqual(['CONFLICT'])
  expect(await outcomes([spend('b', 30n)])).toEqual(['POSTED'])
  expect(await balance()).toEqual({ asset: 'USDC/BASE', posted: 70n, available: 70n })
})

test('in a batch each posting gets the outcome that it would get alone', async () => {
  const { deposit, spend, outcomes, balance } = setUp()
  const batch = [deposit('a', 100n), spend('b', 150n), spend('c', 60n), deposit('a', 100n), spend('c', 61n)]
  expect(await outcomes([...batch, spend('d', 50n), deposit('e', 10n), spend('f', 50n)])).toEqual([
    'POSTED',
    'INSUFFICIENT',
    'POSTED',
    'REPLAYED',
    'CONFLICT',
    'INSUFFICIENT',
    'POSTED',
    'POSTED',
  ])
  expect(await balance()).toMatchObject({ posted: 0n })
  expect(await outcomes([spend('b', 150n)])).toEqual(['INSUFFICIENT'])
})

test('entries that do not sum to zero in each asset are rejected', async () => {
  const { ledger, database, posting, wallet, deposit, balance } = setUp()
  const crooked = posting('x', {
    fact: 'TRANSFER',
    entries: [
      { ...facts.walletOf(wallet, 'USDC/BASE'), amount: 5n },
      { ...facts.organizationAccount('CLEARING', 'USD'), amount: -5n },
    ],
  })
  await expect(ledger.post(asTx(database), [crooked])).rejects.toThrow('posting x does not sum to zero')
  await expect(ledger.post(asTx(database), [posting('y', { fact: 'TRANSFER', entries: [] })])).rejects.toThrow(
    'posting y',
  )
  await expect(database.inTx((tx) => ledger.post(tx, [deposit('a', 1n), crooked]))).rejects.toThrow('posting x')
  expect(await balance()).toBeUndefined()
})

test('only a capture spends a reserve, and the rest becomes available again', async () => {
  const { deposit, spend, outcomes, balance, reserve, raised, wallet, organizationId } = setUp()
  await outcomes([deposit('a', 100n)])
  expect(await reserve('r', 80n)).toBe('RESERVED')
  expect(await reserve('r', 80n)).toBe('REPLAYED')
  expect(await reserve('r', 81n)).toBe('CONFLICT')
  expect(await reserve('s', 21n)).toBe('INSUFFICIENT')
  expect(await outcomes([spend('b', 21n)])).toEqual(['INSUFFICIENT'])
  expect(await balance()).toMatchObject({ posted: 100n, available: 20n })
  raised.length = 0
  expect(await outcomes([{ ...spend('c', 81n), captures: 'r' }])).toEqual(['RESERVE_MISMATCH'])
  expect(await outcomes([{ ...spend('c', 30n), captures: 'r' }])).toEqual(['POSTED'])
  const causes = ['c']
  expect(raised).toEqual([{ organizationId, paymentAccountId: wallet, asset: 'USDC/BASE', causes }])
  expect(await balance()).toMatchObject({ posted: 70n, available: 70n })
  expect(await outcomes([{ ...spend('c', 30n), captures: 'r' }])).toEqual(['REPLAYED'])
  expect(await outcomes([{ ...spend('d', 30n), captures: 'r' }])).toEqual(['RESERVE_NOT_OPEN'])
  expect(await outcomes([{ ...spend('d', 30n), captures: 'unknown' }])).toEqual(['RESERVE_NOT_OPEN'])
})

test('a reserve resolves at most once', async () => {
  const { deposit, spend, outcomes, balance, reserve, release, raised } = setUp()
  await outcomes([deposit('a', 100n)])
  await reserve('r', 60n)
  raised.length = 0
  expect(await release('r')).toBe('RELEASED')
  expect(raised).toHaveLength(1)
  expect(await release('r')).toBe('REPLAYED')
  expect(raised).toHaveLength(1)
  expect(await outcomes([{ ...spend('b', 60n), captures: 'r' }])).toEqual(['RESERVE_NOT_OPEN'])
  await reserve('q', 60n)
  await outcomes([{ ...spend('b', 60n), captures: 'q' }])
  expect(await release('q')).toBe('CAPTURED')
  // After REPLAYED a caller would act on the rail, with nothing reserved for it.
  expect([await reserve('r', 60n), await reserve('q', 60n)]).toEqual(['RESOLVED', 'RESOLVED'])
  expect(await release('nothing')).toBe('UNKNOWN')
  expect(await balance()).toMatchObject({ posted: 40n, available: 40n })
})

test('a reserve named twice in one call is released once, however long the call', async () => {
  const { ledger, database, organizationId, deposit, outcomes, balance, reserve } = setUp()
  await outcomes([deposit('a', 100n)])
  const references = Array.from({ length: 80 }, (_, number) => `r${String(number).padStart(3, '0')}`)
  for (const reference of references) await reserve(reference, 1n)
  // The first a third time, so that a pair crosses every even fetch size.
  const wanted = ['r000', ...references.flatMap((reference) => [reference, reference])]
  const named = wanted.map((reference) => ({ organizationId, reference }))
  expect(await ledger.release(asTx(database), named)).toEqual(
    wanted.map((reference, at) => ({ outcome: wanted.indexOf(reference) === at ? 'RELEASED' : 'REPLAYED' })),
  )
  expect(await balance()).toMatchObject({ posted: 100n, available: 100n })
})

test('a rise of available funds is reported with its own organization, even in a mixed batch', async () => {
  const { ledger, database, raised, deposit, organizationId, wallet } = setUp()
  const other = { organizationId: newId(), paymentAccountId: newId(), asset: 'USDC/BASE' }
  const theirs = { ...deposit('b', 7n, other.paymentAccountId), organizationId: other.organizationId }
  await ledger.post(asTx(database), [deposit('a', 5n), theirs])
  expect(raised).toHaveLength(2)
  expect(raised).toContainEqual({ organizationId, paymentAccountId: wallet, asset: 'USDC/BASE', causes: ['a'] })
  expect(raised).toContainEqual({ ...other, causes: ['b'] })
})

test('only the ledger functions write the ledger tables', async () => {
  const { database, deposit, outcomes } = setUp()
  await outcomes([deposit('a', 100n)])
  for (const table of ['ledger_accounts', 'postings', 'entries', 'unfolded_postings', 'reserves']) {
    for (const text of [`update svc.${table} set organization_id = organization_id`, `delete from svc.${table}`]) {
      await expect(database.query({ text })).rejects.toThrow('permission denied')
    }
    await expect(database.query({ text: `insert into svc.${table} default values` })).rejects.toThrow('permission')
  }
  await expect(
    database.query({ text: `select svc.reserve_together('{}', '{}', '{}', '{}', '{}', '{}', '{}')` }),
  ).rejects.toThrow('permission denied')
})

test('the position of a shared account equals the sum of its entries, folded or not', async () => {
  const { database, ledger, organizationId, deposit, spend, outcomes } = setUp()
  const clearing = () => ledger.position(database, organizationId, facts.organizationAccount('CLEARING', 'USDC/BASE'))
  await outcomes([deposit('a', 100n), spend('b', 30n)])
  expect(await clearing()).toBe(30n)
  await ledger.fold()
  expect(await clearing()).toBe(30n)
  // A posting that begins before the fold and commits after it.
  await database.inTx(async (tx) => {
    await ledger.post(tx, [spend('c', 5n)])
    await ledger.fold()
  })
  await outcomes([spend('d', 7n)])
  expect(await clearing()).toBe(42n)
  await ledger.fold()
  expect(await clearing()).toBe(42n)
})

test('a statement pages through the assets of a wallet, newest first, without a gap', async () => {
  const { ledger, database, organizationId, wallet, deposit, spend, outcomes } = setUp()
  await outcomes([deposit('a', 100n), deposit('b', 50n, wallet, 'EURC/BASE'), spend('c', 30n)])
  await outcomes([spend('d', 10n, wallet, 'EURC/BASE'), deposit('e', 1n)])
  const all = []
  let pageToken = ''
  do {
    const page = await ledger.entries([organizationId], wallet, { pageToken, pageSize: 2 })
    all.push(...page.items)
    pageToken = page.nextPageToken
    if (all.length === 2) await outcomes([deposit('later', 1_000n)])
  } while (pageToken !== '')
  expect(all.map(({ reference }) => reference).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(new Set(all.slice(0, 2).map(({ reference }) => reference))).toEqual(new Set(['d', 'e']))
  const usdc = all.filter(({ asset }) => asset === 'USDC/BASE')
  expect(usdc.map(({ sequence, amount, balance }) => [sequence, amount, balance])).toEqual([
    [3n, 1n, 71n],
    [2n, -30n, 70n],
    [1n, 100n, 100n],
  ])
  const only = await ledger.entries([organizationId], wallet, { asset: 'EURC/BASE' })
  expect(only.items.map(({ amount }) => amount)).toEqual([-10n, 50n])
  expect((await ledger.entries([newId()], wallet, {})).items).toEqual([])
  expect(await ledger.entriesAbout(database, organizationId, { type: 'deposit', id: 'x' })).toEqual([])
})

test('one read returns all postings of one transaction and of no other', async () => {
  const { ledger, database, organizationId, deposit, spend, outcomes } = setUp()
  await outcomes([
    deposit('deposit:1:seen', 100n),
    spend('transaction:1:capture', 30n),
    spend('transaction:10:capture', 1n),
  ])
  const found = await ledger.entriesAbout(database, organizationId, { type: 'transaction', id: '1' })
  expect(found.map(({ kind, amount, fact }) => [kind, amount, fact])).toEqual([
    ['WALLET', -30n, 'CAPTURE'],
    ['CLEARING', 30n, 'CAPTURE'],
  ])
})
