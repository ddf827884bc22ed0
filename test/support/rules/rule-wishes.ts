import { anySchedule, nextFire, readSchedule } from './cron-oracle.ts'
import type { RuleWallet } from './rule-world.ts'

export type Amount = { type: 'FLAT' | 'PCT'; value: string }
export type Trigger =
  | { type: 'TIME_BASED'; cronSchedule: string }
  | { type: 'THRESHOLD_BASED'; thresholdAmount: string }
export type RuleBody = {
  name: string
  customerId: string
  transactionTemplate: { source: object; destination: object; amount: Amount }
  trigger: Trigger
}

export type Random = () => number
export const below = (random: Random, limit: number) => Math.floor(random() * limit)
export const oneOf = <Thing>(random: Random, things: readonly Thing[]) => things[below(random, things.length)] as Thing

/** Whole numbers, but for some at which a bank or chain of the sandbox refuses or takes an hour. */
export function anyAmount(random: Random): Amount {
  if (random() < 0.5) return { type: 'PCT', value: oneOf(random, ['100', '50', '33.3333', '7.5', '0.01', '0']) }
  const ending = oneOf(random, ['', '', '', '.5', '.66', '.99'])
  return { type: 'FLAT', value: `${1 + below(random, 60)}${ending}` }
}

export function anyDestination(random: Random, { destinations }: RuleWallet) {
  const [destinationPaymentAccountId, destinationCurrency, destinationPaymentMethod] = oneOf(random, destinations)
  return { destinationPaymentAccountId, destinationCurrency, destinationPaymentMethod }
}

/** A schedule that fires at some time, mostly within a month. */
export function anyTimes(random: Random, now: Date): Trigger {
  for (;;) {
    const cronSchedule = anySchedule(random)
    const isOften = cronSchedule.split(' ')[3] === '*'
    if ((isOften || random() < 0.1) && nextFire(readSchedule(cronSchedule), now)) {
      return { type: 'TIME_BASED', cronSchedule }
    }
  }
}

export function anyThreshold(random: Random): Trigger {
  return { type: 'THRESHOLD_BASED', thresholdAmount: String(20 + below(random, 200)) }
}

export function anyRule(random: Random, at: RuleWallet, trigger: Trigger): RuleBody {
  const source = { sourcePaymentAccountId: at.wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const transactionTemplate = { source, destination: anyDestination(random, at), amount: anyAmount(random) }
  return { name: 'One of many', customerId: at.customerId, transactionTemplate, trigger }
}
