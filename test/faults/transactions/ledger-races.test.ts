import pg from 'pg'
import { expect, test } from 'vitest'
import { clientConfig } from '../../../src/db/database.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { asset, type LedgerWriters, makeLedgerWriters, writerCount } from '../../support/money/ledger-writers.ts'
import { makeDatabase, type TestDatabase } from '../../support/runner/database.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

const rounds = { short: 20, full: 200 }
const shared = await makeDatabase()

/** The wallet has 1,000 and each writer spends 40: 25 of 64 succeed, whether they post directly or reserve first. */
async function spendTogether({ post, deposit, spend, reserve, inParallel, balance }: LedgerWriters) {
  const wallet = newId()
  await deposit(wallet, 1_000n)
  const outcomes = await inParallel(async (number) => {
    if (number % 2 === 0) return (await post([spend(wallet, 40n)]))[0]
    const reference = newId()
    if ((await reserve(wallet, 40n, reference)) !== 'RESERVED') return 'INSUFFICIENT'
    return (await post([{ ...spend(wallet, 40n), captures: reference }]))[0]
  })
  return { won: outcomes.filter((outcome) => outcome === 'POSTED').length, left: await balance(wallet), outcomes }
}

test(`${writerCount} concurrent spends of one balance never overdraw it`, {
  timeout: roundsTimeoutMs,
}, async () => {
  const all = makeLedgerWriters(shared)
  await playRounds(rounds, async () => {
    const { won, left, outcomes } = await spendTogether(all)
    expect({ won, left }).toEqual({ won: 25, left: { asset, posted: 0n, available: 0n } })
    expect(new Set(outcomes)).toEqual(new Set(['POSTED', 'INSUFFICIENT']))
  })
  expect(await all.isWhole()).toBe(true)
})

test('one reference is posted once, by the first caller', { timeout: roundsTimeoutMs }, async () => {
  const { post, deposit, spend, inParallel, balance, isWhole } = makeLedgerWriters(shared)
  const wallet = newId()
  await deposit(wallet, 1_000n)
  let left = 1_000n
  await playRounds(rounds, async () => {
    left -= 1n
    const reference = newId()
    const outcomes = (await inParallel(() => post([spend(wallet, 1n, reference)]))).flat()
    expect(outcomes.filter((outcome) => outcome === 'POSTED')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'REPLAYED')).toHaveLength(writerCount - 1)
  })
  expect(await balance(wallet)).toMatchObject({ posted: left })
  expect(await isWhole()).toBe(true)
})

test('a reserve is captured or released, never both', { timeout: roundsTimeoutMs }, async () => {
  const { database, ledger, organizationId, post, deposit, spend, reserve, balance, isWhole } =
    makeLedgerWriters(shared)
  await playRounds(rounds, async () => {
    const [wallet, reference] = [newId(), newId()]
    await deposit(wallet, 100n)
    await reserve(wallet, 60n, reference)
    const [captures, releases] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => post([{ ...spend(wallet, 50n), captures: reference }]))),
      Promise.all(Array.from({ length: 8 }, () => ledger.release(asTx(database), [{ organizationId, reference }]))),
    ])
    const captured = captures.flat().filter((outcome) => outcome === 'POSTED').length
    const released = releases.flat().filter(({ outcome }) => outcome === 'RELEASED').length
    expect(captured + released).toBe(1)
    expect(await balance(wallet)).toMatchObject(captured ? { posted: 50n, available: 50n } : { posted: 100n })
  })
  expect(await isWhole()).toBe(true)
})

test('batches that touch the same wallets in opposite order do not deadlock', {
  timeout: roundsTimeoutMs,
}, async () => {
  const { post, deposit, inParallel, isWhole, balance } = makeLedgerWriters(shared)
  const wallets = Array.from({ length: 6 }, () => newId())
  for (const wallet of wallets) await deposit(wallet, 1_000_000n)
  const send = (from: string, to: string) => ({
    reference: newId(),
    ...facts.sendFromWallet({
      asset,
      amount: 1n,
      svcFee: 0n,
      developerFee: 0n,
      paymentAccountId: from,
      toPaymentAccountId: to,
    }),
  })
  const around = wallets.map((from, index) => [from, wallets[(index + 1) % wallets.length] as string] as const)
  await playRounds({ short: 3, full: 100 }, async () => {
    const outcomes = await inParallel((number) => {
      const way = number % 2 === 0 ? around : [...around].reverse()
      return post(way.map(([from, to]) => send(from, to)))
    })
    expect(new Set(outcomes.flat())).toEqual(new Set(['POSTED']))
  })
  for (const wallet of wallets) expect(await balance(wallet)).toMatchObject({ posted: 1_000_000n })
  expect(await isWhole()).toBe(true)
})

test('a fold during concurrent postings counts every posting once', async () => {
  const { database, ledger, organizationId, post, deposit, spend, inParallel, isWhole } = makeLedgerWriters(shared)
  const wallet = newId()
  await deposit(wallet, 1_000_000n)
  let isSpending = true
  const keepFolding = async () => {
    while (isSpending) await ledger.fold()
  }
  const spending = inParallel(async () => {
    for (let time = 0; time < 5; time += 1) await post([spend(wallet, 3n)])
  }).finally(() => {
    isSpending = false
  })
  await Promise.all([spending, keepFolding()])
  const spent = BigInt(writerCount) * 15n
  const clearing = facts.organizationAccount('CLEARING', asset)
  expect(await ledger.position(database, organizationId, clearing)).toBe(spent)
  await ledger.fold()
  expect(await ledger.position(database, organizationId, clearing)).toBe(spent)
  expect(await isWhole()).toBe(true)
})

// Controls: without one of the guards, the same writers overdraw the wallet.
test.each([
  ['the check of the available balance', 'compute_balance_changes', 'min(available) as lowest', '0 as lowest'],
  ['the lock on the balance', 'post_together', 'and keeps_balance for no key update)', 'and keeps_balance)'],
])('without %s concurrent spends overdraw the wallet', async (_guard, name, guard, nothing) => {
  const broken = await makeDatabase()
  await alter(broken, name, guard, nothing)
  const all = makeLedgerWriters(broken)
  let won = 25
  for (let round = 0; round < 20 && won === 25; round += 1) won = (await spendTogether(all)).won
  expect(won).not.toBe(25)
  expect(await all.isWhole()).toBe(false)
})

/** Removes a guard from a posting function, and the constraint and the index that would still catch the overdraft. */
async function alter(database: TestDatabase, name: string, guard: string, nothing: string): Promise<void> {
  const client = new pg.Client(clientConfig({ connection: database.owner }))
  await client.connect()
  const { rows } = await client.query(`select pg_get_functiondef('svc.${name}'::regproc) as source`)
  expect(rows[0].source.split(guard)).toHaveLength(2)
  await client.query(rows[0].source.replace(guard, nothing))
  await client.query('alter table svc.ledger_accounts drop constraint ledger_accounts_not_below_zero')
  await client.query('drop index svc.entries_by_account')
  await client.end()
}
