import { isFiat, type Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../../lib/pages.ts'
import { notFound } from '../../lib/refusal.ts'
import { requirePosted } from '../change.ts'
import { lockTransaction, readCustomerStatus } from '../change-store.ts'
import type { Screening } from '../screening/screening.ts'
import type { TransactionRow } from '../transaction.ts'
import type { AutoTransaction } from './auto-transaction.ts'
import { arrivalBookings, resolutionBookings } from './bookings.ts'
import { countTowards, emitDeposit, moveDeposit, oweReturn, type Showing } from './change.ts'
import {
  type DepositRow,
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

export type DepositOptions = Showing & {
  database: Database
  pages: Pages
  ledger: LedgerService
  screening: Screening<Queryable>
  makeAutoTransaction: AutoTransaction
  onFailure(error: unknown): void
  onPoint(point: string): void
}

export type DepositService = ReturnType<typeof makeDeposits>
export type DepositView = ReturnType<typeof presentDeposit>

const minute = 60

/** Money that comes in: recognized, counted, held, given back, and never lost. */
export function makeDeposits(options: DepositOptions) {
  const { database, pages } = options
  const show = (row: DepositRow): DepositView => presentDeposit(row, options.currencyOf)
  return {
    /** Told by whoever watches a bank or a chain; the same twice is once. */
    recordSighting: (transaction: Queryable, sighting: Omit<Sighting, 'seenAt'>): Promise<void> =>
      sightings.recordSighting(transaction, sighting),

    /** Every sighting becomes a deposit. */
    receiveDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await sightings.claimSightings(database, { limit, leaseMs })
      if (claimed.length > 0) options.onPoint('sightings claimed')
      for (const sighting of claimed) {
        await guarded(
          options,
          () => receive(options, sighting),
          () => sightings.postponeSighting(database, sighting, minute),
        )
        options.onPoint('sighting carried on')
      }
      return claimed.length
    },

    /** Those that were HELD go on as soon as they may. */
    releaseDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimDeposits(database, { limit, leaseMs })
      if (claimed.length > 0) options.onPoint('held deposits claimed')
      for (const deposit of claimed) {
        await guarded(
          options,
          () => release(options, deposit),
          () => store.postponeDeposit(database, deposit, minute),
        )
        options.onPoint('held deposit carried on')
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
        (row) => row.depositId,
      )
      return { ...page, items: page.items.map(show) }
    },

    read: async (caller: Caller, depositId: string): Promise<DepositView> =>
      show(await findDeposit(options, caller, depositId)),

    find: (caller: Caller, depositId: string): Promise<DepositRow> => findDeposit(options, caller, depositId),

    show,
  }
}

async function findDeposit({ database }: DepositOptions, caller: Caller, depositId: string): Promise<DepositRow> {
  const found = await store.findDeposit(database, caller.organizationIds, depositId)
  if (!found) throw notFound()
  return found
}

/** One that cannot be dealt with keeps back no other. */
async function guarded(
  { onFailure }: DepositOptions,
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

async function receive(options: DepositOptions, sighting: sightings.ClaimedSighting): Promise<void> {
  const { fence: _, virtualAccountId: _virtual, senderAccountId: _sender, ...seen } = sighting
  const kind = isFiat(sighting.asset) ? null : kindOf(sighting.method as Network)
  await options.database.transaction(async (transaction) => {
    await sightings.finishSighting(transaction, sighting)
    const target = await sightings.findTarget(transaction, sighting, kind)
    const owner = {
      organizationId: target?.organizationId ?? platformOrganizationId,
      customerId: target?.customerId ?? null,
      paymentAccountId: target?.paymentAccountId ?? null,
      transactionId: target?.transactionId ?? null,
    }
    const place = placeOf(target?.paymentAccountType ?? null)
    const { disposition, row } = await dispose(options, transaction, { ...seen, ...owner }, place)
    owner.transactionId = row?.transactionId ?? null
    const isApplied = disposition.type === 'APPLY'
    const deposit = await store.insertDeposit(transaction, {
      ...{ ...seen, ...owner, depositId: newId(), status: firstStatus[disposition.type] },
      appliedAmount: isApplied ? disposition.amount : 0n,
      labels: 'labels' in disposition ? [...disposition.labels] : [],
      againInSeconds: disposition.type === 'HOLD' ? minute : null,
    })
    if (!deposit) return
    requirePosted(await options.ledger.post(transaction, arrivalBookings(deposit, disposition)))
    await emitDeposit(options, transaction, deposit)
    await follow(transaction, deposit, disposition, row)
    options.onPoint('deposit about to be committed')
  })
}

function placeOf(paymentAccountType: string | null): Place {
  if (paymentAccountType === 'SVC_CRYPTO_WALLET') return 'WALLET'
  return paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT' ? 'AUTO_ACCOUNT' : 'ELSEWHERE'
}

type Known = Pick<
  DepositRow,
  | ('organizationId' | 'customerId' | 'transactionId' | 'paymentAccountId' | 'asset' | 'amount' | 'isSenderBlocked')
  | ('method' | 'book' | 'externalId' | 'seenAt')
>

/** With the transaction locked, so that an end of its time, a cancellation and another deposit come before or after. */
async function dispose(options: DepositOptions, transaction: Queryable, deposit: Known, place: Place) {
  const { organizationId, customerId, paymentAccountId } = deposit
  const mayMove =
    !deposit.isSenderBlocked &&
    customerId !== null &&
    (await readCustomerStatus(transaction, { organizationId, customerId })) === 'ACTIVE' &&
    !(await options.screening.isBlocked(transaction, organizationId, customerId))
  const isOwnCause = place === 'AUTO_ACCOUNT' && mayMove && paymentAccountId !== null && !deposit.transactionId
  const transactionId = isOwnCause
    ? await options.makeAutoTransaction(transaction, { ...deposit, customerId, paymentAccountId })
    : deposit.transactionId
  const row = transactionId ? await lockTransaction(transaction, { organizationId, transactionId }) : undefined
  const canReturn =
    row !== undefined && (await store.isActiveAccount(transaction, organizationId, row.sourcePaymentAccountId))
  const disposition = disposeOf({ deposit, place, transaction: row, mayMove, canReturn })
  return { disposition, row }
}

/** What a deposit does to its transaction, and what is owed because of it. */
async function follow(
  transaction: Queryable,
  deposit: DepositRow,
  disposition: Disposition,
  row: TransactionRow | undefined,
): Promise<void> {
  if (!row || (disposition.type !== 'APPLY' && disposition.type !== 'RETURN')) return
  const applied = disposition.type === 'APPLY' ? disposition.amount : 0n
  if (disposition.type === 'APPLY') await countTowards(transaction, row, deposit, disposition)
  const amount = BigInt(deposit.amount) - applied
  if (amount === 0n) return
  const { sourcePaymentAccountId: paymentAccountId, customerId } = row
  await oweReturn(transaction, deposit, { amount, paymentAccountId, customerId }, disposition.labels)
}

async function release(options: DepositOptions, held: store.ClaimedDeposit): Promise<void> {
  await options.database.transaction(async (transaction) => {
    const { organizationId, paymentAccountId, transactionId } = held
    const type = paymentAccountId && (await store.readAccountType(transaction, organizationId, paymentAccountId))
    const place = transactionId === null ? placeOf(type) : 'ELSEWHERE'
    const { disposition, row } = await dispose(options, transaction, held, place)
    if (disposition.type === 'HOLD') return store.postponeDeposit(transaction, held, minute)
    await settle(options, transaction, held, disposition, row)
    options.onPoint('held deposit about to be committed')
  })
}

const moves = { UNMATCHED: 'leaveToPerson', CREDIT: 'credit', APPLY: 'apply', RETURN: 'giveBack' } as const

/** Out of suspense: as the policy says, or as a person decided. */
export async function settle(
  options: DepositOptions,
  transaction: Queryable,
  deposit: DepositRow & { fence?: string },
  disposition: Settlement,
  row: TransactionRow | undefined,
): Promise<DepositRow> {
  const { type } = disposition
  const applied = disposition.type === 'APPLY' ? disposition.amount : 0n
  const changed = await moveDeposit(options, transaction, deposit, moves[type], {
    ...('labels' in disposition ? { labels: disposition.labels } : {}),
    ...(applied > 0n ? { appliedAmount: applied } : {}),
    ...(row && type !== 'CREDIT' ? { transactionId: row.transactionId } : {}),
  })
  if (!changed) throw new LeaseLost('somebody else decided about this deposit')
  const { paymentAccountId: wallet } = changed
  if (type === 'CREDIT' && wallet) {
    requirePosted(await options.ledger.post(transaction, resolutionBookings(changed, { wallet })))
  }
  if (applied > 0n) {
    requirePosted(await options.ledger.post(transaction, resolutionBookings(changed, { appliedAmount: applied })))
  }
  await follow(transaction, changed, disposition, row)
  return changed
}
