import type { Queryable, Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import { findRejected, rejectTransaction } from '../rejection.ts'
import type { Screening } from '../screening/screening.ts'
import { confirmPayout, refusePayout, returnPayout, type SettleDeps } from '../settle.ts'
import { chooseAffordable, type LiquidityOptions } from './liquidity.ts'
import { type PayoutPurpose, payoutMoves, pollInSeconds } from './payout.ts'
import type { PayoutOrder, PayoutRail, PayoutState, SendOutcome } from './rail.ts'
import * as store from './store.ts'

export type PayoutDeps = LiquidityOptions &
  SettleDeps & {
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

export type PayoutService = ReturnType<typeof createPayoutService>

const recheckInSeconds = 60

/** Brings what is owed to banks and chains, and finds out what became of it. */
export function createPayoutService(deps: PayoutDeps) {
  const { database } = deps
  return {
    payDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimPayouts(database, { limit, leaseMs })
      if (claimed.length > 0) deps.onPoint('payouts claimed')
      const waiting = claimed.filter(({ status }) => status === 'WAITING')
      const others = claimed.filter(({ status }) => status !== 'WAITING')
      const { started, rejected } = await start(deps, waiting)
      if (started.length > 0) deps.onPoint('payouts started')
      await Promise.all([
        ...started.map((payout) => advance(deps, payout, send)),
        ...others.map((payout) => advance(deps, payout, ask)),
        ...rejected.map((payout) => advance(deps, payout, reject)),
      ])
      return claimed.length
    },

    /** What is under way for a transaction is asked about now; answers the references that the rail knows. */
    hurry: async (
      tx: Tx,
      row: { organizationId: string; transactionId: string },
      purposes: readonly PayoutPurpose[],
    ): Promise<string[]> => (await store.expeditePayouts(tx, row, purposes)).map(({ payoutId }) => payoutId),

    count: () => store.countPayouts(database),
  }
}

type Started = { started: store.ClaimedPayout[]; rejected: store.ClaimedPayout[] }

/** Whether anything may leave at all, whose money may, and whether it is there; then the intent is recorded. */
async function start(deps: PayoutDeps, waiting: readonly store.ClaimedPayout[]): Promise<Started> {
  const { database, ledger, onWaiting } = deps
  const rejected: store.ClaimedPayout[] = []
  if (waiting.length === 0) return { started: [], rejected }
  return database.inTx(async (tx) => {
    const why = !deps.rail ? 'NO_RAIL' : (await ledger.arePayoutsHalted(tx)) ? 'HALTED' : undefined
    if (why) {
      await store.postponePayouts(tx, waiting, recheckInSeconds)
      onWaiting(why, waiting.length)
      return { started: [], rejected }
    }
    const free: store.ClaimedPayout[] = []
    for (const [organizationId, own] of Map.groupBy(waiting, (payout) => payout.organizationId)) {
      const customerIds = own.map(({ customerId }) => customerId)
      const blocked = await deps.screening.findBlocked(tx, organizationId, customerIds)
      const ended = new Set(await findRejected(tx, organizationId, own))
      rejected.push(...ended)
      free.push(...own.filter((each) => !ended.has(each) && (each.isReleased || !blocked.has(each.customerId))))
    }
    if (free.length < waiting.length) onWaiting('BLOCKED', waiting.length - free.length)
    const affordable = await chooseAffordable(deps, tx, free)
    if (affordable.length < free.length) onWaiting('NO_LIQUIDITY', free.length - affordable.length)
    const chosen = new Set(affordable)
    await store.postponePayouts(
      tx,
      waiting.filter((payout) => !chosen.has(payout)),
      recheckInSeconds,
    )
    const started = await store.startPayouts(tx, payoutMoves.start, affordable)
    // Then somebody else promises money to one of them: all of this is undone.
    if (started.length < affordable.length) throw new LeaseLost('a payout was taken over while it waited')
    deps.onPoint('payouts about to be started')
    return { started, rejected }
  })
}

async function reject(deps: PayoutDeps, { organizationId, transactionId }: store.ClaimedPayout): Promise<void> {
  if (transactionId === null) return
  await deps.database.inTx(async (tx) => {
    await rejectTransaction(deps, tx, { organizationId, transactionId })
  })
}

type Step = (deps: PayoutDeps, payout: store.ClaimedPayout) => Promise<void>

/** One that cannot be carried on keeps back no other. Nothing is known of it, so it is asked about later. */
async function advance(deps: PayoutDeps, payout: store.ClaimedPayout, step: Step): Promise<void> {
  try {
    await step(deps, payout)
  } catch (error) {
    if (error instanceof LeaseLost) return
    deps.onFailure(error)
    await store.postponePayouts(deps.database, [payout], recheckInSeconds)
  } finally {
    deps.onPoint('payout advanced')
  }
}

async function send(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<void> {
  const { database } = deps
  const rail = requireRail(deps)
  const order = await orderOf(deps, payout)
  const outcome = await inTime<SendOutcome>(
    deps,
    () => rail.send(order),
    (why) => ({ outcome: 'UNKNOWN', why }),
  )
  deps.onPoint('payout sent')
  if (outcome.outcome === 'REFUSED' && (await isRefusedAltogether(deps, payout))) {
    return refusePayout(deps, payout, outcome.reason)
  }
  if (outcome.outcome === 'ACCEPTED') {
    return database.inTx(async (tx) => {
      await store.acceptPayout(tx, payout, payoutMoves.accept)
      await store.recordAttempt(tx, payout, 'ACCEPTED')
      deps.onPoint('accepted payout about to be committed')
    })
  }
  const why = outcome.outcome === 'UNKNOWN' ? outcome.why : `refused (${outcome.reason}), and an earlier try may live`
  await store.recordAttempt(database, payout, 'UNKNOWN', { why })
  await store.postponePayouts(database, [payout], pollInSeconds(payout.attempts - 1))
}

/** After an earlier try a refusal may be of the repetition alone. Then the rail says what became of the obligation. */
async function isRefusedAltogether(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<boolean> {
  if (payout.attempts === 1) return true
  const answer = await askRail(deps, payout)
  return answer?.state === 'REFUSED' || answer?.state === 'NOT_KNOWN'
}

function askRail(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<PayoutState | undefined> {
  const rail = requireRail(deps)
  const { payoutId: reference, method } = payout
  return inTime<PayoutState | undefined>(
    deps,
    () => rail.ask({ reference, method }),
    () => undefined,
  )
}

/** By our own reference, as often as it takes. Only a rail that has never heard of it makes us send it again. */
async function ask(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<void> {
  const { database } = deps
  const { status } = payout
  const answer = await askRail(deps, payout)
  deps.onPoint('payout answered')
  if (answer && status === 'CONFIRMED') return watch(deps, payout, answer)
  switch (answer?.state) {
    case 'CONFIRMED':
    case 'RETURNED':
      // It must have arrived to come back: the one is told before the other.
      return confirmPayout(deps, payout, answer.externalReference)
    case 'REFUSED':
      return refusePayout(deps, payout, answer.reason)
    case 'NOT_KNOWN':
      if (status === 'SENDING') return retry(deps, payout)
      break
    case 'PENDING':
      if (status === 'SENDING') return store.acceptPayout(database, payout, payoutMoves.accept)
  }
  await store.postponePayouts(database, [payout], pollInSeconds(payout.asks + 1))
}

/** It has arrived. All that can still happen is that it comes back; whatever else a rail says, it is asked tomorrow. */
async function watch(deps: PayoutDeps, payout: store.ClaimedPayout, answer: PayoutState): Promise<void> {
  if (answer.state === 'RETURNED') return returnPayout(deps, payout, answer)
  if (answer.state === 'REFUSED') {
    deps.onFailure(new Error(`payout ${payout.payoutId} was confirmed, and the rail now says that it was refused`))
  }
  await store.watchForReturn(deps.database, payout)
}

/** Whatever keeps a first try back keeps back another one. */
async function retry(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<void> {
  const { database, ledger, onWaiting } = deps
  const { organizationId, customerId } = payout
  await store.recordAttempt(database, payout, 'NOT_KNOWN')
  const isKeptBack = async () =>
    (await deps.screening.isBlocked(database, organizationId, customerId)) ||
    (await findRejected(database, organizationId, [payout])).length > 0
  const why = (await ledger.arePayoutsHalted(database))
    ? 'HALTED'
    : !payout.isReleased && (await isKeptBack())
      ? 'BLOCKED'
      : undefined
  if (why) {
    onWaiting(why, 1)
    return store.postponePayouts(database, [payout], recheckInSeconds)
  }
  const [started] = await store.startPayouts(database, payoutMoves.startAgain, [payout])
  if (started) await send(deps, started)
}

async function orderOf({ paymentAccounts }: PayoutDeps, payout: store.ClaimedPayout): Promise<PayoutOrder> {
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

function requireRail({ rail }: PayoutDeps): PayoutRail {
  if (!rail) throw new Error('there is nobody to ask about a payout that was sent')
  return rail
}

/** A lost reply, an error and a silence are the same: nobody knows. */
async function inTime<Answer>(
  { answerWithinMs, onFailure }: PayoutDeps,
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
