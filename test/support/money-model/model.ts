import { scaleOf } from '../../../src/catalog/currencies.ts'
import type { Books, StoredPayout, StoredTransaction } from './books.ts'
import type { Payment } from './rail.ts'
import type { Name, Person, World } from './world.ts'

/** Money that a bank or chain received for a customer. */
export type Arrival = {
  externalId: string
  /** Set for another entry under the reference of this one, until an operator accepts it. */
  isQuarantined: boolean
  of: Name
  asset: string
  amount: bigint
  /** The request that reported it. */
  path: string
  body: object
}

/** All that the model knows: what arrived. What was paid and returned, only the rail knows. */
export type Model = { arrivals: Arrival[] }

/**
 * Compares the books with the model. For each customer and asset: received + kept = arrived + converted. Nothing kept
 * is negative, and what we owe never exceeds what we hold.
 */
export function findViolations(model: Model, world: World, books: Books): string[] {
  return [
    ...Object.values(world.people).flatMap((person) => findWrongSums(model, world, books, person)),
    ...books.kept
      .filter(({ amount }) => BigInt(amount) < 0n)
      .map(({ kind, subject, asset, amount }) => `${kind} of ${subject} keeps ${amount} ${asset}`),
    ...books.held
      .filter(({ amount }) => BigInt(amount) < 0n)
      .map(({ kind, holder, asset, amount }) => `${kind} ${holder} holds ${amount} ${asset}`),
    ...books.kept
      .filter(({ kind, subject }) => kind === 'WALLET' && books.closed.includes(subject))
      .map(({ subject, asset, amount }) => `the deleted wallet ${subject} keeps ${amount} ${asset}`),
    ...findUncovered(world, books),
    ...books.transactions.filter((each) => !isPricedRight(each)).map(({ transactionId }) => `${transactionId}: price`),
    ...world.failures.splice(0).map((failure) => `a worker failed: ${failure}`),
  ]
}

function findWrongSums(model: Model, { rail }: World, books: Books, person: Person): string[] {
  const arrived = sumByAsset(model.arrivals.filter(({ of }) => of === person.name))
  const payments = rail.payments().filter(({ to }) => person.receives.has(to))
  const received = sumByAsset(payments.map((payment) => ({ ...payment, amount: receivedBy(payment) })))
  const isDue = (arrival: Arrival) => books.due.some((each) => isSameEntry(each, arrival))
  const due = sumByAsset(model.arrivals.filter((arrival) => arrival.of === person.name && isDue(arrival)))
  const kept = sumByAsset(books.kept.filter(({ customerId }) => customerId === person.customerId).map(withUnits))
  const byId = new Map(books.payouts.map((payout) => [payout.payoutId, payout]))
  const unrecorded = sumByAsset(
    payments.map((payment) => ({ ...payment, amount: unrecordedOf(payment, byId.get(payment.reference)) })),
  )
  const converted = sumByAsset(
    books.transactions
      .filter(({ customerId }) => customerId === person.customerId)
      .flatMap((each) => conversionOf(each, books)),
  )
  const assets = new Set([arrived, received, due, kept, converted].flatMap((sums) => [...sums.keys()]))
  return [...assets].sort().flatMap((asset) => {
    const of = (sums: ReadonlyMap<string, bigint>) => sums.get(asset) ?? 0n
    const isOwn = of(arrived) + of(converted)
    const has = of(received) + of(kept) + of(due) - of(unrecorded)
    return [
      ...(has === isOwn ? [] : [`${person.name} has ${has} ${asset} instead of ${isOwn}`]),
      ...(of(received) <= isOwn ? [] : [`${person.name} was paid ${of(received)} ${asset} out of ${isOwn}`]),
    ]
  })
}

function isSameEntry(one: Pick<Arrival, 'externalId' | 'isQuarantined'>, other: typeof one): boolean {
  return one.externalId === other.externalId && one.isQuarantined === other.isQuarantined
}

function receivedBy({ state, amount, returned }: Payment): bigint {
  return state === 'SETTLED' ? amount - returned : 0n
}

/** The part of a payment that the rail has made, or got returned, and that the service has not booked yet. */
function unrecordedOf(payment: Payment, payout: StoredPayout | undefined): bigint {
  if (payment.state !== 'SETTLED' || payout?.status === 'RETURNED') return 0n
  return payout?.status === 'CONFIRMED' ? -payment.returned : payment.amount - payment.returned
}

/** A transaction by its own recorded terms: it takes the source and gives the destination. */
function conversionOf(transaction: StoredTransaction, { payouts }: Books): { asset: string; amount: bigint }[] {
  const isOf = ({ transactionId, purpose }: StoredPayout) =>
    transactionId === transaction.transactionId && purpose === 'PAYOUT'
  const payout = payouts.find(isOf)
  if (!payout || payout.status === 'REFUSED') return []
  // A direct transfer is booked when it is confirmed.
  if (transaction.isDirect && !['CONFIRMED', 'RETURNED'].includes(payout.status)) return []
  return [
    { asset: transaction.sourceAsset, amount: -BigInt(transaction.sourceAmount) },
    { asset: transaction.destinationAsset, amount: BigInt(transaction.destinationAmount) },
  ]
}

/** Finds assets in which an organization owes more than it holds. Payouts that wait for liquidity do not count. */
function findUncovered({ people }: World, { transactions, payouts, kept, held }: Books): string[] {
  const free = new Map<string, bigint>()
  const add = (organizationId: string, asset: string, amount: bigint) => {
    const key = `${organizationId} ${asset}`
    free.set(key, (free.get(key) ?? 0n) + amount)
  }
  const organizationOf = new Map(
    Object.values(people).map(({ customerId, organizationId }) => [customerId, organizationId]),
  )
  for (const { organizationId, asset, amount } of held) add(organizationId, asset, BigInt(amount))
  for (const { customerId, asset, amount } of kept)
    add(organizationOf.get(customerId) ?? customerId, asset, -BigInt(amount))
  const isOpen = ({ status }: StoredPayout) => ['WAITING', 'SENDING', 'SENT'].includes(status)
  for (const payout of payouts.filter(({ purpose }) => purpose === 'PAYOUT').filter(isOpen)) {
    const transaction = transactions.find(({ transactionId }) => transactionId === payout.transactionId)
    if (!transaction || transaction.isDirect) continue
    // A refusal of the payout gives the source back. Within one asset, either the source or the destination is owed.
    const isOneAsset = transaction.sourceAsset === payout.asset
    add(payout.organizationId, transaction.sourceAsset, -BigInt(transaction.sourceAmount))
    if (isOneAsset || payout.status === 'WAITING') add(payout.organizationId, payout.asset, BigInt(payout.amount))
  }
  return [...free]
    .filter(([, amount]) => amount < 0n)
    .map(([key, amount]) => `${-amount} more is owed than held: ${key}`)
}

/** True when the destination is the source less fees at the recorded rate, rounded down. */
function isPricedRight(transaction: StoredTransaction): boolean {
  const { exchangeRate, sourceAsset, destinationAsset } = transaction
  const [whole = '', fraction = ''] = exchangeRate.split('.')
  const [sourceScale, destinationScale] = [BigInt(scaleOf(sourceAsset)), BigInt(scaleOf(destinationAsset))]
  const net = BigInt(transaction.sourceAmount) - BigInt(transaction.fees)
  const scaled = net * BigInt(whole + fraction) * 10n ** destinationScale
  return scaled / 10n ** (BigInt(fraction.length) + sourceScale) === BigInt(transaction.destinationAmount)
}

function withUnits<Sum extends { amount: string }>(sum: Sum) {
  return { ...sum, amount: BigInt(sum.amount) }
}

function sumByAsset(sums: readonly { asset: string; amount: bigint }[]): Map<string, bigint> {
  const byAsset = new Map<string, bigint>()
  for (const { asset, amount } of sums) byAsset.set(asset, (byAsset.get(asset) ?? 0n) + amount)
  return byAsset
}
