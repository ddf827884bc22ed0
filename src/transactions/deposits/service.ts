import type { Queryable, Tx } from '../../db/database.ts'
import { startRound } from '../../db/fair-claims.ts'
import { advanceDue, LeaseLost } from '../../db/work.ts'
import { anyDue } from '../../db/workers/due.ts'
import { advanceDueTogether } from '../../db/workers/sets.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import { notFound } from '../../lib/refusal.ts'
import { requirePosted } from '../change.ts'
import { lockTransaction, readCustomerStatus } from '../change-store.ts'
import { mayGoBack } from '../refunds/policy.ts'
import { findRefundDestination, type RefundDestination } from '../refunds/refund-account.ts'
import type { Transaction } from '../transaction.ts'
import { isSameHolding } from '../treasury/bank-account-store.ts'
import type { AutoTransaction } from './auto-transaction.ts'
import { arrivalBookings, resolutionBookings } from './bookings.ts'
import { applyDeposit, createReturn, emitDeposit, moveDeposit } from './change.ts'
import {
  chooseDisposition,
  type Deposit,
  type DepositPlace,
  type Disposition,
  firstStatus,
  leftOf,
  placeOf,
  type Settlement,
} from './deposit.ts'
import { blockSender, postponeHeld } from './held-store.ts'
import { createDepositReads, type DepositReadDeps } from './reads.ts'
import { changeRecalls } from './recalls/note.ts'
import { isRecalled } from './recalls/shown-store.ts'
import type { RecalledPayment } from './recalls/store.ts'
import type { Reversal, ReversalReport } from './reversals/reversal.ts'
import { reverseDeposit } from './reversals/reverse.ts'
import { findSenderMatches, isSenderUnknown, recordSender, type SenderDeps } from './sender.ts'
import { receiveTogether } from './sets/receive.ts'
import { listInBlocks } from './sightings/block-store.ts'
import { hashDetails } from './sightings/details-hash.ts'
import { setAsideDust } from './sightings/dust.ts'
import { countDust } from './sightings/dust-store.ts'
import { createSightingRecorder, findOwner, type SightingDeps } from './sightings/record.ts'
import { findSender } from './sightings/sender-store.ts'
import * as sightings from './sightings/store.ts'
import * as store from './store.ts'

export type DepositDeps = DepositReadDeps &
  SightingDeps &
  SenderDeps & {
    ledger: LedgerService
    createAutoTransaction: AutoTransaction
    isSuspended(organizationId: string, within: Queryable): Promise<boolean>
    hashKey: Buffer
    onFailure(error: unknown): void
    /** Reports a set that was rolled back, before its deposits are received one by one. */
    onSetFailure(error: unknown): void
    onPoint(point: string): void
  }

export type DepositService = ReturnType<typeof createDepositService>

const minute = 60

type ChangeRecalls = [tx: Tx, payments: readonly RecalledPayment[], change: () => Promise<void>]

/** Turns every sighting of incoming money into a deposit: applied, credited, held, returned or left to an operator. */
export function createDepositService(deps: DepositDeps) {
  const { database } = deps
  const rounds = { sightings: startRound(), held: startRound() }
  const memory = { isDoubted: false }
  return {
    ...createDepositReads(deps),

    /** Hashes the text and the sender's name of a bank entry, which are not stored. */
    hashDetails: (text = '', senderName = ''): Buffer => hashDetails(deps.hashKey, [text, senderName]),

    ...createSightingRecorder(deps),
    /** Lists the transfers of a network that the watcher has seen in a range of blocks. */
    listInBlocks,

    /** Records that a bank or chain took a deposit back. */
    reverse: (tx: Tx, report: ReversalReport): Promise<Reversal> => reverseDeposit(deps, tx, report),

    /** Shows a recall of a bank on its deposits. */
    changeRecalls: (...args: ChangeRecalls) => changeRecalls(deps, ...args),

    due: anyDue(sightings.dueSightings, store.dueDeposits),

    /** Creates the deposits of due sightings. */
    receiveDue: (limit: number, leaseMs: number): Promise<number> =>
      advanceDueTogether({
        claim: () => sightings.claimSightings(database, { limit, leaseMs }, rounds.sightings),
        advanceTogether: (claimed) => receiveTogether(deps, claimed),
        onSetFailure: deps.onSetFailure,
        leaseMs,
        memory,
        advance: (sighting) => receive(deps, sighting),
        postpone: (sighting) => sightings.postponeSighting(database, sighting, minute),
        onFailure: deps.onFailure,
        onClaimed: () => deps.onPoint('sightings claimed'),
        onAdvanced: () => deps.onPoint('sighting advanced'),
      }),

    /** Re-checks HELD deposits and settles those that are no longer blocked. */
    releaseDue: (limit: number, leaseMs: number): Promise<number> =>
      advanceDue({
        claim: () => store.claimDeposits(database, { limit, leaseMs }, rounds.held),
        advance: (deposit) => release(deps, deposit),
        postpone: (deposit) => store.postponeDeposit(database, deposit, minute),
        onFailure: deps.onFailure,
        onClaimed: () => deps.onPoint('held deposits claimed'),
        onAdvanced: () => deps.onPoint('held deposit advanced'),
      }),

    /** Counts transfers that wait because they are too small for a deposit. */
    countDust: (): Promise<number> => countDust(database),

    find: (caller: Caller, depositId: string, reader: Queryable = database): Promise<Deposit> =>
      findDeposit(reader, caller, depositId),
  }
}

async function findDeposit(reader: Queryable, caller: Caller, depositId: string): Promise<Deposit> {
  const found = await store.findDeposit(reader, caller.organizationIds, depositId)
  if (!found) throw notFound()
  return found
}

async function receive(deps: DepositDeps, sighting: sightings.ClaimedSighting): Promise<void> {
  const {
    fence: _,
    dust: _dust,
    virtualAccountId: _virtual,
    senderAccountId: _sender,
    observedAt: seenAt,
    ...content
  } = sighting
  const isUnknown = await isSenderUnknown(deps, sighting, sighting)
  const senderMatches = await findSenderMatches(deps, sighting, sighting)
  const seen = { ...content, seenAt, isSenderBlocked: senderMatches.length > 0 }
  await deps.database.inTx(async (tx) => {
    if (await setAsideDust(tx, sighting)) return
    await sightings.finishSighting(tx, sighting)
    await recordSender(tx, sighting, sighting, { senderMatches, isUnknown })
    const found = await findOwner(tx, sighting)
    const owner = {
      organizationId: found?.organizationId ?? platformOrganizationId,
      customerId: found?.customerId ?? null,
      paymentAccountId: found?.paymentAccountId ?? null,
      transactionId: found?.transactionId ?? null,
    }
    const place = placeOf(await store.lockAccount(tx, owner.organizationId, owner.paymentAccountId))
    const { disposition, transaction, returnTo } = await decideDisposition(
      deps,
      tx,
      { ...seen, ...owner, isUnknown },
      place,
    )
    owner.transactionId = transaction?.transactionId ?? null
    const isApplied = disposition.type === 'APPLY'
    const deposit = await store.insertDeposit(tx, {
      ...seen,
      ...owner,
      depositId: newId(),
      status: firstStatus[disposition.type],
      appliedAmount: isApplied ? disposition.amount : 0n,
      labels: 'labels' in disposition ? [...disposition.labels] : [],
      // Only a reviewer releases the deposit of a listed sender.
      recheckInSeconds: disposition.type === 'HOLD' && !seen.isSenderBlocked ? minute : null,
    })
    if (!deposit) return
    requirePosted(await deps.ledger.post(tx, arrivalBookings(deposit, disposition)))
    await emitDeposit(deps, tx, deposit)
    await applyToTransaction(tx, deposit, disposition, { transaction, returnTo })
    deps.onPoint('deposit about to be committed')
  })
}

type DepositFacts = Pick<
  Deposit,
  | ('organizationId' | 'customerId' | 'transactionId' | 'paymentAccountId' | 'asset' | 'amount' | 'isSenderBlocked')
  | ('method' | 'book' | 'externalId' | 'seenAt' | 'isSenderMismatch')
> & { isUnknown?: boolean }

/** Decides where a deposit goes. Locks its transaction against expiry, cancellation and other deposits. */
async function decideDisposition(deps: DepositDeps, tx: Tx, deposit: DepositFacts, place: DepositPlace) {
  const { organizationId, customerId, paymentAccountId } = deposit
  const isCleared =
    !deposit.isSenderBlocked &&
    !deposit.isUnknown &&
    !deposit.isSenderMismatch &&
    !(await isRecalled(tx, deposit)) &&
    customerId !== null &&
    (await readCustomerStatus(tx, { organizationId, customerId })) === 'ACTIVE' &&
    !(await deps.screening.isBlocked(tx, organizationId, customerId)) &&
    !(await deps.isSuspended(organizationId, tx))
  const needsTransaction = place === 'AUTO_ACCOUNT' && isCleared && paymentAccountId !== null && !deposit.transactionId
  const transactionId = needsTransaction
    ? await deps.createAutoTransaction(tx, { ...deposit, customerId, paymentAccountId })
    : deposit.transactionId
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  const returnTo = transaction && (await findReturnDestination(tx, deposit, transaction))
  const isReturnable = returnTo !== undefined
  const isExpectedHolding =
    transaction !== undefined && (await isSameHolding(tx, deposit.method, transaction.sourceMethod))
  const disposition = chooseDisposition({ deposit, place, transaction, isCleared, isReturnable, isExpectedHolding })
  return { disposition, transaction, returnTo }
}

/** A transaction, and the destination of money that it returns; undefined while its source account cannot take it. */
export type ReturningTransaction = { transaction: Transaction | undefined; returnTo: RefundDestination | undefined }

/** Finds how money of a deposit returns to the source account of its transaction. */
export function findReturnDestination(
  tx: Tx,
  { asset }: Pick<Deposit, 'asset'>,
  transaction: Transaction,
): Promise<RefundDestination | undefined> {
  return findRefundDestination(tx, transaction, asset, transaction.sourcePaymentAccountId)
}

/** Counts the deposit towards its transaction, and owes the customer a return of the excess. */
async function applyToTransaction(
  tx: Tx,
  deposit: Deposit,
  disposition: Disposition,
  { transaction, returnTo }: ReturningTransaction,
): Promise<void> {
  if (!transaction || (disposition.type !== 'APPLY' && disposition.type !== 'RETURN')) return
  const applied = disposition.type === 'APPLY' ? disposition.amount : 0n
  if (disposition.type === 'APPLY') await applyDeposit(tx, transaction, deposit, disposition)
  const amount = leftOf(deposit) - applied
  if (amount === 0n) return
  const { sourcePaymentAccountId: paymentAccountId, customerId } = transaction
  const to = returnTo ?? { paymentAccountId, method: deposit.method }
  // An operator may have applied money of another payer.
  const status = returnTo && (await mayGoBack(tx, deposit, paymentAccountId)) ? 'WAITING' : 'REFUSED'
  await createReturn(tx, deposit, { amount, customerId, to, status }, disposition.labels)
}

async function release(deps: DepositDeps, held: store.ClaimedDeposit): Promise<void> {
  const sender = await findSender(deps.database, held)
  if (await isSenderUnknown(deps, held, sender)) return store.postponeDeposit(deps.database, held, minute)
  // A newer list, or a review that could not be opened before, may block the sender now.
  const senderMatches = await findSenderMatches(deps, held, sender)
  await deps.database.inTx(async (tx) => {
    await recordSender(tx, held, sender, { senderMatches, isUnknown: false })
    if (senderMatches.length > 0) return blockSender(tx, held)
    const { organizationId, paymentAccountId, transactionId } = held
    const account = await store.lockAccount(tx, organizationId, paymentAccountId)
    const place = transactionId === null ? placeOf(account) : 'ELSEWHERE'
    const left = { ...held, amount: String(leftOf(held)) }
    const { disposition, ...target } = await decideDisposition(deps, tx, left, place)
    if (disposition.type === 'HOLD') return postponeHeld(tx, held)
    await settleDeposit(deps, tx, held, disposition, target)
    deps.onPoint('held deposit about to be committed')
  })
}

const moves = { UNMATCHED: 'leaveToOperator', CREDIT: 'credit', APPLY: 'apply', RETURN: 'startReturn' } as const

/** Moves a deposit out of suspense, as the policy or an operator decided. */
export async function settleDeposit(
  deps: DepositDeps,
  tx: Tx,
  deposit: Deposit & { fence?: string },
  disposition: Settlement,
  target: ReturningTransaction,
): Promise<Deposit> {
  const { type } = disposition
  const { transaction } = target
  const applied = disposition.type === 'APPLY' ? disposition.amount : 0n
  const changed = await moveDeposit(deps, tx, deposit, moves[type], {
    ...('labels' in disposition ? { labels: disposition.labels } : {}),
    ...(applied > 0n ? { appliedAmount: applied } : {}),
    ...(transaction && type !== 'CREDIT' ? { transactionId: transaction.transactionId } : {}),
  })
  if (!changed) throw new LeaseLost('another worker or an operator settled this deposit first')
  const { paymentAccountId: wallet } = changed
  if (type === 'CREDIT' && wallet) {
    requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, { wallet })))
  }
  if (applied > 0n) {
    requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, { appliedAmount: applied })))
  }
  await applyToTransaction(tx, changed, disposition, target)
  return changed
}
