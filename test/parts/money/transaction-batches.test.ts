import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openDatabase, type Tx } from '../../../src/db/database.ts'
import { depositToWallet } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { compileRules } from '../../../src/policies/compile-rules.ts'
import { replaceRules } from '../../../src/policies/store.ts'
import { type CreateOutcome, createTransactions, type NewTransaction } from '../../../src/transactions/store.ts'
import { makeQuotedWorld } from '../../support/money/quoted-world.ts'
import { playProperty, roundsTimeoutMs } from '../../support/runner/form.ts'

const { api, home, other, wallets, quotes } = await makeQuotedWorld()
// The owner prepares the data; the calls themselves run as the role of the processes.
const database = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => database.close())

const callers = {
  home: { organizationId: home, organizationIds: [home] },
  // A parent acts for its child: the key is the parent's, the quote the child's.
  parent: { organizationId: other, organizationIds: [other, home] },
  stranger: { organizationId: other, organizationIds: [other] },
}
const quoteNames = [...Object.keys(quotes), 'unknown'] as (keyof typeof quotes | 'unknown')[]
const unknown = newId()

type Wish = { caller: keyof typeof callers; quote: (typeof quoteNames)[number]; key: string; body: string }
// Mostly alike, so that keys and quotes repeat and wallets run out. Half of them have a key that fits the quote:
// chance alone rarely repeats a request.
const wish: fc.Arbitrary<Wish> = fc
  .record({
    caller: fc.constantFrom('home' as const, 'home' as const, 'home' as const, 'parent' as const, 'stranger' as const),
    quote: fc.oneof(
      fc.constantFrom('spendTen' as const, 'spendTenToo' as const, 'spendTwenty' as const, 'spendFive' as const),
      fc.constantFrom('spendSecond' as const, 'spendSecondToo' as const, 'fiat' as const, 'evm' as const),
      fc.constantFrom('guaranteed' as const, 'guaranteedToo' as const, 'guaranteedMore' as const),
      { weight: 3, arbitrary: fc.constantFrom(...quoteNames) },
    ),
    key: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 1 }),
    body: fc.constantFrom('', '', '', 'other '),
  })
  .map(({ key, ...rest }) => ({ ...rest, key: `key ${key ?? rest.quote}` }))
const world = fc.record({
  balances: fc.tuple(fc.constantFrom(0, 12, 25, 31, 100), fc.constantFrom(0, 9, 10, 40)),
  addresses: fc.integer({ min: 0, max: 2 }),
  // In dollars; none is no policy.
  limits: fc.option(
    fc.record({ day: fc.constantFrom(0, 9, 21, 35, 1_000), customer: fc.constantFrom(0, 15, 25, 1_000) }),
  ),
  before: fc.array(wish, { maxLength: 3 }),
  batch: fc.array(wish, { minLength: 2, maxLength: 16, size: 'max' }),
})

function newTransaction({ caller, quote, key, body }: Wish): NewTransaction {
  const { organizationId, organizationIds } = callers[caller]
  const fingerprint = createHash('sha256').update(`${body}${quote}`).digest()
  return {
    request: { organizationId, route: 'POST /transactions', key, fingerprint },
    organizationIds,
    quoteId: quote === 'unknown' ? unknown : quotes[quote],
    transactionId: newId(),
    eventId: newId(),
    reserveId: newId(),
    approvalId: newId(),
    apiKeyId: null,
    correlationId: body ? 'order "7"' : undefined,
    transferMessage: `SVC ${newId()}`,
  }
}

type World = {
  balances: number[]
  addresses: number
  before: NewTransaction[]
  limits: { day: number; customer: number } | null
}

async function setLimits(tx: Tx, limits: World['limits']): Promise<void> {
  if (!limits) return
  const rules = compileRules([
    { ruleId: 'customer', kind: 'LIMIT', per: 'CUSTOMER', hourMax: String(limits.customer), transactionMax: '20.00' },
    { ruleId: 'solana', kind: 'KILL_SWITCH', appliesTo: { networks: ['SOLANA'] } },
    { ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: String(limits.day) },
  ])
  if (!rules.ok) throw new Error('a limit is not valid')
  await replaceRules(tx, home, 'ORGANIZATION', rules.value)
}

class Undo extends Error {}

/** Runs in a database transaction that rolls back, so that every run starts from the same state. */
async function inWorld<Result>(
  { balances, addresses, before, limits }: World,
  act: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let result: { value: Result } | undefined
  await database
    .inTx(async (tx) => {
      const deposits = wallets.flatMap((paymentAccountId, index) =>
        balances[index] === 0
          ? []
          : [{ paymentAccountId, asset: 'USDC/BASE', amount: BigInt(balances[index] ?? 0) * 10n ** 6n }],
      )
      const postings = deposits.map((deposit, index) => ({
        organizationId: home,
        reference: `test:${index}`,
        ...depositToWallet(deposit),
      }))
      if (postings.length > 0) await api.app.ledger.post(tx, postings)
      // Leaves this many addresses of each kind free.
      await tx.query({
        text: `update svc.wallet_addresses as pool set retired_at = clock_timestamp() where taken_at is null
                  and $1 <= (select count(*) from svc.wallet_addresses as lower where lower.taken_at is null
                              and lower.kind = pool.kind and lower.address_index < pool.address_index)`,
        values: [addresses],
      })
      await setLimits(tx, limits)
      await tx.query({ text: 'set local role svc_app' })
      await oneByOne(tx, before)
      result = { value: await act(tx) }
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  if (!result) throw new Error('nothing was done')
  return result.value
}

/** Creates each by itself; a savepoint keeps a rollback of one from undoing the others. */
async function oneByOne(tx: Tx, wanted: NewTransaction[]): Promise<CreateOutcome[]> {
  const outcomes: CreateOutcome[] = []
  for (const each of wanted) {
    await tx.query({ text: 'savepoint one' })
    const made = await createTransactions(tx, [each])
    if (made[0]?.answer === null) await tx.query({ text: 'rollback to savepoint one' })
    outcomes.push(...made)
  }
  return outcomes
}

/** Every row that creating a transaction writes. */
async function readState(tx: Tx): Promise<unknown> {
  const [row] = await tx.query<{ state: unknown }>({
    text: `select jsonb_build_object(
             'transactions', (select jsonb_agg(to_jsonb(row) - 'counter_ids' order by transaction_id) from svc.transactions as row),
             'events', (select jsonb_agg(to_jsonb(row) - 'position' - 'sequence' order by event_id) from svc.events as row
                         where type = 'transaction.created'),
             'keys', (select jsonb_agg(to_jsonb(row) - 'created_at' order by idempotency_key, organization_id)
                        from svc.idempotency_keys as row where route = 'POST /transactions'),
             'reserves', (select jsonb_agg(to_jsonb(row) - 'account_id' order by reserve_id) from svc.reserves as row),
             'balances', (select jsonb_agg(jsonb_build_array(holder, posted, reserved) order by holder)
                            from svc.ledger_accounts where kind = 'WALLET'),
             'addresses', (select jsonb_agg(jsonb_build_array(kind, address_index, payment_account_id)
                                            order by kind, address_index)
                             from svc.wallet_addresses where taken_at is not null),
             'counters', (select jsonb_agg(to_jsonb(row) - 'counter_id' order by to_jsonb(row) - 'counter_id')
                            from svc.policy_counters as row),
             'wallets', (select jsonb_agg(to_jsonb(row) order by payment_account_id) from svc.wallets as row)) as state`,
  })
  return row?.state
}

test('a batch has the same outcomes, answers and rows as its members one by one', {
  timeout: roundsTimeoutMs,
}, async () => {
  const kinds = [
    'ACCOUNT_NOT_ACTIVE',
    'CREATED',
    'CUSTOMER_NOT_ACTIVE',
    'GUARANTEES_EXHAUSTED',
    'INSUFFICIENT',
    'KEY_REUSED',
    'METHOD_NOT_AVAILABLE',
    'NOT_FOUND',
    'NO_ADDRESS',
    'NO_INSTRUCTIONS',
    'POLICY_REFUSED',
    'QUOTE_ALREADY_USED',
    'QUOTE_EXPIRED',
    'REPLAYED',
  ]
  const seen = new Set<string>()
  const property = fc.asyncProperty(world, async ({ batch, before, ...rest }) => {
    const wanted = batch.map(newTransaction)
    const start = { ...rest, before: before.map(newTransaction) }
    const alone = await inWorld(start, async (tx) => ({
      outcomes: await oneByOne(tx, wanted),
      state: await readState(tx),
    }))
    const together = await inWorld(start, async (tx) => ({
      outcomes: await createTransactions(tx, wanted),
      state: await readState(tx),
    }))
    expect(together).toEqual(alone)
    for (const { outcome } of together.outcomes) seen.add(outcome)
  })
  await playProperty(property, { short: 60, full: 500 }, () => kinds.every((kind) => seen.has(kind)))
  // Proves that the runs reached every kind of outcome.
  expect([...seen].sort()).toEqual(kinds)
})

test('a caller in a shared batch sees and uses no more than alone', async () => {
  const wishes: [Wish, CreateOutcome['outcome']][] = [
    [{ caller: 'home', quote: 'fiat', key: 'key 1', body: '' }, 'CREATED'],
    // The same key in another organization is a different key.
    [{ caller: 'stranger', quote: 'theirs', key: 'key 1', body: '' }, 'CREATED'],
    [{ caller: 'stranger', quote: 'fiat', key: 'key 2', body: '' }, 'NOT_FOUND'],
    [{ caller: 'stranger', quote: 'fiatToo', key: 'key 3', body: '' }, 'NOT_FOUND'],
    [{ caller: 'home', quote: 'theirs', key: 'key 4', body: '' }, 'NOT_FOUND'],
    [{ caller: 'parent', quote: 'fiatToo', key: 'key 4', body: '' }, 'CREATED'],
    [{ caller: 'home', quote: 'fiatToo', key: 'key 5', body: '' }, 'QUOTE_ALREADY_USED'],
  ]
  const wanted = wishes.map(([wish]) => newTransaction(wish))
  const made = await inWorld({ balances: [0, 0], addresses: 0, before: [], limits: null }, async (tx) => ({
    outcomes: await createTransactions(tx, wanted),
    owners: await tx.query({
      text: `select organization_id as owner, transaction_id as id from svc.transactions order by transaction_id`,
    }),
  }))
  expect(made.outcomes.map(({ outcome }) => outcome)).toEqual(wishes.map(([, outcome]) => outcome))
  for (const [place, { outcome, answer }] of made.outcomes.entries()) {
    if (outcome === 'CREATED') expect(answer).toContain(wanted[place]?.transactionId)
    else expect(answer).toBeNull()
  }
  const ids = wanted.map(({ transactionId }) => transactionId)
  expect(made.owners).toEqual([
    { owner: home, id: ids[0] },
    { owner: other, id: ids[1] },
    { owner: home, id: ids[5] },
  ])
})

test('a repeated key gets the answer of the request that created, even after a refused request with that key', async () => {
  const wishes: [Wish, CreateOutcome['outcome']][] = [
    [{ caller: 'home', quote: 'unknown', key: 'key 1', body: '' }, 'NOT_FOUND'],
    [{ caller: 'home', quote: 'fiat', key: 'key 1', body: '' }, 'CREATED'],
    [{ caller: 'home', quote: 'fiat', key: 'key 1', body: '' }, 'REPLAYED'],
    [{ caller: 'home', quote: 'unknown', key: 'key 1', body: '' }, 'KEY_REUSED'],
  ]
  const outcomes = await inWorld({ balances: [0, 0], addresses: 0, before: [], limits: null }, (tx) =>
    createTransactions(
      tx,
      wishes.map(([wish]) => newTransaction(wish)),
    ),
  )
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(wishes.map(([, outcome]) => outcome))
  const [refused, created, replayed, reused] = outcomes
  expect(created?.answer).toContain('"transactionId"')
  expect(replayed?.answer).toBe(created?.answer)
  expect([refused?.answer, reused?.answer]).toEqual([null, null])
})
