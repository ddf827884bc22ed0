import type { Queryable } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import { findTurnedAway, rejectTransaction } from '../rejection.ts'
import type { Screening } from '../screening/screening.ts'
import { confirmPayout, refusePayout, returnPayout, type Settling } from '../settle.ts'
import { chooseAffordable, type LiquidityOptions } from './liquidity.ts'
import { askAgainInSeconds, type PayoutPurpose, payoutMoves } from './payout.ts'
import type { PayoutOrder, PayoutRail, PayoutState, SendOutcome } from './rail.ts'
import * as store from './store.ts'

export type PayoutOptions = LiquidityOptions &
  Settling & {
    paymentAccounts: Pick<PaymentAccountService, 'open' | 'readBankDetails'>
    /** Absent where nobody pays for us yet. */
    rail: PayoutRail | undefined
    screening: Screening<Queryable>
    /** Longer than this is no answer. */
    answerWithinMs: number
    /** Payouts that stay where they are, and why. */
    onWaiting(reason: 'NO_RAIL' | 'HALTED' | 'BLOCKED' | 'NO_LIQUIDITY', payouts: number): void
    onFailure(error: unknown): void
  }

export type PayoutService = ReturnType<typeof makePayouts>

const lookAgainInSeconds = 60

/** Brings what is owed to banks and chains, and finds out what became of it. */
export function makePayouts(options: PayoutOptions) {
  const { database } = options
  return {
    payDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimPayouts(database, { limit, leaseMs })
      if (claimed.length > 0) options.onPoint('payouts claimed')
      const waiting = claimed.filter(({ status }) => status === 'WAITING')
      const others = claimed.filter(({ status }) => status !== 'WAITING')
      const { started, turnedAway } = await start(options, waiting)
      if (started.length > 0) options.onPoint('payouts started')
      await Promise.all([
        ...started.map((payout) => carryOn(options, payout, send)),
        ...others.map((payout) => carryOn(options, payout, ask)),
        ...turnedAway.map((payout) => carryOn(options, payout, turnAway)),
      ])
      return claimed.length
    },

    /** What is under way for a transaction is asked about now; answers the references that the rail knows. */
    hurry: async (
      transaction: Queryable,
      row: { organizationId: string; transactionId: string },
      purposes: readonly PayoutPurpose[],
    ): Promise<string[]> => (await store.hurryPayouts(transaction, row, purposes)).map(({ payoutId }) => payoutId),

    count: () => store.countPayouts(database),
  }
}

type Started = { started: store.ClaimedPayout[]; turnedAway: store.ClaimedPayout[] }

/** Whether anything may leave at all, whose money may, and whether it is there; then the intent is recorded. */
async function start(options: PayoutOptions, waiting: readonly store.ClaimedPayout[]): Promise<Started> {
  const { database, ledger, onWaiting } = options
  const turnedAway: store.ClaimedPayout[] = []
  if (waiting.length === 0) return { started: [], turnedAway }
  return database.transaction(async (transaction) => {
    const why = !options.rail ? 'NO_RAIL' : (await ledger.arePayoutsHalted(transaction)) ? 'HALTED' : undefined
    if (why) {
      await store.postponePayouts(transaction, waiting, lookAgainInSeconds)
      onWaiting(why, waiting.length)
      return { started: [], turnedAway }
    }
    const free: store.ClaimedPayout[] = []
    for (const [organizationId, own] of Map.groupBy(waiting, (payout) => payout.organizationId)) {
      const customerIds = own.map(({ customerId }) => customerId)
      const blocked = await options.screening.findBlocked(transaction, organizationId, customerIds)
      const ended = new Set(await findTurnedAway(transaction, organizationId, own))
      turnedAway.push(...ended)
      free.push(...own.filter((each) => !ended.has(each) && (each.isReleased || !blocked.has(each.customerId))))
    }
    if (free.length < waiting.length) onWaiting('BLOCKED', waiting.length - free.length)
    const affordable = await chooseAffordable(options, transaction, free)
    if (affordable.length < free.length) onWaiting('NO_LIQUIDITY', free.length - affordable.length)
    const chosen = new Set(affordable)
    await store.postponePayouts(
      transaction,
      waiting.filter((payout) => !chosen.has(payout)),
      lookAgainInSeconds,
    )
    const started = await store.startPayouts(transaction, payoutMoves.start, affordable)
    // Then somebody else promises money to one of them: all of this is undone.
    if (started.length < affordable.length) throw new LeaseLost('a payout was taken over while it waited')
    options.onPoint('payouts about to be started')
    return { started, turnedAway }
  })
}

async function turnAway(options: PayoutOptions, { organizationId, transactionId }: store.ClaimedPayout): Promise<void> {
  if (transactionId === null) return
  await options.database.transaction(async (transaction) => {
    await rejectTransaction(options, transaction, { organizationId, transactionId })
  })
}

type Step = (options: PayoutOptions, payout: store.ClaimedPayout) => Promise<void>

/** One that cannot be carried on keeps back no other. Nothing is known of it, so it is asked about later. */
async function carryOn(options: PayoutOptions, payout: store.ClaimedPayout, step: Step): Promise<void> {
  try {
    await step(options, payout)
  } catch (error) {
    if (error instanceof LeaseLost) return
    options.onFailure(error)
    await store.postponePayouts(options.database, [payout], lookAgainInSeconds)
  } finally {
    options.onPoint('payout carried on')
  }
}

async function send(options: PayoutOptions, payout: store.ClaimedPayout): Promise<void> {
  const { database } = options
  const rail = requireRail(options)
  const order = await orderOf(options, payout)
  const outcome = await inTime<SendOutcome>(
    options,
    () => rail.send(order),
    (why) => ({ outcome: 'UNKNOWN', why }),
  )
  options.onPoint('payout sent')
  if (outcome.outcome === 'REFUSED' && (await isRefusedAltogether(options, payout))) {
    return refusePayout(options, payout, outcome.reason)
  }
  if (outcome.outcome === 'ACCEPTED') {
    return database.transaction(async (transaction) => {
      await store.acceptPayout(transaction, payout, payoutMoves.accept)
      await store.recordAttempt(transaction, payout, 'ACCEPTED')
      options.onPoint('accepted payout about to be committed')
    })
  }
  const why = outcome.outcome === 'UNKNOWN' ? outcome.why : `refused (${outcome.reason}), and an earlier try may live`
  await store.recordAttempt(database, payout, 'UNKNOWN', { why })
  await store.postponePayouts(database, [payout], askAgainInSeconds(payout.attempts - 1))
}

/** After an earlier try a refusal may be of the repetition alone. Then the rail says what became of the obligation. */
async function isRefusedAltogether(options: PayoutOptions, payout: store.ClaimedPayout): Promise<boolean> {
  if (payout.attempts === 1) return true
  const answer = await askRail(options, payout)
  return answer?.state === 'REFUSED' || answer?.state === 'NOT_KNOWN'
}

function askRail(options: PayoutOptions, payout: store.ClaimedPayout): Promise<PayoutState | undefined> {
  const rail = requireRail(options)
  const { payoutId: reference, method } = payout
  return inTime<PayoutState | undefined>(
    options,
    () => rail.ask({ reference, method }),
    () => undefined,
  )
}

/** By our own reference, as often as it takes. Only a rail that has never heard of it makes us send it again. */
async function ask(options: PayoutOptions, payout: store.ClaimedPayout): Promise<void> {
  const { database } = options
  const { status } = payout
  const answer = await askRail(options, payout)
  options.onPoint('payout answered')
  if (answer && status === 'CONFIRMED') return watch(options, payout, answer)
  switch (answer?.state) {
    case 'CONFIRMED':
    case 'RETURNED':
      // It must have arrived to come back: the one is told before the other.
      return confirmPayout(options, payout, answer.externalReference)
    case 'REFUSED':
      return refusePayout(options, payout, answer.reason)
    case 'NOT_KNOWN':
      if (status === 'SENDING') return sendAgain(options, payout)
      break
    case 'PENDING':
      if (status === 'SENDING') return store.acceptPayout(database, payout, payoutMoves.accept)
  }
  await store.postponePayouts(database, [payout], askAgainInSeconds(payout.asks + 1))
}

/** It has arrived. All that can still happen is that it comes back; whatever else a rail says, it is asked tomorrow. */
async function watch(options: PayoutOptions, payout: store.ClaimedPayout, answer: PayoutState): Promise<void> {
  if (answer.state === 'RETURNED') return returnPayout(options, payout, answer)
  if (answer.state === 'REFUSED') {
    options.onFailure(new Error(`payout ${payout.payoutId} was confirmed, and the rail now says that it was refused`))
  }
  await store.watchForReturn(options.database, payout)
}

/** Whatever keeps a first try back keeps back another one. */
async function sendAgain(options: PayoutOptions, payout: store.ClaimedPayout): Promise<void> {
  const { database, ledger, onWaiting } = options
  const { organizationId, customerId } = payout
  await store.recordAttempt(database, payout, 'NOT_KNOWN')
  const isKeptBack = async () =>
    (await options.screening.isBlocked(database, organizationId, customerId)) ||
    (await findTurnedAway(database, organizationId, [payout])).length > 0
  const why = (await ledger.arePayoutsHalted(database))
    ? 'HALTED'
    : !payout.isReleased && (await isKeptBack())
      ? 'BLOCKED'
      : undefined
  if (why) {
    onWaiting(why, 1)
    return store.postponePayouts(database, [payout], lookAgainInSeconds)
  }
  const [started] = await store.startPayouts(database, payoutMoves.startAgain, [payout])
  if (started) await send(options, started)
}

async function orderOf({ paymentAccounts }: PayoutOptions, payout: store.ClaimedPayout): Promise<PayoutOrder> {
  const { organizationId, payoutId: reference, method, asset, amount, paymentAccountId, fromWalletId } = payout
  const account = await paymentAccounts.open([organizationId], paymentAccountId)
  const details = account && paymentAccounts.readBankDetails(account)
  const address = account?.row.address
  if (!details && !address) throw new Error(`payout ${reference} goes to an account that cannot be opened`)
  return {
    ...{ reference, method, asset, amount: BigInt(amount), memo: reference },
    destination: details ? { type: 'BANK', details } : { type: 'ADDRESS', address: address ?? '' },
    ...(fromWalletId ? { fromWalletId } : {}),
  }
}

function requireRail({ rail }: PayoutOptions): PayoutRail {
  if (!rail) throw new Error('there is nobody to ask about a payout that was sent')
  return rail
}

/** A lost reply, an error and a silence are the same: nobody knows. */
async function inTime<Answer>(
  { answerWithinMs, onFailure }: PayoutOptions,
  call: () => Promise<Answer>,
  unknown: (why: string) => Answer,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(unknown('no answer in time')), answerWithinMs)
  })
  const answer = call().catch((error: unknown) => {
    onFailure(error)
    return unknown('the connection failed')
  })
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer))
}
