import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { openDatabase, type Tx } from '../../../src/db/database.ts'
import { verify } from '../../../src/db/verify.ts'
import type { NewPosting, NewReserve } from '../../../src/ledger/posting.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { createLedgerService } from '../../../src/ledger/service.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import { makeLedgerModel } from '../../support/money/ledger-model.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { playProperty, roundsTimeoutMs } from '../../support/runner/form.ts'

// One connection: the runs follow each other, each in an organization of its own.
const database = openDatabase({ ...(await makeDatabase()).app, connections: 1 })
afterAll(() => database.close())
const key = Buffer.alloc(32)
const ledger = createLedgerService({ database, pages: createPages(key), audit: createAudit(key), onHalted: () => {} })

/** Few names and small amounts, so that references repeat, wallets run out and reserves compete. */
const wallet = fc.constantFrom('ann', 'bob', 'cem')
const asset = fc.constantFrom('USDC/BASE', 'EURC/BASE')
const amount = fc.bigInt(1n, 60n)
const reserveNumber = fc.integer({ min: 1, max: 12 })
const nameOf = (reserve: number) => `reserve ${reserve}`
/** Half of the reserves have a fixed wallet, so that random captures match them often enough. */
const placeOf = (reserve: number | undefined) =>
  reserve === undefined || reserve > 6
    ? {}
    : { wallet: ['ann', 'bob', 'cem'][reserve % 3] ?? 'ann', asset: 'USDC/BASE' }
const reference = fc.integer({ min: 1, max: 90 }).map((number) => `posting ${number}`)

type Unowned<Thing> = Omit<Thing, 'organizationId'>
const posting: fc.Arbitrary<Unowned<NewPosting>> = fc
  .record({
    reference,
    wallet,
    other: wallet,
    asset,
    amount,
    captures: fc.option(reserveNumber, { nil: undefined, freq: 2 }),
    verb: fc.constantFrom('deposit', 'deposit', 'spend', 'send', 'convert'),
  })
  .map(({ reference, captures, verb, ...any }) => {
    const made = { ...any, ...placeOf(captures) }
    const sum = { asset: made.asset, amount: made.amount, paymentAccountId: made.wallet }
    const told = {
      deposit: () => facts.depositToWallet(sum),
      spend: () => facts.captureFromWallet(sum),
      send: () =>
        facts.sendFromWallet({
          ...sum,
          amount: sum.amount + 2n,
          svcFee: 1n,
          developerFee: 1n,
          toPaymentAccountId: made.other,
        }),
      // Two customers' accounts and two assets in one posting, and one of them twice.
      convert: () => ({
        fact: 'TRANSFER' as const,
        entries: [
          ...facts.captureFromWallet(sum).entries,
          ...facts.payoutToWallet({ ...sum, paymentAccountId: made.other }).entries,
        ],
      }),
    }[verb]()
    return { reference, ...told, ...(captures && verb !== 'deposit' ? { captures: nameOf(captures) } : {}) }
  })
const reserve: fc.Arbitrary<Unowned<NewReserve>> = fc
  .record({ number: reserveNumber, wallet, asset, amount })
  .map(({ number, amount, ...any }) => {
    const { wallet, asset } = { ...any, ...placeOf(number) }
    return { reference: nameOf(number), amount, account: facts.walletOf(wallet, asset) }
  })

type Command =
  | { post: Unowned<NewPosting>[] }
  | { reserve: Unowned<NewReserve>[] }
  | { release: string[] }
  | { fold: true }
/** An exact copy of the command this many steps back: only so does a reference repeat with the same content. */
type Repetition = { back: number }
const several = <Thing>(thing: fc.Arbitrary<Thing>) => fc.array(thing, { minLength: 1, maxLength: 4 })
const command: fc.Arbitrary<Command | Repetition> = fc.oneof(
  { weight: 8, arbitrary: several(posting).map((post) => ({ post })) },
  { weight: 4, arbitrary: several(reserve).map((reserve) => ({ reserve })) },
  { weight: 2, arbitrary: several(reserveNumber.map(nameOf)).map((release) => ({ release })) },
  { weight: 1, arbitrary: fc.constant({ fold: true as const }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 30 }).map((back) => ({ back })) },
)

const length = 60
const commands = fc
  .array(command, { minLength: length, maxLength: length })
  .map((all) => all.reduce<Command[]>((told, each) => told.concat('back' in each ? repeat(told, each) : each), []))

function repeat(told: readonly Command[], { back }: Repetition): Command {
  return told.at(-back) ?? told[0] ?? { fold: true }
}

test(`runs of ${length} random commands: the ledger equals a plain model after every step`, {
  timeout: roundsTimeoutMs,
}, async () => {
  const kinds = [
    'CAPTURED',
    'CONFLICT',
    'INSUFFICIENT',
    'POSTED',
    'RELEASED',
    'REPLAYED',
    'RESERVED',
    'RESERVE_MISMATCH',
    'RESERVE_NOT_OPEN',
    'RESOLVED',
    'UNKNOWN',
  ]
  const seen = new Set<string>()
  const property = fc.asyncProperty(commands, async (told) => {
    const organizationId = newId()
    const model = makeLedgerModel()
    await database.inTx(async (tx) => {
      for (const each of told) {
        const { expected, outcomes } = await run(tx, organizationId, model, each)
        expect(outcomes).toEqual(expected)
        for (const outcome of outcomes) seen.add(outcome)
        expect(await readLedger(tx, organizationId)).toEqual(model.state())
      }
    })
  })
  await playProperty(property, { short: 30, full: 1_000 }, () => kinds.every((kind) => seen.has(kind)))
  // One verify for all runs: one per run would read the growing tables each time.
  const { checks } = await verify(database, ledger.checks)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  // Proves that the commands reached every kind of outcome.
  expect([...seen].sort()).toEqual(kinds)
})

async function run(
  tx: Tx,
  organizationId: string,
  model: ReturnType<typeof makeLedgerModel>,
  command: Command,
): Promise<{ expected: string[]; outcomes: string[] }> {
  const owned = <Thing extends object>(things: Thing[]) => things.map((thing) => ({ organizationId, ...thing }))
  const words = (all: { outcome: string }[]) => all.map(({ outcome }) => outcome)
  if ('post' in command) {
    const postings = owned(command.post)
    return { expected: postings.map(model.post), outcomes: words(await ledger.post(tx, postings)) }
  }
  if ('reserve' in command) {
    const reserves = owned(command.reserve)
    return { expected: reserves.map(model.reserve), outcomes: words(await ledger.reserve(tx, reserves)) }
  }
  if ('release' in command) {
    const reserves = command.release.map((reference) => ({ organizationId, reference }))
    return {
      expected: command.release.map(model.release),
      outcomes: words(await ledger.release(tx, reserves)),
    }
  }
  await tx.query({ text: 'select svc.fold_entries(1000, false)' })
  return { expected: [], outcomes: [] }
}

/** Reads the whole ledger in one round trip, without accounts that were opened and never used. */
async function readLedger(tx: Tx, organizationId: string): Promise<unknown> {
  const [row] = await tx.query<{ accounts: object; reserves: object; postings: number; entries: number }>({
    name: 'read the whole ledger',
    text: `with sums as (select account_id, sum(amount) as posted from svc.entries where organization_id = $1 group by account_id)
           select (select coalesce(json_object_agg(concat_ws(' ', kind, holder, asset), concat_ws(' ',
                            case when keeps_balance then account.posted else sums.posted end, reserved)
                            order by concat_ws(' ', kind, holder, asset) collate "C"), '{}')
                     from svc.ledger_accounts as account join sums using (account_id) where organization_id = $1) as accounts,
                  (select coalesce(json_object_agg(reference, concat_ws(' ', status, amount) order by reference), '{}')
                     from svc.reserves where organization_id = $1) as reserves,
                  (select count(*)::int from svc.postings where organization_id = $1) as postings,
                  (select count(*)::int from svc.entries where organization_id = $1) as entries`,
    values: [organizationId],
  })
  return row
}
