import type { Asset, Currency } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Queryable } from '../../db/database.ts'
import { appendEvent } from '../../db/outbox/events.ts'
import { newId } from '../../lib/ids.ts'
import { changeDetails, moveTransaction } from '../change.ts'
import { recordStep } from '../change-store.ts'
import type { PayoutRow } from '../payouts/payout.ts'
import { insertPayout } from '../payouts/store.ts'
import type { TransactionLabel, TransactionRow } from '../transaction.ts'
import { type DepositRow, depositMoves, holderOf } from './deposit.ts'
import * as store from './store.ts'
import { presentDeposit } from './wire.ts'

export type Showing = { currencyOf(asset: Asset): Currency }

/** The event is the deposit as it is now, in the transaction of the change. */
export async function emitDeposit({ currencyOf }: Showing, transaction: Queryable, row: DepositRow): Promise<void> {
  const { organizationId, depositId: resourceId, version: resourceVersion } = row
  const type = resourceVersion === 1 ? 'deposit.created' : 'deposit.updated'
  const data = presentDeposit(row, currencyOf)
  await appendEvent(transaction, { organizationId, type, resourceId, resourceVersion, data })
}

/** One move of the state table with its event; undefined when somebody else came first. */
export async function moveDeposit(
  showing: Showing,
  transaction: Queryable,
  key: Parameters<typeof store.changeDeposit>[1],
  move: keyof typeof depositMoves,
  change: store.DepositChange = {},
): Promise<DepositRow | undefined> {
  const changed = await store.changeDeposit(transaction, key, depositMoves[move], change)
  if (changed) await emitDeposit(showing, transaction, changed)
  return changed
}

/** Counts a deposit towards the transaction that waits for it; once all of it is there, the workers go on. */
export async function countTowards(
  transaction: Queryable,
  row: TransactionRow,
  deposit: DepositRow,
  { amount, labels }: { amount: bigint; labels: readonly TransactionLabel[] },
): Promise<void> {
  const { depositId, externalId: sourceReferenceId, seenAt: at } = deposit
  const received = { amount, at }
  await recordStep(transaction, row, 'DEPOSIT_APPLIED', { depositId, amount: String(amount) })
  const isWhole = BigInt(row.receivedAmount) + amount === BigInt(row.sourceAmount)
  if (!isWhole) return void (await changeDetails(transaction, row, { received, labels }))
  const step = { step: 'SCREEN', dueInSeconds: 0 } as const
  const moved = await moveTransaction(transaction, row, 'receive', { ...step, received, labels, sourceReferenceId })
  if (!moved) throw new Error(`transaction ${row.transactionId} is ${row.status} and got money`)
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
  transaction: Queryable,
  deposit: DepositRow,
  { amount, paymentAccountId, customerId, ...more }: Returned,
  labels: readonly TransactionLabel[],
): Promise<void> {
  const { organizationId, depositId, transactionId, method, asset } = deposit
  await insertPayout(transaction, {
    ...{ organizationId, payoutId: newId(), transactionId, depositId, customerId, purpose: 'RETURN' },
    ...{ method, asset, amount, paymentAccountId, fromWalletId: holderOf(deposit), ...more },
  })
  if (!transactionId) return
  await recordStep(transaction, { organizationId, transactionId }, 'RETURN_OWED', { depositId, amount: String(amount) })
  await changeDetails(transaction, { organizationId, transactionId }, { labels })
}

/** What was to go back has arrived. Of a deposit that was applied it was only the rest. */
export async function finishReturn(showing: Showing, transaction: Queryable, payout: PayoutRow): Promise<void> {
  await moveDeposit(showing, transaction, keyOf(payout), 'returned')
}

/** The bank or chain would not take it back: a person decides. */
export async function refuseReturn(showing: Showing, transaction: Queryable, payout: PayoutRow): Promise<void> {
  await moveDeposit(showing, transaction, keyOf(payout), 'leaveToPerson')
}

function keyOf({ organizationId, depositId }: PayoutRow) {
  return { organizationId, depositId: depositId ?? '' }
}
