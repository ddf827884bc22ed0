import type { Asset, Currency } from '../../catalog/currencies.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../db/outbox/events.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId } from '../../lib/ids.ts'
import { changeDetails, moveTransaction } from '../change.ts'
import { recordStep } from '../change-store.ts'
import type { Payout } from '../payouts/payout.ts'
import { insertPayout, type NewPayout } from '../payouts/store.ts'
import type { RefundDestination } from '../refunds/refund-account.ts'
import { stepMoney } from '../timeline/timeline.ts'
import type { Transaction, TransactionLabel } from '../transaction.ts'
import type { LiquidityChange } from '../treasury/liquidity-store.ts'
import { type Deposit, depositMoves, holderOf } from './deposit.ts'
import { wakeExpired } from './held-store.ts'
import { coverOwed } from './reversals/cover.ts'
import { isAllReversed } from './reversals/store.ts'
import * as store from './store.ts'
import { presentDeposit } from './wire.ts'

export type DepositPresentation = { currencyOf(asset: Asset): Currency }

/** Appends the current state as an event, in the database transaction of the change. */
export function emitDeposit(presentation: DepositPresentation, tx: Tx, deposit: Deposit): Promise<void> {
  return emitDeposits(presentation, tx, [deposit])
}

export async function emitDeposits(
  { currencyOf }: DepositPresentation,
  tx: Tx,
  deposits: readonly Deposit[],
): Promise<void> {
  const events = deposits.map((deposit) => ({
    organizationId: deposit.organizationId,
    type: deposit.version === 1 ? ('deposit.created' as const) : ('deposit.updated' as const),
    resourceId: deposit.depositId,
    resourceVersion: deposit.version,
    data: presentDeposit(deposit, currencyOf),
  }))
  await appendEvents(tx, events)
}

/** Moves a deposit by the state table and appends its event; undefined when a concurrent change came first. */
export async function moveDeposit(
  presentation: DepositPresentation,
  tx: Tx,
  key: Parameters<typeof store.changeDeposit>[1],
  move: keyof typeof depositMoves,
  change: store.DepositChange = {},
): Promise<Deposit | undefined> {
  const changed = await store.changeDeposit(tx, key, depositMoves[move], change)
  if (!changed) return undefined
  await emitDeposit(presentation, tx, changed)
  const { organizationId, transactionId: former, status } = key
  if (status === 'HELD' && former) await wakeExpired(tx, { organizationId, transactionId: former })
  return changed
}

/**
 * Counts a deposit towards its transaction. Once the whole amount has arrived, a worker screens and executes the
 * transaction.
 */
export async function applyDeposit(
  tx: Tx,
  transaction: Transaction,
  deposit: Deposit,
  { amount, labels }: { amount: bigint; labels: readonly TransactionLabel[] },
): Promise<void> {
  const { depositId, externalId: sourceReferenceId, seenAt: at } = deposit
  const received = { amount, at }
  await recordStep(tx, transaction, 'DEPOSIT_APPLIED', {
    depositId,
    ...stepMoney(amount, deposit.asset),
  })
  const isWhole = BigInt(transaction.receivedAmount) + amount === BigInt(transaction.sourceAmount)
  if (!isWhole) return void (await changeDetails(tx, transaction, { received, labels }))
  const step = { step: 'SCREEN', dueInSeconds: 0 } as const
  const moved = await moveTransaction(tx, transaction, 'receive', { ...step, received, labels, sourceReferenceId })
  if (!moved)
    throw new Error(`transaction ${transaction.transactionId} is ${transaction.status} and cannot receive a deposit`)
}

export type DepositReturn = {
  payoutId?: string
  amount: bigint
  customerId: string
  /** The account that takes it, by its own rail. */
  to: RefundDestination
  /** REFUSED when that account cannot take it, or did not pay it: an operator decides. */
  status?: 'WAITING' | 'REFUSED'
  isReleased?: boolean
}

/** Creates the obligation to return a deposit to a registered account, and shows it as a refund of its transaction. */
export async function createReturn(
  tx: Tx,
  deposit: Deposit,
  { payoutId = newId(), amount, customerId, to, status = 'WAITING', isReleased = false }: DepositReturn,
  labels: readonly TransactionLabel[],
): Promise<void> {
  const { organizationId, depositId, transactionId, asset } = deposit
  await insertReturn(tx, {
    organizationId,
    payoutId,
    transactionId,
    depositId,
    customerId,
    purpose: 'RETURN',
    method: to.method,
    asset,
    amount,
    paymentAccountId: to.paymentAccountId,
    fromWalletId: holderOf(deposit),
    status,
    isReleased,
  })
  if (!transactionId) return
  await recordStep(tx, { organizationId, transactionId }, 'RETURN_OWED', {
    depositId,
    ...stepMoney(amount, deposit.asset),
  })
  await changeDetails(tx, { organizationId, transactionId }, { labels })
}

/** A return of a deposit, as a new obligation. */
export type NewReturn = NewPayout & { depositId: string }

/** Inserts a return and counts it to its deposit, which it must not exceed. */
export async function insertReturn(tx: Tx, payout: NewReturn): Promise<void> {
  if (payout.status !== 'REFUSED') await store.countReturn(tx, payout, payout.amount)
  await insertPayout(tx, payout)
}

export type ReturnDeps = { ledger: Pick<LedgerService, 'post'> }

/**
 * Counts returns that did not leave off their deposits. Their money first settles what the customer owes for the
 * deposits; the rest waits for the next decision. Answers the change of liquidity, which the caller counts last.
 */
export async function uncountReturns(deps: ReturnDeps, tx: Tx, payouts: readonly Payout[]): Promise<LiquidityChange[]> {
  const returns = payouts
    .filter(({ purpose }) => purpose === 'RETURN')
    .map((payout) => ({ ...payout, ...keyOf(payout) }))
  const freed: LiquidityChange[] = []
  for (const payout of returns.sort((one, other) => (one.depositId < other.depositId ? -1 : 1))) {
    await store.countReturn(tx, payout, -BigInt(payout.amount))
    freed.push(...(await coverOwed(deps, tx, payout)))
  }
  return freed
}

/** Records a confirmed return. An APPLIED deposit keeps its status: only the excess was returned. */
export async function finishReturn(presentation: DepositPresentation, tx: Tx, payout: Payout): Promise<void> {
  const { depositId } = keyOf(payout)
  const isCounted = await store.isReturnCounted(tx, keyOf(payout))
  if (!isCounted) throw new Error(`deposit ${depositId} does not count exactly its live returns`)
  await moveDeposit(presentation, tx, keyOf(payout), 'finishReturn')
}

/**
 * Records that the bank or chain refused the return: an operator decides, unless a reversal took the deposit meanwhile.
 * Answers the change of liquidity, which the caller counts last.
 */
export async function refuseReturn(
  deps: DepositPresentation & ReturnDeps,
  tx: Tx,
  payout: Payout,
): Promise<LiquidityChange[]> {
  const freed = await uncountReturns(deps, tx, [payout])
  const isReversed = await isAllReversed(tx, keyOf(payout))
  await moveDeposit(deps, tx, keyOf(payout), isReversed ? 'reverse' : 'leaveToOperator')
  return freed
}

function keyOf({ organizationId, depositId }: Payout) {
  return { organizationId, depositId: depositId ?? '' }
}
