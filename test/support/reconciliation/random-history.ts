import type { Tx } from '../../../src/db/database.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { repeatEntry } from '../../../src/transactions/bank-files/entries/entry-store.ts'
import { insertPayment } from '../../../src/transactions/bank-files/entries/reference-store.ts'
import { insertReturn, pairReturn } from '../../../src/transactions/bank-files/returns/return-store.ts'
import {
  insertSecondDebit,
  reverseSecondDebits,
} from '../../../src/transactions/bank-files/returns/second-debit-store.ts'
import { explainEntries } from '../../../src/transactions/reconciliation/decision-store.ts'
import { type RawEntry, writeClosing, writeEntry, writeLine, writePage } from './raw-history.ts'

/** The accounts of random histories. */
export const accounts = ['eur-main', 'usd-main'] as const

type Known = { account: string; kind: 'DEPOSIT' | 'PAYOUT'; name: string; amount: bigint }
type Told = Known & { id: string; told: RawEntry['kind'] }
type Act = (tx: Tx) => Promise<unknown>

/** Records of a random history so far, and choices. */
type World = ReturnType<typeof openWorld>

function openWorld(random: () => number, dayOf: (daysAgo: number) => string) {
  const upTo = (count: number) => Math.floor(random() * count)
  const pick = <T>(items: readonly T[]): T | undefined => items[upTo(items.length)]
  const prefix = newId()
  const known: Known[] = []
  const anyAccount = () => pick(accounts) ?? 'eur-main'
  /** Mostly a name that was told before, so that both sides have it. Accounts share names of deposits. */
  const some = (): Known => {
    const before = random() < 0.6 ? pick(known) : undefined
    if (before) return before
    const kind = random() < 0.5 ? ('DEPOSIT' as const) : ('PAYOUT' as const)
    const account = anyAccount()
    const name = `${prefix} ${kind} ${kind === 'DEPOSIT' ? upTo(20) : `${account} ${known.length}`}`
    const made = { account, kind, name, amount: (kind === 'PAYOUT' ? -1n : 1n) * BigInt(1 + upTo(3)) }
    known.push(made)
    return made
  }
  const chance = (of: number) => random() < of
  const day = () => dayOf(upTo(12))
  const entries: Told[] = []
  const pages: { id: string; account: string }[] = []
  return { upTo, pick, chance, day, some, anyAccount, prefix, known, entries, pages }
}

/** Makes acts that record something at random: early, late, again, or on another day. */
export function makeRandomActs(random: () => number, dayOf: (daysAgo: number) => string): Act[] {
  const world = openWorld(random, dayOf)
  const tell = (tx: Tx) => tellEntry(tx, world)
  return [
    (tx) => writeLine(tx, { ...world.some(), day: world.day() }),
    (tx) => writeLine(tx, { ...world.some(), day: world.day() }),
    (tx) => writeLine(tx, { ...world.some(), kind: 'OWN', day: world.day() }),
    tell,
    tell,
    tell,
    tell,
    ...pageActs(world),
    ...returnActs(world),
    ...debitActs(world),
    ...lateActs(world),
  ]
}

async function tellEntry(tx: Tx, { pick, chance, day, some, entries, pages }: World): Promise<void> {
  const again = chance(0.3) ? pick(entries) : undefined
  const of = again ?? some()
  const told = chance(0.1) ? 'UNKNOWN' : chance(0.2) && of.kind === 'DEPOSIT' ? 'RETURN' : of.kind
  const page = chance(0.7) ? pick(pages.filter(({ account }) => account === of.account)) : undefined
  const repeated = again && (chance(0.7) ? { repeats: again.id } : { repeatsPart: again.id })
  const where = page ? { bankFileId: page.id } : {}
  const id = await writeEntry(tx, { ...of, kind: told, day: day(), ...where, ...repeated })
  if (!again) entries.push({ ...of, id, told })
}

/** Bookings without a name that get one: an operator explains them, or a later message tells what they are. */
function lateActs({ pick, day, some, entries }: World): Act[] {
  const unknown = () => pick(entries.filter(({ told }) => told === 'UNKNOWN'))
  return [
    async (tx) => {
      const booked = unknown()
      const [own] = await tx.query<{ reference: string }>({
        text: `select reference from svc.ledger_lines where holder = $1 and starts_with(reference, 'operator:')
                order by random() limit 1`,
        values: [booked?.account],
      })
      if (!booked || !own) return
      await explainEntries(tx, [booked.id], own.reference)
      booked.told = 'PAYOUT'
    },
    async (tx) => {
      const booked = unknown()
      if (!booked) return
      const { kind, name, amount } = some()
      const id = await writeEntry(tx, { account: booked.account, kind, name, amount, day: day() })
      await repeatEntry(tx, booked.id, id)
      Object.assign(booked, { id, kind, name, amount, told: kind })
    },
  ]
}

function pageActs({ upTo, pick, chance, day, anyAccount, pages }: World): Act[] {
  return [
    async (tx) => {
      // Banks use ids again.
      const series = ['A', 'B', newId()][upTo(3)] ?? ''
      const account = anyAccount()
      const id = await writePage(tx, { account, series, day: chance(0.7) ? day() : null, closing: BigInt(upTo(50)) })
      pages.push({ id, account })
    },
    async (tx) => {
      const page = pick(pages)
      if (page) await writeClosing(tx, page.id, { day: day(), closing: BigInt(upTo(50)) })
    },
  ]
}

function returnActs({ upTo, pick, chance, entries, prefix }: World): Act[] {
  const returns: { reference: string; returnId: string }[] = []
  return [
    async (tx) => {
      const credit = pick(entries.filter(({ amount }) => amount > 0n))
      if (!credit) return
      const { id: bankEntryId, amount } = credit
      const made = { reference: `${prefix} returned ${upTo(5)}`, returnId: newId() }
      const entry = { bankEntryId, creditedAmount: amount }
      await insertReturn(tx, { ...made, amount, reason: 'AC04', valueDate: null, message: null, entry })
      returns.push(made)
    },
    async (tx) => {
      const [returned, credit] = [pick(returns), pick(entries.filter(({ amount }) => amount > 0n))]
      if (!returned || !credit) return
      const message = { messageReturnId: returned.returnId, messageAmount: credit.amount }
      const entry = chance(0.5) ? { bankEntryId: credit.id, creditedAmount: credit.amount } : null
      await pairReturn(tx, returned.reference, returned.returnId, { message, entry })
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
  ]
}

function debitActs({ pick, chance, entries, known }: World): Act[] {
  return [
    async (tx) => {
      const debit = pick(entries.filter(({ amount }) => amount < 0n))
      if (!debit) return
      const { id: bankEntryId, name, amount } = debit
      const paid = { bankEntryId, externalReference: '', amount: -amount, costs: 0n, valueDate: null }
      if (chance(0.5)) await insertPayment(tx, { ...paid, reference: pick(known)?.name ?? name })
      else await insertSecondDebit(tx, { bankEntryId, reference: name, amount: -amount })
    },
    async (tx) => {
      const [debit, credit] = [pick(entries), pick(entries)]
      if (debit && credit) await reverseSecondDebits(tx, debit.id, credit.id)
    },
  ]
}
