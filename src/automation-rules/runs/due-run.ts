import { labelOf, scaleOf } from '../../catalog/currencies.ts'
import type { Tier } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { QuoteBody } from '../../quotes/request.ts'
import type { Rule } from '../rule.ts'
import { amountToMove } from './amount.ts'
import type { FailReason, SkipReason } from './run.ts'

/** A due run with its rule as stored now, its customer's status and the available balance. */
export type DueRun = Rule & {
  runId: string
  fence: string
  tries: number
  customerStatus: string | null
  /** True while the operator has suspended the organization. */
  isSuspended: boolean
  tier: Tier
  /** Smallest units of the source asset. */
  available: string
}

/**
 * The outcome of one attempt of a run. `retry`: the run stays PENDING and is due again in `inSeconds` of business time.
 * `leave`: another worker is creating its transaction; the run is claimed again when our lease has ended.
 */
export type RunOutcome =
  | { move: 'execute'; amount: bigint; quoteId: string; transactionId: string }
  | { move: 'skip'; reason: SkipReason }
  | { move: 'fail'; reason: FailReason }
  | { move: 'retry'; reason: FailReason | 'RULE_CHANGED' | 'BALANCE_CHANGED' | 'QUOTE_EXPIRED'; inSeconds: number }
  | { move: 'leave' }

/** Decides the amount that a run moves now, or the first reason why it moves nothing. */
export function decideRun(dueRun: DueRun): { amount: bigint } | { skip: SkipReason } {
  if (dueRun.deletedAt) return { skip: 'RULE_DELETED' }
  if (dueRun.status !== 'ACTIVE') return { skip: 'RULE_PAUSED' }
  if (dueRun.isSuspended) return { skip: 'ORGANIZATION_SUSPENDED' }
  if (dueRun.customerStatus !== 'ACTIVE') return { skip: 'CUSTOMER_NOT_ACTIVE' }
  const available = BigInt(dueRun.available)
  if (dueRun.thresholdUnits !== null && available < BigInt(dueRun.thresholdUnits)) return { skip: 'BELOW_THRESHOLD' }
  const amount = amountToMove({ type: dueRun.amountType, units: BigInt(dueRun.amountUnits) }, available)
  if (amount === 0n) return { skip: 'NOTHING_TO_MOVE' }
  if (amount > available) return { skip: 'INSUFFICIENT_BALANCE' }
  return { amount }
}

/** Builds the quote request that an integrator would send for this run. */
export function quoteBodyOf(dueRun: DueRun, amount: bigint): QuoteBody {
  const { sourceAsset, destinationAsset, developerFeeType, developerFeeText } = dueRun
  // The quote shows a FLAT amount in the integrator's own digits.
  const sourceAmount = dueRun.amountType === 'FLAT' ? dueRun.amountText : formatAmount(amount, scaleOf(sourceAsset))
  return {
    customerId: dueRun.customerId,
    source: {
      sourcePaymentAccountId: dueRun.sourcePaymentAccountId,
      sourceAmount,
      sourceCurrency: labelOf(sourceAsset),
      sourcePaymentMethod: dueRun.sourceMethod,
    },
    destination: {
      destinationPaymentAccountId: dueRun.destinationPaymentAccountId,
      destinationCurrency: labelOf(destinationAsset),
      destinationPaymentMethod: dueRun.destinationMethod,
    },
    ...(developerFeeType && developerFeeText !== null
      ? { developerFee: { developerFeeType, developerFeeAmount: developerFeeText } }
      : {}),
  }
}

/** Seconds before each retry: 15 minutes in all, then the run fails. */
const retryDelaysSeconds = [1, 5, 15, 60, 120, 300, 400] as const

export function retryOrFail(dueRun: Pick<DueRun, 'tries'>, reason: FailReason): RunOutcome {
  const inSeconds = retryDelaysSeconds[dueRun.tries]
  return inSeconds === undefined ? { move: 'fail', reason } : { move: 'retry', reason, inSeconds }
}

/** Translates a refusal of the quote or the transaction into the outcome of the run. */
export function outcomeOfRefusal(dueRun: DueRun, { code, details }: Pick<Refusal, 'code' | 'details'>): RunOutcome {
  switch (code) {
    case 'CUSTOMER_NOT_ACTIVE':
    case 'AMOUNT_BELOW_MINIMUM':
      return { move: 'skip', reason: code }
    case 'INSUFFICIENT_BALANCE':
      // The balance fell between our read and the reserve: a retry recomputes the percentage.
      return dueRun.amountType === 'PCT'
        ? { move: 'retry', reason: 'BALANCE_CHANGED', inSeconds: 0 }
        : { move: 'skip', reason: code }
    // CONFLICT: the account is not ACTIVE. NOT_FOUND: it does not exist.
    case 'CONFLICT':
    case 'NOT_FOUND':
      return { move: 'skip', reason: 'PAYMENT_ACCOUNT_NOT_ACTIVE' }
    // The rule's terms were validated at its creation; only svcFee is new in a quote.
    case 'BAD_REQUEST': {
      const isFee = details?.some(({ field }) => field.startsWith('developerFee'))
      return { move: 'fail', reason: isFee ? 'DEVELOPER_FEE_BELOW_SVC_FEE' : code }
    }
    case 'AMOUNT_ABOVE_MAXIMUM':
    case 'PAYMENT_METHOD_NOT_AVAILABLE':
    case 'UNSUPPORTED_ROUTE':
    case 'POLICY_REFUSED':
      return { move: 'fail', reason: code }
    case 'QUOTE_EXPIRED':
      return { move: 'retry', reason: code, inSeconds: 0 }
    case 'IDEMPOTENCY_REQUEST_IN_PROGRESS':
      return { move: 'leave' }
    case 'SERVICE_UNAVAILABLE':
      return retryOrFail(dueRun, 'SERVICE_UNAVAILABLE')
    default:
      return retryOrFail(dueRun, 'INTERNAL_ERROR')
  }
}

type DecidedRun = { dueRun: DueRun; decision: ReturnType<typeof decideRun> }

/** The key of the balance a run takes from. Runs with the same key compete for it. */
export function balanceKeyOf({ organizationId, sourcePaymentAccountId, sourceAsset }: DueRun): string {
  return `${organizationId} ${sourcePaymentAccountId} ${sourceAsset}`
}

/** Decides runs in the order their rules were created: each finds the balance that the runs before it leave. */
export function decideInOrder(dueRuns: readonly DueRun[]): DecidedRun[] {
  const remaining = new Map<string, bigint>()
  const sortKeyOf = ({ ruleId, runId }: DueRun) => ruleId + runId
  const inOrder = [...dueRuns].sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
  return inOrder.map((dueRun) => {
    const balance = balanceKeyOf(dueRun)
    const available = remaining.get(balance) ?? BigInt(dueRun.available)
    const decision = decideRun({ ...dueRun, available: String(available) })
    remaining.set(balance, 'amount' in decision ? available - decision.amount : available)
    return { dueRun, decision }
  })
}
