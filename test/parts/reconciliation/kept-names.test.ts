import { glob, readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { printBanks } from '../../../src/commands/reconciliation/verify.ts'
import type { Database, Tx } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { insertReturn } from '../../../src/transactions/bank-files/returns/return-store.ts'
import { keepNames, proveNames } from '../../../src/transactions/reconciliation/keep-store.ts'
import { openDesk } from '../../support/bank/bank-desk.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { daysBefore } from '../../support/reconciliation/long-history.ts'
import { accounts, makeRandomActs } from '../../support/reconciliation/random-history.ts'
import {
  emptyHistory,
  openRawHistory,
  writeClosing,
  writeEntry,
  writeLine,
  writePage,
} from '../../support/reconciliation/raw-history.ts'
import { today } from '../../support/reconciliation/reading.ts'
import { startApi } from '../../support/runner/api.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

/** A comparison reads kept names. It must tell what the whole history tells, regardless of what was recorded since. */
const api = await startApi((await openDesk()).settings)
const { database, reconciliation } = api.app
const owner = await openRawHistory(api)
afterAll(() => owner.close())
const now = await today(api)
const dayOf = (daysAgo: number) => daysBefore(now, daysAgo)
const write = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => owner.inTx(work)

/** Compares an account at the end of a day, from kept names or from the whole history. */
async function compare(tx: Tx, account: string, day: string, isFull: boolean) {
  const values = [account, day, isFull]
  const names = await tx.query({
    text: `select kind, reference, ledger, outside, ledger_day::text, outside_day::text, is_of_day, ledger_now, outside_now,
                  last_day::text
             from svc.reconcile_bank_account($1, $2, '', '', 1000, $3) order by kind, reference, ledger, outside`,
    values,
  })
  return { account, day, names, balance: await tx.query({ text: 'select svc.sum_ledger_lines($1, $2, $3)', values }) }
}

/** Keeps names as the worker does, of the accounts that have some. */
async function keep(sliceSize?: number): Promise<void> {
  for (const account of accounts) await keepNames(database, account, sliceSize)
}

async function expectSameAsWhole(some: Database, days: readonly string[]): Promise<void> {
  await some.inTx(async (tx) => {
    await tx.query({ text: 'set transaction isolation level repeatable read' })
    for (const account of accounts)
      for (const day of days)
        expect(await compare(tx, account, day, false)).toEqual(await compare(tx, account, day, true))
  })
}

/** Corruptions of what is kept: each hides or invents a difference, or a part of a balance. */
test.each([
  ['a movement is missing', 'delete from svc.kept_movements where is_ours'],
  ['a movement has another amount', 'update svc.kept_movements set amount = amount + 1 where not is_ours'],
  ['a name seems to agree', 'update svc.kept_names set balance = 0 where balance <> 0'],
  ['a name is found on other days', 'update svc.kept_names set first_day = first_day + 1, last_day = last_day + 1'],
  ['a name is lost', 'delete from svc.kept_names'],
  ['a day of the ledger has another sum', 'update svc.kept_days set ledger = ledger + 1'],
  ['a page has another sum', 'update svc.kept_pages set amount = amount + 1'],
  ['an open entry is lost', 'delete from svc.open_entries'],
])('%s: svc verify --banks names it, and what is kept is made anew', async (_what, corruption) => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', name: newId(), day: dayOf(3) }
  await write(async (tx) => {
    await writeLine(tx, { ...of, kind: 'DEPOSIT', amount: 5n })
    await writeLine(tx, { ...of, kind: 'OWN', amount: 1n })
    const bankFileId = await writePage(tx, { ...of, series: 'A', closing: 4n })
    await writeEntry(tx, { ...of, kind: 'DEPOSIT', amount: 4n, bankFileId })
    await writeEntry(tx, { ...of, kind: 'UNKNOWN', amount: 7n, bankFileId })
  })
  await keep()
  await owner.query({ text: corruption })
  const lines: string[] = []
  const verify = () => printBanks(reconciliation, (line) => lines.push(line), undefined)
  expect(await verify()).toBe(1)
  expect(lines.filter((line) => line.startsWith('VIOLATED')).join()).toContain('eur-main keeps')
  await expectSameAsWhole(database, [dayOf(3), now])
  await keep()
  expect(await proveNames(database, of.account)).toEqual([])
})

test('an open line that is lost is named by svc verify --banks, and what is kept is made anew', async () => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', name: newId(), day: dayOf(3) }
  await keep()
  await write((tx) => writeLine(tx, { ...of, kind: 'OWN', amount: 1n }))
  await owner.query({ text: 'delete from svc.open_lines' })
  expect(await proveNames(database, of.account)).toMatchObject([{ kind: 'OWN' }])
  await expectSameAsWhole(database, [dayOf(3), now])
  await keep()
  expect(await proveNames(database, of.account)).toEqual([])
})

test('a worker proves each week what is kept of an account, and a gauge tells the result until the next proof', async () => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', name: newId(), day: dayOf(3) }
  await write((tx) => writeLine(tx, { ...of, kind: 'DEPOSIT', amount: 5n }))
  await reconciliation.keepNames()
  const isDue = async () => (await owner.query({ text: `select ${reconciliation.unprovedDue} as due` }))[0]
  const pass = (days: number) =>
    owner.query({
      text: `update svc.kept_accounts set proved_at = proved_at - $2 * interval '1 day' where bank_account_id = $1`,
      values: [of.account, days],
    })
  await owner.query({ text: 'update svc.kept_days set ledger = ledger + 1' })
  expect([await isDue(), await reconciliation.proveUnproved()]).toEqual([{ due: false }, []])
  await pass(8)
  expect([await isDue(), await reconciliation.countDoubtful()]).toEqual([{ due: true }, 0])
  const wrong = [{ kind: 'LEDGER', reference: of.day }]
  expect(await reconciliation.proveUnproved()).toEqual([{ account: of.account, wrong }])
  expect([await isDue(), await reconciliation.countDoubtful()]).toEqual([{ due: false }, 1])
  await reconciliation.proveNames()
  expect(await reconciliation.countDoubtful()).toBe(0)
  await pass(15)
  expect(await reconciliation.countDoubtful()).toBe(1)
  await reconciliation.proveNames()
})

test('what is kept while svc verify --banks reads is counted once', async () => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', name: newId(), day: dayOf(3) }
  await write((tx) => writeLine(tx, { ...of, kind: 'DEPOSIT', amount: 5n }))
  await reconciliation.keepNames()
  await owner.query({ text: 'update svc.kept_days set ledger = ledger + 1' })
  await write((tx) => writeLine(tx, { ...of, kind: 'DEPOSIT', name: newId(), day: dayOf(2), amount: 7n }))
  let proving: Promise<unknown> = Promise.resolve()
  let keeping: Promise<unknown> = Promise.resolve()
  const untilWaiting = (count: number) =>
    expect
      .poll(() =>
        owner.query({
          text: `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        }),
      )
      .toHaveLength(count)
  await write(async (tx) => {
    // The proof has begun, and waits for the bank's pages. Lines do not need them.
    await tx.query({ text: 'lock table svc.bank_statements in access exclusive mode' })
    proving = proveNames(database, of.account)
    await untilWaiting(1)
    keeping = keepNames(database, of.account)
    await untilWaiting(2)
  })
  expect(await proving).not.toEqual([])
  await keeping
  await expectSameAsWhole(database, [dayOf(3), now])
  await reconciliation.keepNames()
  expect(await proveNames(database, of.account)).toEqual([])
})

test('bookings that a late statement makes stale are named again in slices', async () => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', day: dayOf(8), amount: 5n, kind: 'DEPOSIT' as const }
  const names = Array.from({ length: 7 }, () => newId())
  const bankFileId = await write((tx) => writePage(tx, { ...of, series: 'A', day: dayOf(10), closing: 0n }))
  for (const name of names)
    await write(async (tx) => {
      await writeLine(tx, { ...of, name })
      await writeLine(tx, { ...of, name: `stated ${name}` })
      await writeEntry(tx, { ...of, name })
      await writeEntry(tx, { ...of, name: `stated ${name}`, bankFileId })
    })
  await keepNames(database, of.account)
  const [kept] = await owner.query({ text: 'select count(*)::integer as told from svc.kept_movements where is_told' })
  expect(kept).toEqual({ told: names.length })
  // The page turns out to be about a later day, and is the bank's last word about what it had notified.
  await write((tx) => writeClosing(tx, bankFileId, { day: dayOf(7), closing: 35n }))
  await expectSameAsWhole(database, [dayOf(10), dayOf(7), now])
  await keepNames(database, of.account, 2)
  await expectSameAsWhole(database, [dayOf(10), dayOf(7), now])
  const [largest] = await owner.query<{ opened: number }>({
    text: `select count(*)::integer as opened from svc.open_entries group by changed_in order by 1 desc limit 1`,
  })
  expect(largest?.opened).toBeLessThanOrEqual(2)
  expect(await proveNames(database, of.account)).toEqual([])
})

test('a page that belongs to another day for a moment, while its bookings are kept, moves none of them', async () => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', day: dayOf(8), amount: 5n, kind: 'DEPOSIT' as const }
  const tell = async (tx: Tx, bankFileId: string) => {
    const name = newId()
    await writeLine(tx, { ...of, name })
    await writeEntry(tx, { ...of, name, bankFileId })
  }
  const bankFileId = await write((tx) => writePage(tx, { ...of, series: 'A', closing: 10n }))
  await write((tx) => tell(tx, bankFileId))
  await keep()
  await write((tx) => tell(tx, bankFileId))
  // It moves after the worker has looked for pages that moved.
  await write((tx) => writeClosing(tx, bankFileId, { day: dayOf(6), closing: 10n }))
  const lowest = '00000000-0000-0000-0000-000000000000'
  await owner.query({
    text: `select svc.keep_ledger_lines($1, 10, '-infinity', $2, 0::smallint), svc.keep_bank_bookings($1, 10, $2)`,
    values: [of.account, lowest],
  })
  await expectSameAsWhole(database, [of.day, dayOf(6), now])
  await write((tx) => writeClosing(tx, bankFileId, { day: of.day, closing: 10n }))
  await expectSameAsWhole(database, [of.day, dayOf(6), now])
  await keep()
  expect(await proveNames(database, of.account)).toEqual([])
})

test('a return linked to an entry renames the kept booking whose transaction repeats it', async () => {
  await emptyHistory(owner)
  const of = { account: 'eur-main', name: newId(), day: dayOf(3), amount: 5n, kind: 'DEPOSIT' as const }
  const [bankEntryId] = await write(async (tx) => {
    const bankFileId = await writePage(tx, { ...of, series: 'A', closing: 10n })
    const first = await writeEntry(tx, { ...of, bankFileId })
    await writeEntry(tx, { ...of, bankFileId, repeatsPart: first })
    for (let line = 0; line < 2; line += 1) await writeLine(tx, of)
    return [first]
  })
  await reconciliation.keepNames()
  const told = { reference: newId(), returnId: newId(), amount: 5n, reason: 'AC04', valueDate: null, message: null }
  await write((tx) => insertReturn(tx, { ...told, entry: { bankEntryId, creditedAmount: 5n } }))
  await expectSameAsWhole(database, [dayOf(3), now])
  await reconciliation.keepNames()
  await expectSameAsWhole(database, [dayOf(3), now])
})

test('differences are counted also while no names can be kept', async () => {
  await emptyHistory(owner)
  await write((tx) => writeLine(tx, { account: 'eur-main', name: newId(), day: dayOf(30), kind: 'OWN', amount: 5n }))
  const rename = (from: string, to: string) => owner.query({ text: `alter function svc.${from} rename to ${to}` })
  await rename('keep_ledger_lines', 'absent')
  try {
    await expect(reconciliation.keepNames()).rejects.toThrow('keep_ledger_lines')
    expect(await reconciliation.countAged()).toMatchObject({ aged: 1 })
  } finally {
    await rename('absent', 'keep_ledger_lines')
  }
})

test('every statement that writes a fact about entries of banks opens them', async () => {
  const facts = 'bank_(?:entry_parts|entry_reversals|payments|payment_tellings|returns|second_debits)'
  // Outcomes of an entry name nothing, except that it is REPEATED.
  const written = new RegExp(`insert into svc\\.bank_entries|(?:insert into|update) svc\\.${facts}`)
  const opening = /svc\.open_entries|\$\{openEntries\}/
  const statements: string[] = []
  for await (const file of glob('src/transactions/**/*.ts'))
    statements.push(...[...(await readFile(file, 'utf8')).matchAll(/text: `([^`]*)`/g)].map(([, text = '']) => text))
  const writing = statements.filter((text) => written.test(text))
  expect(writing.length).toBeGreaterThan(8)
  expect(writing.filter((text) => !opening.test(text))).toEqual([])
})

test('kept names tell what the whole history tells after records in any order, and while others are recorded', {
  timeout: roundsTimeoutMs,
}, async () => {
  const random = seededRandom(seed)
  await playRounds({ short: 1, full: 400 }, async () => {
    await emptyHistory(owner)
    await playHistory(random)
  })
})

async function playHistory(random: () => number): Promise<void> {
  const upTo = (count: number) => Math.floor(random() * count)
  const acts = makeRandomActs(random, dayOf)
  for (let step = 0; step < 60; step += 1) {
    await write(async (tx) => {
      await acts[upTo(acts.length)]?.(tx)
      // The worker does not see this record yet.
      if (random() < 0.15) await keep(1 + upTo(5))
    })
    if (random() < 0.15) await keep(1 + upTo(5))
    if (step % 10 === 9) await expectSameAsWhole(database, [dayOf(upTo(12)), now])
  }
  await keep()
  await expectSameAsWhole(
    database,
    Array.from({ length: 7 }, (_, each) => dayOf(2 * each)),
  )
  for (const account of accounts) expect(await proveNames(database, account)).toEqual([])
}
