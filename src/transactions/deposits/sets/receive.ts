import { isFiat, type Network } from '../../../catalog/currencies.ts'
import { kindOf } from '../../../catalog/network-kinds.ts'
import type { Database, Queryable, Tx } from '../../../db/database.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { newId } from '../../../lib/ids.ts'
import { emitTransactions, requirePosted } from '../../change.ts'
import { lockTransactions } from '../../payouts/settlement-store.ts'
import { findUnblocked } from '../../screening/unblocked.ts'
import type { Transaction } from '../../transaction.ts'
import { arrivalBookings } from '../bookings.ts'
import { type DepositPresentation, emitDeposits } from '../change.ts'
import { chooseDisposition, placeOf } from '../deposit.ts'
import { findSenderMatches, isSenderUnknown, type SenderDeps } from '../sender.ts'
import { isDust } from '../sightings/dust.ts'
import type { ClaimedSighting } from '../sightings/store.ts'
import * as store from './receive-store.ts'

export type ReceiveSetDeps = SenderDeps &
  DepositPresentation & {
    database: Database
    ledger: LedgerService
    isSuspended(organizationId: string, within: Queryable): Promise<boolean>
    onPoint(point: string): void
  }

/**
 * Creates the deposits of those claimed sightings that need no decision: the whole amount that a transaction awaits, or
 * tokens for a service wallet, with nothing against sender or customer. Answers the others, which the caller receives one
 * by one. All or nothing: when it throws, nothing has changed. Locks in one order, each sorted: sightings, accounts,
 * transactions, the ledger's rows.
 */
export async function receiveTogether(
  deps: ReceiveSetDeps,
  claimed: readonly ClaimedSighting[],
): Promise<readonly ClaimedSighting[]> {
  const plain: ClaimedSighting[] = []
  for (const sighting of claimed) if (await isPlain(deps, sighting)) plain.push(sighting)
  if (plain.length < 2) return claimed
  const received = await deps.database.inTx(async (tx) => {
    const arrivals = await findArrivals(deps, tx, plain)
    if (arrivals.length > 0) await receive(deps, tx, arrivals)
    for (const _ of arrivals) deps.onPoint('deposit about to be committed')
    return new Set(arrivals.map(({ sighting }) => sighting))
  })
  return claimed.filter((sighting) => !received.has(sighting))
}

/** True for a transfer large enough whose sender is known, expected and on no list. */
async function isPlain(deps: ReceiveSetDeps, sighting: ClaimedSighting): Promise<boolean> {
  if (isDust(sighting) || sighting.isSenderMismatch || sighting.sealedSender !== null) return false
  if (await isSenderUnknown(deps, sighting, sighting)) return false
  return (await findSenderMatches(deps, sighting, sighting)).length === 0
}

async function findArrivals(deps: ReceiveSetDeps, tx: Tx, plain: readonly ClaimedSighting[]): Promise<store.Arrival[]> {
  const held = await store.lockSightings(tx, plain)
  const kindOfSighting = ({ asset, method }: ClaimedSighting) => (isFiat(asset) ? null : kindOf(method as Network))
  const owners = await store.findOwners(tx, held, held.map(kindOfSighting))
  const owned = held.flatMap((sighting, at) => {
    const owner = owners.get(at)
    return owner ? [{ sighting, owner, ...owner }] : []
  })
  const accounts = await store.lockAccounts(tx, [...owners.values()])
  const cleared = await findUnblocked(deps.screening, tx, await store.findCleared(tx, owned))
  const suspended = await findSuspended(deps, tx, cleared)
  const free = cleared.filter(({ organizationId }) => !suspended.has(organizationId))
  const awaited = free.filter(({ transactionId }) => transactionId !== null)
  const transactions = new Map((await lockTransactions(tx, awaited)).map((each) => [each.transactionId, each]))
  const payments = Map.groupBy(held, (_, at) => owners.get(at)?.transactionId)
  return free.flatMap(({ sighting, owner }) => {
    const { transactionId, paymentAccountId } = owner
    const transaction = transactions.get(transactionId ?? '')
    // Several payments of one transaction count one after the other.
    const isAlone = transactionId === null || payments.get(transactionId)?.length === 1
    const disposition = isAlone && decide(sighting, accounts.get(paymentAccountId ?? ''), owner, transaction)
    return disposition ? [{ sighting, owner, depositId: newId(), disposition, transaction }] : []
  })
}

/** Decides about a cleared arrival; undefined when it is not the whole of a transaction, nor tokens of a wallet. */
function decide(
  { asset, amount, observedAt: seenAt, method }: ClaimedSighting,
  account: store.LockedAccount | undefined,
  { transactionId }: store.Owner,
  transaction: Transaction | undefined,
): store.Arrival['disposition'] | undefined {
  const place = placeOf(account)
  if (place === 'AUTO_ACCOUNT' || (transactionId !== null && transaction === undefined)) return undefined
  const isExpectedHolding = transaction?.sourceMethod === method
  const facts = { deposit: { asset, amount, seenAt }, place, transaction, isExpectedHolding }
  const disposition = chooseDisposition({ ...facts, isCleared: true, isReturnable: false })
  if (disposition.type === 'CREDIT') return transaction === undefined ? { type: 'CREDIT' } : undefined
  if (disposition.type !== 'APPLY' || !transaction || disposition.labels.length > 0) return undefined
  const isWhole = BigInt(transaction.receivedAmount) + disposition.amount === BigInt(transaction.sourceAmount)
  return isWhole && disposition.amount === BigInt(amount) ? disposition : undefined
}

async function findSuspended(
  { isSuspended }: ReceiveSetDeps,
  tx: Tx,
  rows: readonly { organizationId: string }[],
): Promise<Set<string>> {
  const suspended = new Set<string>()
  for (const organizationId of new Set(rows.map((row) => row.organizationId))) {
    if (await isSuspended(organizationId, tx)) suspended.add(organizationId)
  }
  return suspended
}

/** Creates the deposits, posts them, and counts them towards their transactions, which a worker executes next. */
async function receive(deps: ReceiveSetDeps, tx: Tx, arrivals: readonly store.Arrival[]): Promise<void> {
  await store.finishSightings(
    tx,
    arrivals.map(({ sighting }) => sighting),
  )
  const inserted = await store.insertDeposits(tx, arrivals)
  const byId = new Map(inserted.map((deposit) => [deposit.depositId, deposit]))
  const created = arrivals.map((arrival) => {
    const deposit = byId.get(arrival.depositId)
    if (!deposit) throw new Error(`the deposit of ${arrival.sighting.externalId} exists already`)
    return { ...arrival, deposit }
  })
  const bookings = created.flatMap(({ deposit, disposition }) => arrivalBookings(deposit, disposition))
  requirePosted(await deps.ledger.post(tx, bookings))
  await emitDeposits(
    deps,
    tx,
    created.map(({ deposit }) => deposit),
  )
  const applied = created.flatMap(({ deposit, transaction }) => (transaction ? [{ deposit, transaction }] : []))
  if (applied.length === 0) return
  const moved = await store.receiveTransactions(tx, applied)
  if (moved.length < applied.length) throw new Error('a transaction of the set cannot receive its deposit')
  await emitTransactions(tx, moved)
}
