/**
 * The names under which both sides know money. PAYOUT and RETURN: our reference of a payment. DEPOSIT and REVERSAL: the
 * bank's reference of a credit or its reversal. SECOND_DEBIT: a debit for a payment that another one had paid. OWN: a
 * posting that an operator recorded. ENTRY: a booking, or a part of one, that nothing of ours explains. OPENING: the
 * balance before the first statement. GAP: a balance that does not follow from the statement before.
 *
 * At addresses on networks, PAYOUT names a payout of ours, and DEPOSIT the address with tokens that are not credited yet or
 * in quarantine. DUST: the address with transfers too small for a deposit. UNRECORDED: an address of ours that received
 * what no operator recorded. FEES: the transaction whose fee one side lacks. ADDRESS: the address that has more or less
 * than all records explain. RECORDS: the ledger differs from the records of deposits and payouts. CLAIMS: the address whose
 * customers have more than those records.
 */
export const itemKinds = [
  'PAYOUT',
  'RETURN',
  'DEPOSIT',
  'REVERSAL',
  'SECOND_DEBIT',
  'OWN',
  'ENTRY',
  'OPENING',
  'GAP',
  'DUST',
  'UNRECORDED',
  'FEES',
  'ADDRESS',
  'RECORDS',
  'CLAIMS',
] as const
export type ItemKind = (typeof itemKinds)[number]

export const itemStates = ['MATCHED', 'MISSING', 'UNEXPECTED'] as const
export type ItemState = (typeof itemStates)[number]

/**
 * One name on both sides at the end of a day, in smallest units; positive is money that came in. Days are those of the
 * first movement on each side. `ledgerNow` and `outsideNow` are what both sides know by now, also of later days.
 */
export type ComparedName = {
  kind: ItemKind
  reference: string
  ledger: bigint
  outside: bigint
  ledgerDay: string | null
  outsideDay: string | null
  /** It moved on the day of the comparison. */
  isOfDay: boolean
  ledgerNow: bigint
  outsideNow: bigint
  lastDay: string
}

/**
 * MISSING: the ledger has it, and the bank does not. UNEXPECTED: the bank has it, and the ledger does not. MATCHED: both
 * have it. A payment on its way between the two is MISSING or UNEXPECTED until the other side follows.
 */
export type Item = {
  state: ItemState
  kind: ItemKind
  reference: string
  amount: bigint
  /** The day of its first movement. */
  day: string
  ageDays: number
  /** The day on which the other side followed. */
  matchedOn?: string
  /** An operator knows this difference, and expects nothing more. */
  isAccepted?: boolean
}

/** Differences that an operator accepted, by `nameKey`: what the bank had more than the ledger. */
export type Accepted = ReadonlyMap<string, bigint>

export const nameKey = ({ kind, reference }: { kind: string; reference: string }) => `${kind} ${reference}`

/** An open item is aged when the other side has not followed for so long: five days cover weekends and holidays. */
export const agedAfterDays = 5

/** Movements that an operator recorded have no reference of a bank: their amount finds the booking within so many days. */
const pairDays = 10

type Rest = { name: ComparedName; rest: bigint; items: Item[] }

/**
 * Lists the items of an account: everything that is open at the end of the day, and what was matched on it. The open
 * items are exactly the difference: what the bank has is what the ledger has, less what is MISSING, plus what is
 * UNEXPECTED.
 */
export function listItems(names: readonly ComparedName[], date: string, accepted: Accepted = new Map()): Item[] {
  const rests = names.map((name) => splitName(name, date))
  // A difference that has changed since is another one.
  const isAccepted = ({ name, rest }: Rest) => rest !== 0n && accepted.get(nameKey(name)) === rest
  // An accepted difference stays open, so it explains no other one.
  const unaccepted = rests.filter((each) => !isAccepted(each))
  const settled = pairByAmount(unaccepted, date)
  return rests.flatMap((each) => {
    const { name, items } = each
    if (isAccepted(each))
      return items.map((item): Item => (item.state === 'MATCHED' ? item : { ...item, isAccepted: true }))
    if (!settled.has(name)) return items
    const matched = items.map((item): Item => ({ ...item, state: 'MATCHED' }))
    return name.isOfDay ? matched : []
  })
}

/** Splits a name into what both sides have and what only one has. */
function splitName(name: ComparedName, date: string): Rest {
  const { kind, reference, ledger, outside, isOfDay } = name
  const ledgerDay = name.ledgerDay ?? name.outsideDay ?? date
  const outsideDay = name.outsideDay ?? ledgerDay
  const item = (state: ItemState, amount: bigint, day: string): Item => ({
    state,
    kind,
    reference,
    amount,
    day,
    ageDays: daysBetween(day, date),
    ...(state !== 'MATCHED' && name.ledgerNow === name.outsideNow ? { matchedOn: name.lastDay } : {}),
  })
  const common = commonOf(ledger, outside)
  const missing = ledger - common
  const unexpected = outside - common
  const items = [
    ...(common !== 0n && isOfDay ? [item('MATCHED', common, ledgerDay)] : []),
    ...(missing === 0n ? [] : [item('MISSING', missing, ledgerDay)]),
    ...(unexpected === 0n ? [] : [item('UNEXPECTED', unexpected, outsideDay)]),
  ]
  return { name, rest: outside - ledger, items }
}

/** The part of two amounts of the same sign that both have. */
function commonOf(one: bigint, other: bigint): bigint {
  if (one > 0n && other > 0n) return one < other ? one : other
  if (one < 0n && other < 0n) return one > other ? one : other
  return 0n
}

/**
 * Pairs movements that an operator recorded with differences of exactly their amount: those of the same day first, then
 * the oldest with the oldest. Each amount is read once, in the order of days.
 */
function pairByAmount(rests: readonly Rest[], date: string): Set<ComparedName> {
  const settled = new Set<ComparedName>()
  const dayOf = ({ name }: Rest) => name.ledgerDay ?? name.outsideDay ?? date
  const open = rests.filter(({ rest }) => rest !== 0n).toSorted((one, two) => compare(dayOf(one), dayOf(two)))
  const own = open.filter(({ name }) => name.kind === 'OWN')
  const partners = open.filter(mayPair)
  const pairBy = (keyOf: (each: Rest, rest: bigint) => string, fits: (each: Rest, other: Rest) => Fit) => {
    const queues = new Map(
      [...Map.groupBy(partners, (each) => keyOf(each, each.rest))].map(([key, all]) => [key, { all, at: 0 }]),
    )
    for (const each of own) {
      const queue = queues.get(keyOf(each, -each.rest))
      if (!queue || settled.has(each.name)) continue
      const isPast = (other: Rest) => settled.has(other.name) || fits(each, other) === 'PAST'
      while (queue.at < queue.all.length && isPast(queue.all[queue.at] as Rest)) queue.at += 1
      const other = queue.all[queue.at]
      if (other && fits(each, other) === 'FITS') settled.add(each.name).add(other.name)
    }
  }
  pairBy(
    (each, rest) => `${rest} ${dayOf(each)}`,
    () => 'FITS',
  )
  pairBy(
    (_, rest) => String(rest),
    (each, other) => {
      const days = daysBetween(dayOf(each), dayOf(other))
      return Math.abs(days) <= pairDays ? 'FITS' : days < 0 ? 'PAST' : 'LATER'
    },
  )
  pairBy(
    ({ name }, rest) => `${rest} ${name.kind === 'OWN' || name.kind === 'OPENING'}`,
    (_, { name }) => (name.kind === 'OPENING' ? 'FITS' : 'PAST'),
  )
  return settled
}

/** PAST: no later movement fits it either. LATER: it may fit a later one. */
type Fit = 'FITS' | 'PAST' | 'LATER'

/**
 * True for what a record of an operator may explain: something that the bank has, the opening balance, or another record.
 * What only the ledger has is a difference of its own, and so is a missing statement.
 */
function mayPair({ name }: Rest): boolean {
  return name.kind === 'OWN' || (name.outside !== 0n && name.kind !== 'GAP')
}

/** True for the reference of a posting that an operator recorded, or of money that a customer repaid at a bank. */
export function isRecorded(reference: string): boolean {
  return /^(?:operator|deposit:[^:]+:recovery):/.test(reference)
}

const compare = (one: string, two: string) => (one < two ? -1 : one > two ? 1 : 0)

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
}

const firstDay = '1900-01-01'

/** True for a day of the calendar since 1900, such as 2026-11-16. The database knows no year 0. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < firstDay) return false
  return new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
}

/** Sums what the bank has more than the ledger. */
export function differenceOf(items: readonly Item[]): bigint {
  const signs = { MATCHED: 0n, MISSING: -1n, UNEXPECTED: 1n } as const
  return items.reduce((sum, { state, amount }) => sum + signs[state] * amount, 0n)
}

/** Nothing follows by itself: these are an alarm at once. */
const alarms: ReadonlySet<ItemKind> = new Set(['GAP', 'SECOND_DEBIT', 'ADDRESS', 'RECORDS', 'CLAIMS'])

/** True for an open item that should have been matched by now. Dust waits until it is enough for a deposit, if ever. */
export function isAged({ state, kind, ageDays, isAccepted }: Item): boolean {
  if (state === 'MATCHED' || kind === 'DUST' || isAccepted) return false
  return ageDays >= agedAfterDays || alarms.has(kind)
}
