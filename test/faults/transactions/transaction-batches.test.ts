import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBatcher } from '../../../src/db/batcher.ts'
import { newId } from '../../../src/lib/ids.ts'
import { type CreateOutcome, createTransactions, type NewTransaction } from '../../../src/transactions/store.ts'
import { makeQuotedWorld } from '../../support/money/quoted-world.ts'
import { creditWallet, expectVerified } from '../../support/money/transactions.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { openForTest } from '../../support/runner/database.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Two processes that receive the same requests in opposite order, so that their batches collide. */
const { api, home, wallets, makeQuote } = await makeQuotedWorld()
const turns = { short: 2, full: 30 }

function startTwo() {
  return [1, 2].map(() => {
    const database = openForTest({ ...api.database.app, connections: 3 })
    return createBatcher<NewTransaction, CreateOutcome>({
      run: (wanted) => createTransactions(database, wanted),
      batchSize: 16,
      concurrency: 2,
    })
  })
}

/** Sends every quote to each process this many times, each time with another key. */
async function wantAll(quoteIds: readonly string[], times: number): Promise<string[]> {
  const wishes = Array.from({ length: times }, () => quoteIds).flat()
  const asked = startTwo().flatMap((create, process) =>
    (process === 0 ? wishes : wishes.toReversed()).map((quoteId) => create(newTransaction(quoteId))),
  )
  return (await Promise.all(asked)).map(({ outcome }) => outcome)
}

function newTransaction(quoteId: string): NewTransaction {
  const request = { organizationId: home, route: 'POST /transactions', key: newId(), fingerprint: randomBytes(32) }
  return {
    request,
    organizationIds: [home],
    quoteId,
    transactionId: newId(),
    eventId: newId(),
    reserveId: newId(),
    approvalId: newId(),
    apiKeyId: null,
    correlationId: undefined,
    transferMessage: newId(),
  }
}

const makeQuotes = (kind: Parameters<typeof makeQuote>[0], count: number) =>
  Promise.all(Array.from({ length: count }, () => makeQuote(kind)))

const counted = (outcomes: readonly string[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(([name, all]) => [name, all?.length]),
  )

async function countTaken(): Promise<number> {
  const [row] = await api.app.database.query<{ count: number }>({
    text: 'select count(*)::int as count from svc.wallet_addresses where taken_at is not null',
  })
  return row?.count ?? 0
}

test(
  'every quote is used once, and losing the race costs no address',
  async () => {
    await playRounds(turns, async () => {
      await fillAddressPool(api.database)
      const before = await countTaken()
      const outcomes = await wantAll(await makeQuotes('evm', 8), 4)
      expect(counted(outcomes)).toEqual({ CREATED: 8, QUOTE_ALREADY_USED: 56 })
      expect(await countTaken()).toBe(before + 8)
    })
    await expectVerified(api)
  },
  roundsTimeoutMs,
)

test(
  'a wallet is spent up to its balance, across both processes',
  async () => {
    await playRounds(turns, async () => {
      for (const paymentAccountId of wallets) {
        const [balance] = await api.app.ledger.balances(api.app.database, home, paymentAccountId)
        const amount = 75_000_000n - (balance?.available ?? 0n)
        await creditWallet(api, { organizationId: home, paymentAccountId, amount })
      }
      const quoteIds = (await Promise.all([makeQuotes('spend', 20), makeQuotes('spendSecond', 20)])).flat()
      const outcomes = await wantAll(quoteIds, 1)
      // Each wallet holds enough for seven transactions of ten; both processes get every quote.
      const { CREATED, ...others } = counted(outcomes)
      expect(CREATED).toBe(14)
      expect(Object.keys(others).sort()).toEqual(['INSUFFICIENT', 'QUOTE_ALREADY_USED'])
      for (const paymentAccountId of wallets) {
        expect((await api.app.ledger.balances(api.app.database, home, paymentAccountId))[0]?.available).toBe(5_000_000n)
      }
    })
    await expectVerified(api)
  },
  roundsTimeoutMs,
)
