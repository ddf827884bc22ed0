import { assetOf, scaleOf } from '../../../src/catalog/currencies.ts'
import { newId } from '../../../src/lib/ids.ts'
import { formatAmount, parseAmount } from '../../../src/lib/money.ts'
import { quoteBody } from '../money/quotes.ts'
import { transferReference } from '../money/transactions.ts'
import { readReturnedFunds } from './decisions.ts'
import { answered, type Outcome, ownerOf, pickFrom, post, type Run } from './run.ts'
import type { Route, Wish } from './wishes.ts'
import type { Person } from './world.ts'

export async function placeOrder(
  run: Run,
  { who, route, amount, hasFee }: Extract<Wish, { do: 'order' }>,
): Promise<Outcome> {
  const person = run.world.people[who]
  const [from, to] = legsOf(person, route)
  return order(run, person, { from: [...from, amount], to, ...(hasFee ? { fee: ['SOURCE_CURRENCY', '1.00'] } : {}) })
}

/** Converts returned funds at a bank by a new quote, all of the oldest ones or a half. */
export async function convert(run: Run, { who, to, part }: Extract<Wish, { do: 'convert' }>): Promise<Outcome> {
  const person = run.world.people[who]
  const funds = (await readReturnedFunds(person)).find(({ currency }) => !currency.chain)
  if (!funds) return 'NOTHING'
  const { label } = funds.currency
  const rail = label === person.currency ? person.rails.bank : label === 'USD' ? 'ACH' : 'SEPA'
  const parsed = parseAmount(funds.balance, 2)
  const amount = part === 'half' && parsed.ok ? formatAmount((parsed.units + 1n) / 2n, 2) : funds.balance
  const legs = { wallet: legsOf(person, 'bank to wallet')[1], otherBank: legsOf(person, 'bank to bank')[1] }
  return order(run, person, { from: [funds.paymentAccountId, label, rail, amount], to: legs[to] })
}

type Terms = Omit<Parameters<typeof quoteBody>[0], 'customerId'>

async function order(run: Run, person: Person, terms: Terms): Promise<Outcome> {
  const quote = await person.api.post('/quotes', quoteBody({ customerId: person.customerId, ...terms }))
  if (quote.status !== 201) return answered(quote.status)
  const { quoteId } = quote.body
  const headers = { 'x-idempotency-key': newId() }
  const answer = await person.api.post('/transactions', { quoteId }, { headers })
  if (answer.status === 201) run.orders.push(answer.body)
  return answered(answer.status)
}

type Leg = readonly [account: string, currency: string, method: string]

function legsOf({ accounts, currency, rails }: Person, route: Route): [Leg, Leg] {
  const bank: Leg = [accounts.bank, currency, rails.bank]
  const otherBank: Leg = [accounts.otherBank, currency, rails.otherBank]
  const wallet: Leg = [accounts.wallet, 'USDC', 'BASE']
  const external: Leg = [accounts.external, 'USDC', 'BASE']
  const legs: Readonly<Record<Route, [Leg, Leg]>> = {
    'bank to wallet': [bank, wallet],
    'wallet to bank': [wallet, bank],
    'bank to bank': [bank, otherBank],
    'wallet to external': [wallet, external],
    'external to bank': [external, bank],
  }
  return legs[route]
}

export async function payIn(run: Run, { pick, how }: Extract<Wish, { do: 'pay in' }>): Promise<Outcome> {
  const order = pickFrom(
    run.orders.filter((each) => transferReference(each) !== undefined),
    pick,
  )
  const stored = run.books.transactions.find(({ transactionId }) => transactionId === order?.transactionId)
  if (!order || !stored) return 'NOTHING'
  const person = ownerOf(run.world, stored)
  const scale = scaleOf(stored.sourceAsset)
  const asked = BigInt(stored.sourceAmount)
  const part = asked / 4n
  const amount = formatAmount(how === 'short' ? asked - part : how === 'excess' ? asked + part : asked, scale)
  const reference = transferReference(order)
  if (stored.sourceAsset.includes('/')) {
    const currency = how === 'other asset' ? 'EURC' : 'USDC'
    return arrive(run, person, person.accounts.external, { amount, currency, chain: 'BASE', reference })
  }
  const isOtherAsset = how === 'other asset'
  const otherCurrency = person.currency === 'USD' ? { currency: 'EUR', rail: 'SEPA' } : { currency: 'USD', rail: 'ACH' }
  const rail = person.rails[how === 'other rail' ? 'otherBank' : 'bank']
  const money = isOtherAsset ? otherCurrency : { currency: person.currency, rail }
  return arrive(run, person, person.accounts.bank, { amount, ...money, reference })
}

type Sent = { amount: string; currency: string; chain?: string; rail?: string; reference?: string | undefined }

/** Lets money arrive at a bank or chain. The model counts it when the bank has it. */
export async function arrive(run: Run, person: Person, paymentAccountId: string, sent: Sent): Promise<Outcome> {
  const externalId = `${run.world.prefix}-${run.model.arrivals.length}`
  const path = `/sandbox/payment-accounts/${paymentAccountId}/deposits`
  const outcome = await post(person.api, path, { ...sent, entryReference: externalId })
  const asset = assetOf(sent.currency, sent.chain ?? sent.rail ?? '')
  const amount = asset && parseAmount(sent.amount, scaleOf(asset))
  if (outcome === 'DONE' && asset && amount?.ok) {
    const seen = { of: person.name, asset, amount: amount.units, path, body: sent }
    run.model.arrivals.push({ externalId, isQuarantined: false, ...seen })
  }
  return outcome
}

/** Reports an entry a second time, or another entry under its reference: that one may be money, and is quarantined. */
export async function reportAgain(
  { world, model }: Run,
  { pick, isChanged }: Extract<Wish, { do: 'report again' }>,
): Promise<Outcome> {
  const first = pickFrom(
    model.arrivals.filter(({ externalId, isQuarantined }) => !isQuarantined && !externalId.includes('~')),
    pick,
  )
  if (!first) return 'NOTHING'
  const { externalId, path, body } = first
  const isKnown = model.arrivals.some((each) => each.externalId === externalId && each !== first)
  // The entry of the first change was decided already, or is the same.
  if (isChanged && isKnown) return 'NOTHING'
  const changed = isChanged ? { amount: '7.00' } : {}
  const outcome = await post(world.people[first.of].api, path, { ...body, ...changed, entryReference: externalId })
  const units = first.asset.includes('/') ? 7_000_000n : 700n
  if (isChanged) model.arrivals.push({ ...first, isQuarantined: true, amount: units })
  return outcome
}

/** Decides about a quarantined entry on the command line: it is money of its own, or it is none. */
export async function decideQuarantined(
  { world, model, books }: Run,
  { pick, action }: Extract<Wish, { do: 'decide quarantined' }>,
): Promise<Outcome> {
  const entry = pickFrom(books.quarantined, pick)
  const arrival = model.arrivals.find(
    ({ externalId, isQuarantined }) => isQuarantined && externalId === entry?.externalId,
  )
  if (!entry || !arrival) return 'NOTHING'
  const { quarantinedSightings } = world.api.app
  const decision = { quarantineId: entry.quarantineId, reason: 'a test' }
  if (action === 'dismiss') {
    await quarantinedSightings.dismiss(decision)
    arrival.amount = 0n
    return 'DONE'
  }
  arrival.externalId = (await quarantinedSightings.accept(decision)) ?? ''
  arrival.isQuarantined = false
  return 'DONE'
}
