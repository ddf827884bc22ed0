import pg from 'pg'
import { expect, test } from 'vitest'
import { clientConfig } from '../../../src/db/database.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asset, type LedgerWriters, makeLedgerWriters } from '../../support/money/ledger-writers.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/**
 * A batch with a refused posting is written one by one. Here every batch has one, and every other batch comes in the
 * opposite order: batches wait for each other, and never deadlock.
 */
const shared = await makeDatabase()

const six = () => Array.from({ length: 6 }, () => newId())
const inTurn = <Thing>(number: number, things: readonly Thing[]) => (number % 2 === 0 ? things : things.toReversed())
/** An empty wallet. */
const refused = ({ spend }: LedgerWriters) => spend(newId(), 1n)

async function makeWallets({ deposit }: LedgerWriters): Promise<string[]> {
  const wallets = six()
  for (const wallet of wallets) await deposit(wallet, 1_000_000n)
  return wallets
}

/** Each story returns the outcomes of one batch of one writer. */
type Story = (all: LedgerWriters) => Promise<(number: number) => Promise<string[]>>

const spends: Story = async (all) => {
  const wallets = await makeWallets(all)
  return (number) => {
    const postings = inTurn(number, wallets).map((wallet) => all.spend(wallet, 1n))
    return all.post(postings.with(number % 6, refused(all)))
  }
}
const references: Story = async (all) => {
  const names = six()
  const told = facts.fund({ at: 'TREASURY', asset, amount: 1n })
  return (number) => all.post([...inTurn(number, names).map((reference) => ({ reference, ...told })), refused(all)])
}
const openings: Story = async (all) => {
  const wallets = six()
  const deposit = (paymentAccountId: string) => facts.depositToWallet({ paymentAccountId, asset, amount: 1n })
  return (number) => {
    const postings = inTurn(number, wallets).map((wallet) => ({ reference: newId(), ...deposit(wallet) }))
    return all.post([...postings, refused(all)])
  }
}
const captures: Story = async (all) => {
  const wallets = await makeWallets(all)
  const reserves = wallets.map((wallet) => ({ wallet, captures: newId() }))
  for (const { wallet, captures } of reserves) await all.reserve(wallet, 1n, captures)
  return (number) => {
    // Each spends from its own wallet: the writers share only the reserve.
    const postings = inTurn(number, reserves).map(({ captures }) => ({ ...all.spend(newId(), 1n), captures }))
    const [own] = reserves.slice(number % 6)
    return all.post([...postings, { ...all.spend(own?.wallet ?? '', 1n), captures: own?.captures ?? '' }])
  }
}
const reserving: Story = async (all) => {
  const wallets = await makeWallets(all)
  return (number) => all.reserveAll([...inTurn(number, wallets).map((from) => ({ from })), { from: newId() }])
}
const reserveReferences: Story = async (all) => {
  const wallets = await makeWallets(all)
  const names = six()
  return (number) => {
    const wanted = inTurn(number, names).map((reference, place) => ({ from: wallets[place] ?? '', reference }))
    // Batches without a refusal claim their references first, and then wait for the wallets.
    return all.reserveAll(number % 4 < 2 ? [...wanted, { from: newId() }] : wanted)
  }
}

async function runWriters(all: LedgerWriters, story: Story): Promise<Set<string>> {
  const outcomes = await all.inParallel(await story(all))
  return new Set(outcomes.flat())
}

test.each([
  ['spend from the same wallets', spends, 'INSUFFICIENT,POSTED'],
  ['post under the same references', references, 'INSUFFICIENT,POSTED,REPLAYED'],
  ['open the same accounts', openings, 'INSUFFICIENT,POSTED'],
  ['capture the same reserves', captures, 'POSTED,RESERVE_MISMATCH,RESERVE_NOT_OPEN'],
  ['reserve from the same wallets', reserving, 'INSUFFICIENT,RESERVED'],
  ['reserve under the same references', reserveReferences, 'CONFLICT,INSUFFICIENT,REPLAYED,RESERVED'],
])(
  'batches that %s in opposite order, each with a refusal, do not deadlock',
  {
    timeout: roundsTimeoutMs,
  },
  async (_what, story, expected) => {
    const all = makeLedgerWriters(shared)
    const seen = new Set<string>()
    await playRounds({ short: 2, full: 50 }, async () => {
      for (const outcome of await runWriters(all, story)) seen.add(outcome)
    })
    expect([...seen].sort().join()).toBe(expected)
    expect(await all.isWhole()).toBe(true)
  },
)

// Controls: without the locks taken beforehand, the same batches do deadlock.
test.each([
  ['postings', 'svc.lock_for_postings', spends],
  ['reserves', 'svc.lock_for_reserves', reserving],
])('%s deadlock without locks taken beforehand', async (_what, name, story) => {
  const broken = await makeDatabase()
  const client = new pg.Client(clientConfig({ connection: broken.owner }))
  await client.connect()
  const { rows: here } = await client.query('select current_database() as name')
  await client.query(`alter database ${here[0].name} set deadlock_timeout = '50ms'`)
  const { rows } = await client.query(`select pg_get_functiondef('${name}'::regproc) as source`)
  await client.query(rows[0].source.replace(/\nbegin\n[\s\S]*\nend /, '\nbegin\nend '))
  await client.end()
  const all = makeLedgerWriters(broken)
  const untilRing = async () => {
    for (let turn = 0; turn < 20; turn += 1) await runWriters(all, story)
  }
  await expect(untilRing()).rejects.toMatchObject({ code: '40P01' })
})
