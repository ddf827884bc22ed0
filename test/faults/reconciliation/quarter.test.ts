import { expect, test } from 'vitest'
import { waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { advance } from '../../support/money/transactions.ts'
import { type Booking, type Expected, openBankBook } from '../../support/reconciliation/bank-book.ts'
import { accountOn, openItemsOf, type ShownAccount, settleAll, today } from '../../support/reconciliation/reading.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

/**
 * A quarter of mixed traffic with a bank that loses notifications and statements, delivers some late and some twice,
 * returns payments, takes credits back, charges fees and pays twice. Each day Svc must name every difference that the
 * bank's book explains, and no other; and the ledger is the bank plus what is in flight, to the last cent.
 */
const { desk, api, pay } = await startSepaPayments()
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
const [organization] = await api.app.database.query<{ id: string }>({
  text: `select organization_id as id from svc.organizations where organization_id <> '00000000-0000-0000-0000-000000000000'`,
})
const organizationId = organization?.id ?? ''

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
  await playRounds({ short: 6, full: 92 }, async (day) => {
    await live(day)
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
    await advance(api, 'P1D')
  })
})
