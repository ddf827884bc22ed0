import { expect, test } from 'vitest'
import { waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { advance } from '../../support/money/transactions.ts'
import { type Booking, type Expected, openBankBook } from '../../support/reconciliation/bank-book.ts'
import { openChainBook } from '../../support/reconciliation/chain-book.ts'
import { accountOn, openItemsOf, type ShownAccount, settleAll, today } from '../../support/reconciliation/reading.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

/**
 * A quarter of mixed traffic with a bank that loses notifications and statements, delivers some late and some twice,
 * returns payments, takes credits back, charges fees and pays twice. Each day Svc must name every difference that the
 * bank's book explains, and no other. Meanwhile tokens come and go on a chain: some too small for a deposit, some that no
 * operator has recorded, some taken by a thief; and some days its nodes are away. The ledger is the banks, the chains and
 * what is in flight, to the last unit.
 */
const started = await startLocalChains()
// One network is enough, and cheaper than five.
const { SVC_BASE_RPC_URLS = '' } = started.settings
const chains = { ...started, settings: { SVC_BASE_RPC_URLS } }
const { desk, api, pay, send, address, organizationId } = await startSepaPayments(chains)
const chainBook = await openChainBook(api, chains, { organizationId, address })
const first = await today(api)
const dateOf = (day: number) => new Date(Date.parse(first) + day * 86_400_000).toISOString().slice(0, 10)
const book = openBankBook(desk, dateOf)
const random = seededRandom(seed)
const chance = (share: number) => random() < share
const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
let amounts = 1_000n
/** No two movements have the same amount: nothing is recognized by it. */
const newAmount = () => {
  amounts += BigInt(1 + Math.floor(random() * 50))
  return amounts
}
const cents = (text: string) => BigInt(text.replace('.', ''))
const shownCents = (units: bigint) => `${units / 100n}.${String(units % 100n).padStart(2, '0')}`
/** Waits until Svc has read and booked all that the bank has delivered. */
const settle = async () => {
  await waitUntilRead(api, desk)
  await settleAll(api)
}
const isNotified = () => chance(0.6)
const returned = new Set<Booking>()
const references = new Map<Booking, string>()

async function pays(day: number): Promise<void> {
  const { sent } = await pay(shownCents(newAmount()))
  const named = { references: { endToEndId: sent.reference } }
  const paid = await book.book(day, isNotified(), { kind: 'PAYOUT', amount: -sent.amount, name: sent.reference }, named)
  references.set(paid, sent.reference)
}

async function receives(day: number): Promise<void> {
  const named = { counterparty: { name: 'Grace Hopper' }, remittance: [`gift ${desk.newReference()}`] }
  await book.book(day, isNotified(), { kind: 'DEPOSIT', amount: newAmount() }, named)
}

/** The receiver's bank returns a payment: by a message, by a credit, or by both. */
async function returns(day: number): Promise<void> {
  const candidates = book.bookings.filter((each) => each.kind === 'PAYOUT' && book.isTold(each) && !returned.has(each))
  const paid = pick(candidates)
  if (!paid) return
  returned.add(paid)
  const reference = references.get(paid) ?? ''
  const isToldByMessage = chance(0.5)
  const amount = { currency: 'EUR' as const, units: -paid.amount }
  if (isToldByMessage)
    await desk.returns([{ returnId: desk.newReference(), reference, code: 'AC04', effectiveDate: dateOf(day), amount }])
  await settle()
  const named = { references: { endToEndId: reference }, return: { reason: { code: 'AC04' } } }
  const credit = { kind: 'RETURN', amount: -paid.amount, name: reference, isToldByMessage } as const
  await book.book(day, isNotified(), credit, named)
}

/** The bank takes a credit back. */
async function reverses(day: number): Promise<void> {
  const candidates = book.bookings.filter((each) => each.kind === 'DEPOSIT' && book.isTold(each) && !returned.has(each))
  const deposit = pick(candidates)
  if (!deposit) return
  returned.add(deposit)
  const bankReference = deposit.entry.bankReference ?? ''
  const reversal = { kind: 'REVERSAL', amount: -deposit.amount } as const
  await book.book(day, isNotified(), reversal, {}, { bankReference, isReversal: true })
}

/** The bank charges a fee, which the operator records when it sees it. */
async function charges(day: number): Promise<void> {
  const charge = await book.book(day, isNotified(), { kind: 'CHARGE', amount: -newAmount() }, {})
  if (!charge.isNotified || chance(0.3)) return
  const fee = { organizationId, holding: 'eur-main', asset: 'EUR', amount: shownCents(-charge.amount), reason: 'a fee' }
  await api.app.treasury.chargeFee(fee)
  charge.isRecorded = true
}

/** The bank pays a payment a second time; some days later it takes that back. */
async function paysTwice(day: number): Promise<void> {
  const open = book.bookings.filter((each) => each.kind === 'SECOND_DEBIT' && !each.correctedBy && book.isTold(each))
  const second = pick(open)
  if (second) {
    const bankReference = second.entry.bankReference ?? ''
    const named = { references: { endToEndId: second.name } }
    const correction = { kind: 'RETURN', amount: -second.amount } as const
    second.correctedBy = await book.book(day, true, correction, named, { bankReference, isReversal: true })
    return
  }
  const candidates = book.bookings.filter((each) => each.kind === 'PAYOUT' && book.isTold(each) && !returned.has(each))
  const paid = pick(candidates)
  if (!paid) return
  // It is not returned: a credit might then take the second debit back.
  returned.add(paid)
  const name = references.get(paid) ?? ''
  await book.book(day, true, { kind: 'SECOND_DEBIT', amount: paid.amount, name }, { references: { endToEndId: name } })
}

async function live(day: number): Promise<void> {
  for (const act of [pays, receives]) await act(day)
  for (const [act, share] of [
    [pays, 0.3],
    [receives, 0.4],
    [returns, 0.4],
    [reverses, 0.3],
    [charges, 0.3],
    [paysTwice, 0.25],
  ] as const) {
    await settle()
    if (chance(share)) await act(day)
  }
}

/** Tokens move on the chain; payments by SEPA collect theirs there, too. */
async function liveOnChain(): Promise<void> {
  const tokens = (whole: number) => BigInt(1 + Math.floor(random() * whole))
  for (const [act, share] of [
    [() => chainBook.receives(10_000_000n + tokens(5_000_000)), 0.4],
    [() => chainBook.receives(tokens(20)), 0.3],
    [() => send(shownCents(newAmount())), 0.4],
    [() => chainBook.gives(tokens(9_000_000)), 0.25],
    [() => chainBook.records(), 0.25],
    [() => chainBook.steals(tokens(1_000)), 0.1],
  ] as const)
    if (chance(share)) await act()
}

/** Begins the next day, and reads how this one ended on the chain. Some days its nodes are away at first. */
async function endOnChain(day: number): Promise<void> {
  await chainBook.settle()
  const isAway = chance(0.15)
  if (isAway) await chains.control.fault('BASE', { kind: 'down', calls: 1_000_000 })
  await advance(api, 'P1D')
  const read = async () => {
    const { accounts, networks } = (await api.get(`/reconciliation?date=${dateOf(day)}`)).body as unknown as Shown
    return { accounts, of: networks.find(({ network }) => network === 'BASE') }
  }
  if (isAway) {
    await eventually(async () => expect((await read()).of?.problem).toContain('node 1 of BASE'))
    expect(chainBook.found((await read()).accounts)).toEqual([])
    await chains.control.fault('BASE', { kind: 'down', calls: 0 })
  }
  // The worker waits some seconds before it tries again.
  if (isAway) await api.app.chainPayouts.comparisons.compareDaily('BASE')
  const { accounts } = await eventually(async () => {
    const found = await read()
    expect(found.of).toMatchObject({ isCompared: true })
    return found
  })
  expect([day, chainBook.found(accounts)]).toEqual([day, chainBook.expect()])
  for (const account of accounts) expectExplained(account)
  await expectNothingElse(accounts)
}

/** Expects that the ledger has no money at banks and on chains beside the compared accounts. */
async function expectNothingElse(accounts: readonly ShownAccount[]): Promise<void> {
  const text = `select account.asset, (-sum(entry.amount))::text as held
                  from svc.entries as entry join svc.ledger_accounts as account using (organization_id, account_id)
                  join svc.postings as posting using (organization_id, posting_id)
                 where account.kind in ('BANK', 'TREASURY', 'CUSTODY', 'UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES')
                   and (account.kind <> 'BANK' or posting.reference not like 'operator:sandbox-liquidity:%')
                   and account.asset in ('EUR', 'USDC/BASE', 'ETH/BASE')
                 group by account.asset order by account.asset`
  const held = await api.app.database.query<{ asset: string; held: string }>({ text })
  const compared = (isOf: (account: string) => boolean) =>
    accounts.filter(({ account }) => isOf(account)).reduce((sum, { ledger }) => sum + cents(ledger), 0n)
  expect(held.map(({ asset, held: units }) => [asset, BigInt(units)])).toEqual([
    ['ETH/BASE', compared((account) => account.startsWith('BASE ETH'))],
    ['EUR', compared((account) => account === 'eur-main')],
    ['USDC/BASE', compared((account) => account === 'BASE USDC treasury' || account === 'BASE USDC wallets')],
  ])
}

type Shown = { accounts: ShownAccount[]; networks: { network: string; isCompared: boolean; problem?: string }[] }

/** Ends the day: most statements arrive, some are lost, late or repeated. */
async function stateDay(day: number): Promise<void> {
  if (day === 0 || chance(0.75)) await book.deliver(day)
  const lost = Array.from({ length: day }, (_, each) => each).filter((each) => !book.isDelivered(each))
  const late = chance(0.4) ? pick(lost) : undefined
  if (late !== undefined) await book.deliver(late)
  if (chance(0.2)) await book.deliver(book.lastStated())
}

const shown = ({ state, kind, amount }: Expected) => `${state} ${kind} ${amount}`

function expectExplained(account: ShownAccount): void {
  const signs = { MATCHED: 0n, MISSING: -1n, UNEXPECTED: 1n } as const
  const explained = account.items.reduce((sum, { state, amount }) => sum + signs[state] * cents(amount), 0n)
  expect(cents(account.outside) - cents(account.ledger)).toBe(explained)
}

test('every difference of a quarter is named, none is invented, and the books close each day', {
  timeout: roundsTimeoutMs,
}, async () => {
  await playRounds({ short: 3, full: 92 }, async (day) => {
    await live(day)
    await liveOnChain()
    await settle()
    await stateDay(day)
    await settle()
    const account = await accountOn(api, 'eur-main', dateOf(day))
    const found = openItemsOf(account).map(({ state, kind, amount }) => `${state} ${kind} ${cents(amount)}`)
    expect([day, found.sort()]).toEqual([day, book.expect().map(shown).sort()])
    expect([day, cents(account.outside)]).toEqual([day, book.known()])
    expectExplained(account)
    const earlier = Math.floor(random() * (day + 1))
    const before = await accountOn(api, 'eur-main', dateOf(earlier))
    expectExplained(before)
    if (book.isDelivered(earlier)) expect([earlier, cents(before.outside)]).toEqual([earlier, book.closingOf(earlier)])
    await endOnChain(day)
  })
})
