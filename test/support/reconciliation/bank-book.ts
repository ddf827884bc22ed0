import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { type BankDesk, entry, euroAccount } from '../bank/bank-desk.ts'

/** A booking of the bank, in cents; positive is money that came in. */
export type Booking = {
  kind: 'PAYOUT' | 'RETURN' | 'DEPOSIT' | 'REVERSAL' | 'CHARGE' | 'SECOND_DEBIT'
  /** Its name in a reconciliation, without that of a charge, which has none. */
  name: string
  amount: bigint
  day: number
  isNotified: boolean
  entry: NewEntry
  /** A return that a message has told, too. */
  isToldByMessage?: boolean
  /** A charge that the operator has recorded. */
  isRecorded?: boolean
  /** A second debit that the bank has taken back. */
  correctedBy?: Booking
}

/** An open item as the bank's book and the delivered files explain it. */
export type Expected = { state: 'MISSING' | 'UNEXPECTED'; kind: string; amount: bigint }

type Files = { bookings: readonly Booking[]; delivered: ReadonlySet<number> }

const sum = (some: readonly Booking[]) => some.reduce((total, { amount }) => total + amount, 0n)
const lastStatedOf = ({ delivered }: Files) => Math.max(-1, ...delivered)

/** Svc has read about it. */
const isToldBy = ({ delivered }: Files, { day, isNotified }: Booking) => delivered.has(day) || isNotified

/** The bank's last word is that it is booked. */
const isOutsideBy = (files: Files, { day, isNotified }: Booking) =>
  files.delivered.has(day) || (isNotified && day > lastStatedOf(files))

/** The book of a bank that writes a statement for each day, some of which get lost on their way. */
export function openBankBook(desk: BankDesk, dateOf: (day: number) => string) {
  const bookings: Booking[] = []
  const delivered = new Set<number>()
  const files: Files = { bookings, delivered }
  const closingOf = (day: number) => sum(bookings.filter((each) => each.day <= day))
  const lastStated = () => lastStatedOf(files)
  return {
    bookings,
    isTold: (booking: Booking) => isToldBy(files, booking),
    closingOf,
    lastStated,
    isDelivered: (day: number) => delivered.has(day),

    /** Books an entry, and tells it at once unless the notification gets lost. */
    book: async (
      day: number,
      isNotified: boolean,
      booking: Pick<Booking, 'kind' | 'amount'> & Partial<Booking>,
      detail: Parameters<typeof entry>[2],
      more: Partial<NewEntry> = {},
    ): Promise<Booking> => {
      const bankReference = more.bankReference ?? desk.newReference()
      const dated = { bookingDate: dateOf(day), valueDate: dateOf(day), bankReference, ...more }
      const units = booking.amount < 0n ? -booking.amount : booking.amount
      const told = entry(booking.amount < 0n ? 'DEBIT' : 'CREDIT', units, detail, dated)
      const booked: Booking = { name: bankReference, ...booking, day, isNotified, entry: told }
      bookings.push(booked)
      if (isNotified) await desk.notify(euroAccount, [told])
      return booked
    },

    /** Delivers the statement of a day, also a second time. */
    deliver: async (day: number): Promise<void> => {
      const balances = [balance('OPBD', closingOf(day - 1), dateOf(day)), balance('CLBD', closingOf(day), dateOf(day))]
      const entries = bookings.filter((each) => each.day === day).map((each) => each.entry)
      await desk.state(euroAccount, entries, { statementId: `STATEMENT-${day}`, balances })
      delivered.add(day)
    },

    /** The balance that Svc can know: the last statement, and what notifications told since. */
    known: (): bigint =>
      closingOf(lastStated()) + sum(bookings.filter((each) => each.day > lastStated() && each.isNotified)),

    /** The items that are open now. */
    expect: (): Expected[] => [...bookings.flatMap((each) => expectOpen(files, each)), ...expectGaps(files)],
  }
}

const balance = (code: string, units: bigint, date: string) => ({
  code,
  direction: units < 0n ? ('DEBIT' as const) : ('CREDIT' as const),
  amount: { currency: 'EUR' as const, units: units < 0n ? -units : units },
  date,
})

function expectOpen(files: Files, booking: Booking): Expected[] {
  const { kind, amount, isToldByMessage = false, isRecorded = false, correctedBy } = booking
  const isOutside = isOutsideBy(files, booking)
  if (kind === 'CHARGE') {
    if (isRecorded) return isOutside ? [] : [{ state: 'MISSING', kind: 'OWN', amount }]
    return isOutside ? [{ state: 'UNEXPECTED', kind: 'ENTRY', amount }] : []
  }
  if (kind === 'SECOND_DEBIT') {
    const corrected = correctedBy && isOutsideBy(files, correctedBy) ? correctedBy.amount : 0n
    const open = (isOutside ? amount : 0n) + corrected
    return open === 0n ? [] : [{ state: 'UNEXPECTED', kind, amount: open }]
  }
  // A correction is counted with its debit.
  if (files.bookings.some((each) => each.correctedBy === booking)) return []
  return (isToldBy(files, booking) || isToldByMessage) && !isOutside ? [{ state: 'MISSING', kind, amount }] : []
}

/** A lost statement leaves a gap that the next one shows: all that was booked between. */
function expectGaps(files: Files): Expected[] {
  const found: Expected[] = []
  let open = 0n
  for (let day = 0; day <= lastStatedOf(files); day += 1) {
    if (!files.delivered.has(day)) {
      open += sum(files.bookings.filter((each) => each.day === day))
      continue
    }
    if (open !== 0n) found.push({ state: 'UNEXPECTED', kind: 'GAP', amount: open })
    open = 0n
  }
  return found
}
