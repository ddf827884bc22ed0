import type { Asset, Currency } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/outbox/events.ts'
import { newId } from '../../lib/ids.ts'
import { changeDetails, moveTransaction } from '../change.ts'
import { recordStep } from '../change-store.ts'
import type { Payout } from '../payouts/payout.ts'
import { insertPayout } from '../payouts/store.ts'
import type { Transaction, TransactionLabel } from '../transaction.ts'
import { type Deposit, depositMoves, holderOf } from './deposit.ts'
import * as store from './store.ts'
import { presentDeposit } from './wire.ts'

export type DepositPresentation = { currencyOf(asset: Asset): Currency }

/** The event is the deposit as it is now, in the transaction of the change. */
export async function emitDeposit({ currencyOf }: DepositPresentation, tx: Tx, deposit: Deposit): Promise<void> {
  const { organizationId, depositId: resourceId, version: resourceVersion } = deposit
  const type = resourceVersion === 1 ? 'deposit.created' : 'deposit.updated'
  const data = presentDeposit(deposit, currencyOf)
  await appendEvent(tx, { organizationId, type, resourceId, resourceVersion, data })
}

/** One move of the state table with its event; undefined when somebody else came first. */
export async function moveDeposit(
  showing: DepositPresentation,
  tx: Tx,
  key: Parameters<typeof store.changeDeposit>[1],
  move: keyof typeof depositMoves,
  change: store.DepositChange = {},
): Promise<Deposit | undefined> {
  const changed = await store.changeDeposit(tx, key, depositMoves[move], change)
  if (changed) await emitDeposit(showing, tx, changed)
  return changed
}

/** Counts a deposit towards the transaction that waits for it; once all of it is there, the workers go on. */
export async function applyDeposit(
  tx: Tx,
  transaction: Transaction,
  deposit: Deposit,
  { amount, labels }: { amount: bigint; labels: readonly TransactionLabel[] },
): Promise<void> {
  const { depositId, externalId: sourceReferenceId, seenAt: at } = deposit
  const received = { amount, at }
  await recordStep(tx, transaction, 'DEPOSIT_APPLIED', { depositId, amount: String(amount) })
  const isWhole = BigInt(transaction.receivedAmount) + amount === BigInt(transaction.sourceAmount)
  if (!isWhole) return void (await changeDetails(tx, transaction, { received, labels }))
  const step = { step: 'SCREEN', dueInSeconds: 0 } as const
  const moved = await moveTransaction(tx, transaction, 'receive', { ...step, received, labels, sourceReferenceId })
  if (!moved) throw new Error(`transaction ${transaction.transactionId} is ${transaction.status} and got money`)
}

export type Returned = {
  amount: bigint
  paymentAccountId: string
  customerId: string
  /** When it goes back by another way than it came. */
  method?: PaymentMethod
  isReleased?: boolean
}

/** What goes back of a deposit: to a registered account, and with the transaction that it was meant for. */
export async function oweReturn(
  tx: Tx,
  deposit: Deposit,
  { amount, paymentAccountId, customerId, ...more }: Returned,
  labels: readonly TransactionLabel[],
): Promise<void> {
  const { organizationId, depositId, transactionId, method, asset } = deposit
  await insertPayout(tx, {
    organizationId,
    payoutId: newId(),
    transactionId,
    depositId,
    customerId,
    purpose: 'RETURN',
    method,
    asset,
    amount,
    paymentAccountId,
    fromWalletId: holderOf(deposit),
    ...more,
  })
  if (!transactionId) return
  await recordStep(tx, { organizationId, transactionId }, 'RETURN_OWED', { depositId, amount: String(amount) })
  await changeDetails(tx, { organizationId, transactionId }, { labels })
}

/** What was to go back has arrived. Of a deposit that was applied it was only the rest. */
export async function finishReturn(showing: DepositPresentation, tx: Tx, payout: Payout): Promise<void> {
  await moveDeposit(showing, tx, keyOf(payout), 'returned')
}

/** The bank or chain would not take it back: a person decides. */
export async function refuseReturn(showing: DepositPresentation, tx: Tx, payout: Payout): Promise<void> {
  await moveDeposit(showing, tx, keyOf(payout), 'leaveToReviewer')
}

function keyOf({ organizationId, depositId }: Payout) {
  return { organizationId, depositId: depositId ?? '' }
}
