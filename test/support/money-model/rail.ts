import type { PayoutDestination, PayoutOrder, RailAnswer } from '../../../src/transactions/payouts/rail.ts'
import type { TestRail } from '../rails/test-rail.ts'

/** The answers of the rail to a new payout, as the test chooses them. */
export const sendAnswers = ['settle', 'accept', 'refuse', 'lose reply', 'lose request', 'fail'] as const
export type SendAnswer = (typeof sendAnswers)[number]

/** The later moves of a payment at the rail. */
export const railEvents = ['settle', 'refuse', 'return', 'return part', 'fall silent'] as const
export type RailEvent = (typeof railEvents)[number]

/** A payment at the rail: money moves when it settles, and once. */
export type Payment = Pick<PayoutOrder, 'reference' | 'asset' | 'amount'> & {
  /** The account number, IBAN or address that receives the money. */
  to: string
  state: 'PENDING' | 'SETTLED' | 'REFUSED'
  returned: bigint
  isSilent: boolean
}

export type ModelRail = ReturnType<typeof makeModelRail>

/** The message of failures that the rail causes on purpose. */
export const railFailure = 'the rail does not answer'

/** A rail under the control of the test. It knows a payment by its reference, and pays each reference at most once. */
export function makeModelRail() {
  const payments = new Map<string, Payment>()
  let answers: readonly SendAnswer[] = ['settle']
  const record = ({ reference, asset, amount, destination }: PayoutOrder, state: Payment['state']) => {
    const payment = { reference, asset, amount, to: receiverOf(destination), state, returned: 0n, isSilent: false }
    payments.set(reference, payment)
  }
  /** Depends on the payment alone, because a worker sends payouts in parallel. */
  const answerTo = ({ amount }: PayoutOrder) =>
    answers.find((_, at) => amount % BigInt(answers.length) === BigInt(at)) ?? 'settle'
  const rail: TestRail = {
    send: async (order) => {
      if (payments.has(order.reference)) return { outcome: 'REFUSED', reason: 'duplicate' }
      const answer = answerTo(order)
      if (answer === 'lose request') return { outcome: 'UNKNOWN', why: 'the connection was lost' }
      if (answer === 'fail') throw new Error(railFailure)
      record(order, answer === 'settle' ? 'SETTLED' : answer === 'refuse' ? 'REFUSED' : 'PENDING')
      if (answer === 'refuse') return { outcome: 'REFUSED', reason: 'account_closed' }
      return answer === 'lose reply' ? { outcome: 'UNKNOWN', why: 'no answer in time' } : { outcome: 'ACCEPTED' }
    },
    ask: async ({ reference }) => {
      const payment = payments.get(reference)
      if (payment?.isSilent) {
        payment.isSilent = false
        throw new Error(railFailure)
      }
      return stateOf(payment)
    },
  }
  return {
    rail,
    /** All payments, oldest obligation first. */
    payments: (): Payment[] => [...payments.values()].sort((one, other) => (one.reference < other.reference ? -1 : 1)),
    answerWith: (chosen: readonly SendAnswer[]) => {
      answers = chosen
    },
  }
}

/** True when this can happen to a payment: banks return money, chains do not. */
export function canMove({ state, returned, asset }: Payment, event: RailEvent): boolean {
  if (event === 'settle' || event === 'refuse') return state === 'PENDING'
  return event === 'fall silent' || (state === 'SETTLED' && returned === 0n && !asset.includes('/'))
}

export function movePayment(payment: Payment, event: RailEvent): void {
  if (event === 'settle') payment.state = 'SETTLED'
  if (event === 'refuse') payment.state = 'REFUSED'
  if (event === 'return') payment.returned = payment.amount
  if (event === 'return part') payment.returned = payment.amount - payment.amount / 4n
  if (event === 'fall silent') payment.isSilent = true
}

function stateOf(payment: Payment | undefined): RailAnswer {
  // The request was lost, and no worker is late: nothing of it can arrive any more.
  if (!payment) return { state: 'DEAD', proof: 'the request was lost' }
  const externalReference = `rail-${payment.reference}`
  if (payment.state === 'PENDING') return { state: 'PENDING' }
  if (payment.state === 'REFUSED') return { state: 'REFUSED', reason: 'account_closed' }
  const { amount, returned } = payment
  const back = { returnId: 'return', reason: 'account_closed', amount: returned }
  return { state: 'CONFIRMED', externalReference, amount, costs: [], returns: returned === 0n ? [] : [back] }
}

function receiverOf(destination: PayoutDestination): string {
  if (destination.type === 'ADDRESS') return destination.address
  const { iban, accountNumber } = destination.details.coordinates
  return iban ?? accountNumber ?? ''
}
