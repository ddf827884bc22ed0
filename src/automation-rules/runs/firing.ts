import { labelOf, scaleOf } from '../../catalog/currencies.ts'
import type { Tier } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { QuoteBody } from '../../quotes/request.ts'
import type { Rule } from '../rule.ts'
import { amountToMove } from './amount.ts'
import type { FailReason, SkipReason } from './run.ts'

/** A run that is about to fire, with its rule as it is now and what its customer has. */
export type Firing = Rule & {
  runId: string
  fence: string
  tries: number
  customerStatus: string | null
  tier: Tier
  /** Smallest units of the source asset. */
  available: string
}

/**
 * What became of a run. `retry`: nothing is wrong with it, and it is tried again in so many seconds of business time.
 * `leave`: somebody else is at it; if they come to nothing it is taken up when our lease has ended.
 */
export type RunOutcome =
  | { move: 'execute'; amount: bigint; quoteId: string; transactionId: string }
  | { move: 'skip'; reason: SkipReason }
  | { move: 'fail'; reason: FailReason }
  | { move: 'retry'; reason: FailReason | 'RULE_CHANGED' | 'BALANCE_CHANGED' | 'QUOTE_EXPIRED'; inSeconds: number }
  | { move: 'leave' }

/** What it would move now; or why it moves nothing, told in the order in which one would ask. */
export function decide(firing: Firing): { amount: bigint } | { skip: SkipReason } {
  if (firing.deletedAt) return { skip: 'RULE_DELETED' }
  if (firing.status !== 'ACTIVE') return { skip: 'RULE_PAUSED' }
  if (firing.customerStatus !== 'ACTIVE') return { skip: 'CUSTOMER_NOT_ACTIVE' }
  const available = BigInt(firing.available)
  if (firing.thresholdUnits !== null && available < BigInt(firing.thresholdUnits)) return { skip: 'BELOW_THRESHOLD' }
  const amount = amountToMove({ type: firing.amountType, units: BigInt(firing.amountUnits) }, available)
  if (amount === 0n) return { skip: 'NOTHING_TO_MOVE' }
  if (amount > available) return { skip: 'INSUFFICIENT_BALANCE' }
  return { amount }
}

/** The request that an integrator would make for the same. */
export function quoteBodyOf(firing: Firing, amount: bigint): QuoteBody {
  const { sourceAsset, destinationAsset, developerFeeType, developerFeeText } = firing
  // An amount that was sent comes back as it was sent.
  const sourceAmount = firing.amountType === 'FLAT' ? firing.amountText : formatAmount(amount, scaleOf(sourceAsset))
  return {
    customerId: firing.customerId,
    source: {
      ...{ sourcePaymentAccountId: firing.sourcePaymentAccountId, sourceAmount },
      ...{ sourceCurrency: labelOf(sourceAsset), sourcePaymentMethod: firing.sourceMethod },
    },
    destination: {
      destinationPaymentAccountId: firing.destinationPaymentAccountId,
      ...{ destinationCurrency: labelOf(destinationAsset), destinationPaymentMethod: firing.destinationMethod },
    },
    ...(developerFeeType && developerFeeText !== null
      ? { developerFee: { developerFeeType, developerFeeAmount: developerFeeText } }
      : {}),
  }
}

/** How long to wait before each new try: a quarter of an hour in all, then it has failed. */
const retryDelays = [1, 5, 15, 60, 120, 300, 400] as const

export function retryOrFail(firing: Pick<Firing, 'tries'>, reason: FailReason): RunOutcome {
  const inSeconds = retryDelays[firing.tries]
  return inSeconds === undefined ? { move: 'fail', reason } : { move: 'retry', reason, inSeconds }
}

/** What a refusal of the quote or of the transaction means for the run. */
export function outcomeOf(firing: Firing, { code, details }: Pick<Refusal, 'code' | 'details'>): RunOutcome {
  switch (code) {
    case 'CUSTOMER_NOT_ACTIVE':
    case 'AMOUNT_BELOW_MINIMUM':
      return { move: 'skip', reason: code }
    case 'INSUFFICIENT_BALANCE':
      // Somebody spent between our look and the reserve. A percentage is of what is left.
      return firing.amountType === 'PCT'
        ? { move: 'retry', reason: 'BALANCE_CHANGED', inSeconds: 0 }
        : { move: 'skip', reason: code }
    // Accounts that are not ACTIVE, and those that were never there.
    case 'CONFLICT':
    case 'NOT_FOUND':
      return { move: 'skip', reason: 'PAYMENT_ACCOUNT_NOT_ACTIVE' }
    // The terms were looked at when the rule was made; what svcFee comes to is known now.
    case 'BAD_REQUEST': {
      const isFee = details?.some(({ field }) => field.startsWith('developerFee'))
      return { move: 'fail', reason: isFee ? 'DEVELOPER_FEE_BELOW_SVC_FEE' : code }
    }
    case 'AMOUNT_ABOVE_MAXIMUM':
    case 'PAYMENT_METHOD_NOT_AVAILABLE':
    case 'UNSUPPORTED_ROUTE':
      return { move: 'fail', reason: code }
    case 'QUOTE_EXPIRED':
      return { move: 'retry', reason: code, inSeconds: 0 }
    case 'IDEMPOTENCY_REQUEST_IN_PROGRESS':
      return { move: 'leave' }
    case 'SERVICE_UNAVAILABLE':
      return retryOrFail(firing, 'SERVICE_UNAVAILABLE')
    default:
      return retryOrFail(firing, 'INTERNAL_ERROR')
  }
}

type Decided = { firing: Firing; decision: ReturnType<typeof decide> }

/** Runs that take from the same balance. */
export function walletOf({ organizationId, sourcePaymentAccountId, sourceAsset }: Firing): string {
  return `${organizationId} ${sourcePaymentAccountId} ${sourceAsset}`
}

/**
 * The runs of one wallet fire one after the other, in the order in which their rules were made: each finds what those
 * before it have left.
 */
export function decideInOrder(firings: readonly Firing[]): Decided[] {
  const left = new Map<string, bigint>()
  const placeOf = ({ ruleId, runId }: Firing) => ruleId + runId
  const inOrder = [...firings].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  return inOrder.map((firing) => {
    const wallet = walletOf(firing)
    const available = left.get(wallet) ?? BigInt(firing.available)
    const decision = decide({ ...firing, available: String(available) })
    left.set(wallet, 'amount' in decision ? available - decision.amount : available)
    return { firing, decision }
  })
}
