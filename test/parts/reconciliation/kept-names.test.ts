import { glob, readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { printBanks } from '../../../src/commands/reconciliation/verify.ts'
import type { Database, Tx } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { openDesk } from '../../support/bank/bank-desk.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { daysBefore } from '../../support/reconciliation/long-history.ts'
import { accounts, makeRandomActs } from '../../support/reconciliation/random-history.ts'
import {
  emptyHistory,
  openRawHistory,
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
  ['an open line is lost', 'delete from svc.open_lines'],
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
  await reconciliation.keepNames()
  await owner.query({ text: corruption })
  const lines: string[] = []
  const verify = () => printBanks(reconciliation, (line) => lines.push(line), undefined)
  expect(await verify()).toBe(1)
  expect(lines.filter((line) => line.startsWith('VIOLATED')).join()).toContain('eur-main keeps')
  await expectSameAsWhole(database, [dayOf(3), now])
  await reconciliation.keepNames()
  expect((await reconciliation.proveNames()).flatMap(({ wrong }) => wrong)).toEqual([])
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
  await playRounds({ short: 2, full: 400 }, async () => {
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
      if (random() < 0.15) await reconciliation.keepNames()
    })
    if (random() < 0.15) await reconciliation.keepNames()
    if (step % 10 === 9) await expectSameAsWhole(database, [dayOf(upTo(12)), now])
  }
  await reconciliation.keepNames()
  await expectSameAsWhole(
    database,
    Array.from({ length: 7 }, (_, each) => dayOf(2 * each)),
  )
  expect((await reconciliation.proveNames()).flatMap(({ wrong }) => wrong)).toEqual([])
}
