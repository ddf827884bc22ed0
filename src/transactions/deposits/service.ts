import { isFiat, type Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../../lib/pages.ts'
import { notFound } from '../../lib/refusal.ts'
import { requirePosted } from '../change.ts'
import { lockTransaction, readCustomerStatus } from '../change-store.ts'
import type { Screening } from '../screening/screening.ts'
import type { Transaction } from '../transaction.ts'
import type { AutoTransaction } from './auto-transaction.ts'
import { arrivalBookings, resolutionBookings } from './bookings.ts'
import { countTowards, type DepositPresentation, emitDeposit, moveDeposit, oweReturn } from './change.ts'
import {
  type Deposit,
  type DepositStatus,
  type Disposition,
  disposeOf,
  type Place,
  type Settlement,
  type Sighting,
} from './deposit.ts'
import * as sightings from './sighting-store.ts'
import * as store from './store.ts'
import { presentDeposit } from './wire.ts'

export type DepositDeps = DepositPresentation & {
  database: Database
  pages: Pages
  ledger: LedgerService
  screening: Screening<Queryable>
  createAutoTransaction: AutoTransaction
  onFailure(error: unknown): void
  onPoint(point: string): void
}

export type DepositService = ReturnType<typeof createDepositService>
export type DepositView = ReturnType<typeof presentDeposit>

const minute = 60

/** Money that comes in: recognized, counted, held, given back, and never lost. */
export function createDepositService(deps: DepositDeps) {
  const { database, pages } = deps
  const show = (deposit: Deposit): DepositView => presentDeposit(deposit, deps.currencyOf)
  return {
    /** Told by whoever watches a bank or a chain; the same twice is once. */
    recordSighting: (tx: Tx, sighting: Omit<Sighting, 'seenAt'>): Promise<void> =>
      sightings.recordSighting(tx, sighting),

    /** Every sighting becomes a deposit. */
    receiveDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await sightings.claimSightings(database, { limit, leaseMs })
      if (claimed.length > 0) deps.onPoint('sightings claimed')
      for (const sighting of claimed) {
        await guarded(
          deps,
          () => receive(deps, sighting),
          () => sightings.postponeSighting(database, sighting, minute),
        )
        deps.onPoint('sighting advanced')
      }
      return claimed.length
    },

    /** Those that were HELD go on as soon as they may. */
    releaseDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimDeposits(database, { limit, leaseMs })
      if (claimed.length > 0) deps.onPoint('held deposits claimed')
      for (const deposit of claimed) {
        await guarded(
          deps,
          () => release(deps, deposit),
          () => store.postponeDeposit(database, deposit, minute),
        )
        deps.onPoint('held deposit advanced')
      }
      return claimed.length
    },

    list: async (
      caller: Caller,
      filter: store.DepositFilter & { organizationId?: string },
      request: PageRequest,
    ): Promise<Page<DepositView>> => {
      const wanted = filter.organizationId?.toLowerCase()
      const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
      const page = await pages.read(
        { list: 'deposits', filters: { for: caller.organizationId, ...filter } },
        request,
        (slice) => store.listDeposits(database, organizationIds, filter, slice),
        (deposit) => deposit.depositId,
      )
      return { ...page, items: page.items.map(show) }
    },

    read: async (caller: Caller, depositId: string): Promise<DepositView> =>
      show(await findDeposit(deps, caller, depositId)),

    find: (caller: Caller, depositId: string): Promise<Deposit> => findDeposit(deps, caller, depositId),

    show,
  }
}

async function findDeposit({ database }: DepositDeps, caller: Caller, depositId: string): Promise<Deposit> {
  const found = await store.findDeposit(database, caller.organizationIds, depositId)
  if (!found) throw notFound()
  return found
}

/** One that cannot be dealt with keeps back no other. */
async function guarded(
  { onFailure }: DepositDeps,
  work: () => Promise<void>,
  postpone: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof LeaseLost) return
    onFailure(error)
    await postpone()
  }
}

const firstStatus: Readonly<Record<Disposition['type'], DepositStatus>> = {
  ...{ UNMATCHED: 'UNMATCHED', HOLD: 'HELD', CREDIT: 'CREDITED', APPLY: 'APPLIED', RETURN: 'RETURNING' },
}

async function receive(deps: DepositDeps, sighting: sightings.ClaimedSighting): Promise<void> {
  const { fence: _, virtualAccountId: _virtual, senderAccountId: _sender, ...seen } = sighting
  const kind = isFiat(sighting.asset) ? null : kindOf(sighting.method as Network)
  await deps.database.inTx(async (tx) => {
    await sightings.finishSighting(tx, sighting)
    const target = await sightings.findTarget(tx, sighting, kind)
    const owner = {
      organizationId: target?.organizationId ?? platformOrganizationId,
      customerId: target?.customerId ?? null,
      paymentAccountId: target?.paymentAccountId ?? null,
      transactionId: target?.transactionId ?? null,
    }
    const place = placeOf(target?.paymentAccountType ?? null)
    const { disposition, transaction } = await dispose(deps, tx, { ...seen, ...owner }, place)
    owner.transactionId = transaction?.transactionId ?? null
    const isApplied = disposition.type === 'APPLY'
    const deposit = await store.insertDeposit(tx, {
      ...{ ...seen, ...owner, depositId: newId(), status: firstStatus[disposition.type] },
      appliedAmount: isApplied ? disposition.amount : 0n,
      labels: 'labels' in disposition ? [...disposition.labels] : [],
      againInSeconds: disposition.type === 'HOLD' ? minute : null,
    })
    if (!deposit) return
    requirePosted(await deps.ledger.post(tx, arrivalBookings(deposit, disposition)))
    await emitDeposit(deps, tx, deposit)
    await follow(tx, deposit, disposition, transaction)
    deps.onPoint('deposit about to be committed')
  })
}

function placeOf(paymentAccountType: string | null): Place {
  if (paymentAccountType === 'SVC_CRYPTO_WALLET') return 'WALLET'
  return paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT' ? 'AUTO_ACCOUNT' : 'ELSEWHERE'
}

type Known = Pick<
  Deposit,
  | ('organizationId' | 'customerId' | 'transactionId' | 'paymentAccountId' | 'asset' | 'amount' | 'isSenderBlocked')
  | ('method' | 'book' | 'externalId' | 'seenAt')
>

/** With the transaction locked, so that an end of its time, a cancellation and another deposit come before or after. */
async function dispose(deps: DepositDeps, tx: Tx, deposit: Known, place: Place) {
  const { organizationId, customerId, paymentAccountId } = deposit
  const mayMove =
    !deposit.isSenderBlocked &&
    customerId !== null &&
    (await readCustomerStatus(tx, { organizationId, customerId })) === 'ACTIVE' &&
    !(await deps.screening.isBlocked(tx, organizationId, customerId))
  const isOwnCause = place === 'AUTO_ACCOUNT' && mayMove && paymentAccountId !== null && !deposit.transactionId
  const transactionId = isOwnCause
    ? await deps.createAutoTransaction(tx, { ...deposit, customerId, paymentAccountId })
    : deposit.transactionId
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  const canReturn =
    transaction !== undefined && (await store.isActiveAccount(tx, organizationId, transaction.sourcePaymentAccountId))
  const disposition = disposeOf({ deposit, place, transaction: transaction, mayMove, canReturn })
  return { disposition, transaction }
}

/** What a deposit does to its transaction, and what is owed because of it. */
async function follow(
  tx: Tx,
  deposit: Deposit,
  disposition: Disposition,
  transaction: Transaction | undefined,
): Promise<void> {
  if (!transaction || (disposition.type !== 'APPLY' && disposition.type !== 'RETURN')) return
  const applied = disposition.type === 'APPLY' ? disposition.amount : 0n
  if (disposition.type === 'APPLY') await countTowards(tx, transaction, deposit, disposition)
  const amount = BigInt(deposit.amount) - applied
  if (amount === 0n) return
  const { sourcePaymentAccountId: paymentAccountId, customerId } = transaction
  await oweReturn(tx, deposit, { amount, paymentAccountId, customerId }, disposition.labels)
}

async function release(deps: DepositDeps, held: store.ClaimedDeposit): Promise<void> {
  await deps.database.inTx(async (tx) => {
    const { organizationId, paymentAccountId, transactionId } = held
    const type = paymentAccountId && (await store.readAccountType(tx, organizationId, paymentAccountId))
    const place = transactionId === null ? placeOf(type) : 'ELSEWHERE'
    const { disposition, transaction } = await dispose(deps, tx, held, place)
    if (disposition.type === 'HOLD') return store.postponeDeposit(tx, held, minute)
    await settle(deps, tx, held, disposition, transaction)
    deps.onPoint('held deposit about to be committed')
  })
}

const moves = { UNMATCHED: 'leaveToReviewer', CREDIT: 'credit', APPLY: 'apply', RETURN: 'oweReturn' } as const

/** Out of suspense: as the policy says, or as a person decided. */
export async function settle(
  deps: DepositDeps,
  tx: Tx,
  deposit: Deposit & { fence?: string },
  disposition: Settlement,
  transaction: Transaction | undefined,
): Promise<Deposit> {
  const { type } = disposition
  const applied = disposition.type === 'APPLY' ? disposition.amount : 0n
  const changed = await moveDeposit(deps, tx, deposit, moves[type], {
    ...('labels' in disposition ? { labels: disposition.labels } : {}),
    ...(applied > 0n ? { appliedAmount: applied } : {}),
    ...(transaction && type !== 'CREDIT' ? { transactionId: transaction.transactionId } : {}),
  })
  if (!changed) throw new LeaseLost('somebody else decided about this deposit')
  const { paymentAccountId: wallet } = changed
  if (type === 'CREDIT' && wallet) {
    requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, { wallet })))
  }
  if (applied > 0n) {
    requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, { appliedAmount: applied })))
  }
  await follow(tx, changed, disposition, transaction)
  return changed
}
