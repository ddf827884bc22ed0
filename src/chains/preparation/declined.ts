import type { Declined, PayoutOrder } from '../../transactions/payouts/rail.ts'

/** A limit of the signer frees itself within the hour, or an operator raises it. */
const limitedSeconds = 300
export const refusedSeconds = 60

/** Lets an order wait for the reason of the signer. */
export function decline(order: Pick<PayoutOrder, 'reference'>, now: Date, problem: string): Declined {
  const seconds = problem.startsWith('LIMIT_') || problem.startsWith('GAS_') ? limitedSeconds : refusedSeconds
  return postponed(now, seconds, `the signer refuses: ${problem}`)(order)
}

/** Lets orders wait for some seconds, with the reason. */
export function postponed(now: Date, seconds: number, why: string) {
  const until = new Date(now.getTime() + seconds * 1_000)
  return ({ reference }: Pick<PayoutOrder, 'reference'>): Declined => ({ reference, outcome: 'NOT_NOW', until, why })
}
