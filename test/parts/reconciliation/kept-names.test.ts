import { afterAll, expect, test } from 'vitest'
import type { Database, Tx } from '../../../src/db/database.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { insertPayment } from '../../../src/transactions/bank-files/entries/reference-store.ts'
import { insertReturn, pairReturn } from '../../../src/transactions/bank-files/returns/return-store.ts'
import {
  insertSecondDebit,
  reverseSecondDebits,
} from '../../../src/transactions/bank-files/returns/second-debit-store.ts'
import { openDesk } from '../../support/bank/bank-desk.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { daysBefore } from '../../support/reconciliation/long-history.ts'
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

/** A comparison reads kept names. It must tell what the whole history tells, whatever was recorded since, and when. */
const api = await startApi((await openDesk()).settings)
const { database, reconciliation } = api.app
const owner = await openRawHistory(api)
afterAll(() => owner.close())
const now = await today(api)
const dayOf = (daysAgo: number) => daysBefore(now, daysAgo)
const accounts = ['eur-main', 'usd-main'] as const
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

type Known = { account: string; kind: 'DEPOSIT' | 'PAYOUT'; name: string; amount: bigint }

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
  const pick = <T>(items: readonly T[]): T | undefined => items[upTo(items.length)]
  const day = () => dayOf(upTo(12))
  const prefix = newId()
  const known: Known[] = []
  const entries: (Known & { id: string; told: string })[] = []
  const pages: { id: string; account: string }[] = []
  const returns: { reference: string; entry: (typeof entries)[number] }[] = []
  /** Mostly a name that was told before, so that both sides have it. Accounts share names of deposits. */
  const some = (): Known => {
    const before = random() < 0.6 ? pick(known) : undefined
    if (before) return before
    const kind = random() < 0.5 ? ('DEPOSIT' as const) : ('PAYOUT' as const)
    const account = pick(accounts) ?? 'eur-main'
    const name = `${prefix} ${kind} ${kind === 'DEPOSIT' ? upTo(20) : `${account} ${known.length}`}`
    const made = { account, kind, name, amount: (kind === 'PAYOUT' ? -1n : 1n) * BigInt(1 + upTo(3)) }
    known.push(made)
    return made
  }
  const acts: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => writeLine(tx, { ...some(), day: day() }),
    (tx) => writeLine(tx, { ...some(), day: day() }),
    (tx) => writeLine(tx, { ...some(), kind: 'OWN', day: day() }),
    async (tx) => {
      const account = pick(accounts) ?? 'eur-main'
      const series = ['A', 'B', newId()][upTo(3)] ?? ''
      const of = { account, series, day: random() < 0.7 ? day() : null, closing: BigInt(upTo(50)) }
      pages.push({ id: await writePage(tx, of), account })
    },
    async (tx) => {
      const page = pick(pages)
      if (page) await writeClosing(tx, page.id, { day: day(), closing: BigInt(upTo(50)) })
    },
    ...Array.from({ length: 4 }, () => (tx: Tx) => tellEntry(tx)),
    async (tx) => {
      const credit = pick(entries.filter(({ told }) => told === 'RETURN' || told === 'DEPOSIT'))
      if (!credit) return
      const reference = `${prefix} returned ${upTo(5)}`
      returns.push({ reference, entry: credit })
      const entry = { bankEntryId: credit.id, creditedAmount: credit.amount }
      const of = { reference, returnId: newId(), amount: credit.amount, reason: 'AC04', valueDate: null, message: null }
      await insertReturn(tx, { ...of, entry })
    },
    async (tx) => {
      const returned = pick(returns)
      const entry = pick(entries.filter(({ amount }) => amount > 0n))
      const [of] = returned
        ? await tx.query<{ id: string }>({
            text: 'select return_id as id from svc.bank_returns where reference = $1 limit 1',
            values: [returned.reference],
          })
        : []
      if (!returned || !entry || !of) return
      const message = { messageReturnId: of.id, messageAmount: entry.amount }
      const linked = random() < 0.5 ? { bankEntryId: entry.id, creditedAmount: entry.amount } : null
      await pairReturn(tx, returned.reference, of.id, { message, entry: linked })
    },
    async (tx) => {
      const credit = pick(entries.filter(({ told }) => told === 'RETURN'))
      if (credit)
        await tx.query({
          text: `insert into svc.sightings (method, book, external_id, asset, amount, state, observed_at, recorded_at,
                        expected_organization_id)
                 values ('SEPA', $4, $1, 'EUR', $2, 'FINAL', svc.now(), svc.now(), $3) on conflict do nothing`,
          values: [credit.name, credit.amount, platformOrganizationId, credit.account],
        })
    },
    async (tx) => {
      const debit = pick(entries.filter(({ amount }) => amount < 0n))
      if (!debit) return
      const { id: bankEntryId, name, amount } = debit
      const paid = { bankEntryId, externalReference: '', amount: -amount, costs: 0n, valueDate: null }
      if (random() < 0.5) await insertPayment(tx, { ...paid, reference: pick(known)?.name ?? name })
      else await insertSecondDebit(tx, { bankEntryId, reference: name, amount: -amount })
    },
    async (tx) => {
      const [debit, credit] = [pick(entries), pick(entries)]
      if (debit && credit) await reverseSecondDebits(tx, debit.id, credit.id)
    },
  ]
  async function tellEntry(tx: Tx): Promise<void> {
    const again = random() < 0.3 ? pick(entries) : undefined
    const of = again ?? some()
    const told = random() < 0.1 ? 'UNKNOWN' : random() < 0.2 && of.kind === 'DEPOSIT' ? 'RETURN' : of.kind
    const page = random() < 0.7 ? pick(pages.filter(({ account }) => account === of.account)) : undefined
    const repeated = again && (random() < 0.7 ? { repeats: again.id } : { repeatsPart: again.id })
    const where = page ? { bankFileId: page.id } : {}
    const id = await writeEntry(tx, { ...of, kind: told, day: day(), ...where, ...repeated })
    if (!again) entries.push({ ...of, id, told })
  }
  for (let step = 0; step < 60; step += 1) {
    const act = pick(acts)
    await write(async (tx) => {
      await act?.(tx)
      // What is not committed yet is nothing that the worker sees.
      if (random() < 0.15) await reconciliation.keepNames()
    })
    if (random() < 0.15) await reconciliation.keepNames()
    if (step % 10 === 9) await expectSameAsWhole(database, [day(), now])
  }
  await reconciliation.keepNames()
  await expectSameAsWhole(
    database,
    Array.from({ length: 7 }, (_, each) => dayOf(2 * each)),
  )
  expect((await reconciliation.proveNames()).flatMap(({ wrong }) => wrong)).toEqual([])
}
