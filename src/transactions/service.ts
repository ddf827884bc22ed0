import { randomBytes } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import { gather } from '../db/gather.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { notFound, Refusal, unavailable } from '../lib/refusal.ts'
import { referenceFor } from './bookings.ts'
import { moveTransaction } from './change.ts'
import * as checks from './check-store.ts'
import { createTransferMessage } from './deposits/transfer-message.ts'
import * as store from './store.ts'
import { createTimelineService, type TimelineDeps } from './timeline/service.ts'
import type { ListedTransaction, Transaction } from './transaction.ts'
import { presentTransaction } from './wire.ts'

export type TransactionDeps = TimelineDeps & { pages: Pages }

export type TransactionService = ReturnType<typeof createTransactionService>
export type TransactionView = ReturnType<typeof presentTransaction>

/** The transaction as JSON text. */
export type Made = { answer: string; isReplay: boolean }
/** The same key makes the same transaction, once; only of a quote of these organizations. */
export type WantedTransaction = Pick<store.NewTransaction, 'request' | 'organizationIds' | 'quoteId' | 'correlationId'>
type CreateBody = { quoteId: string; correlationId?: string }

export function createTransactionService(deps: TransactionDeps) {
  const { database, pages } = deps
  const createWithOthers = gather({
    run: (wanted: readonly store.NewTransaction[]) => store.createTransactions(database, wanted),
    most: 64,
    inFlight: 2,
  })
  return {
    ...createTimelineService(deps),

    /** From a quote, once. */
    create: (caller: Caller, request: IdempotentRequest, { quoteId, correlationId }: CreateBody): Promise<Made> =>
      make(createWithOthers, { request, organizationIds: caller.organizationIds, quoteId, correlationId }),

    /**
     * The same for many, in the caller's transaction, for whoever records something of their own with them. Of several,
     * each has its answer or refusal; for one alone, what is known only at the end (money that is lacking, a quote that
     * was used meanwhile) has undone the caller's transaction and is thrown. When somebody else was faster with one of
     * several it throws as well: then each may be wanted alone.
     */
    createTogether: async (tx: Tx, wanted: readonly WantedTransaction[]): Promise<(Made | Refusal)[]> => {
      const outcomes = await store.createTransactions(tx, wanted.map(toMake))
      const [only, ...others] = outcomes
      const isLate = only?.outcome === 'INSUFFICIENT' || only?.outcome === 'QUOTE_ALREADY_USED'
      if (only && others.length === 0 && isLate) throw refusalOf(only.outcome)
      return outcomes.map(madeOrRefused)
    },

    list: async (
      caller: Caller,
      filter: store.TransactionFilter & { organizationId?: string },
      request: PageRequest,
    ): Promise<Page<ListedTransaction>> => {
      const wanted = filter.organizationId?.toLowerCase()
      const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
      return pages.read(
        { list: 'transactions', filters: { for: caller.organizationId, ...filter } },
        request,
        (slice) => store.listTransactions(database, organizationIds, filter, slice),
        (transaction) => transaction.transactionId,
      )
    },

    read: async (caller: Caller, transactionId: string): Promise<TransactionView> =>
      presentTransaction(await find(deps, caller, transactionId)),

    /** On their way for more than an hour of business time. */
    countStuck: (): Promise<checks.StuckCounts> => checks.countStuck(database, 3_600),

    /** What waits for a person. */
    countUndecided: (): Promise<checks.Undecided> => checks.countUndecided(database),

    /** What was asked for, as the caller wrote it; by the reference that a rail knows. */
    findSourceAmountOfPayout: (payoutId: string): Promise<string | undefined> =>
      store.findSourceAmountOfPayout(database, payoutId),

    find: (caller: Caller, transactionId: string) => find(deps, caller, transactionId),

    /** As long as nothing has moved: what was reserved is given back. */
    cancel: (tx: Tx, transaction: Transaction): Promise<TransactionView> => cancel(deps, tx, transaction),
  }
}

async function make(
  create: (wanted: store.NewTransaction) => Promise<store.CreateOutcome>,
  wanted: WantedTransaction,
): Promise<Made> {
  const made = madeOrRefused(await create(toMake(wanted)))
  if (made instanceof Refusal) throw made
  return made
}

function toMake(wanted: WantedTransaction): store.NewTransaction {
  return {
    ...wanted,
    transactionId: newId(),
    eventId: newId(),
    reserveId: newId(),
    transferMessage: createTransferMessage(randomBytes(12)),
  }
}

function madeOrRefused({ outcome, answer }: store.CreateOutcome): Made | Refusal {
  return answer === null ? refusalOf(outcome) : { answer, isReplay: outcome === 'REPLAYED' }
}

async function find({ database }: TransactionDeps, caller: Caller, transactionId: string): Promise<Transaction> {
  const found = await store.findTransaction(database, caller.organizationIds, transactionId)
  if (!found) throw notFound()
  return found
}

async function cancel(deps: TransactionDeps, tx: Tx, transaction: Transaction) {
  const changed = await moveTransaction(tx, transaction, 'cancel', { step: 'DONE', ifNothingSeen: true })
  if (!changed) {
    throw new Refusal('TRANSACTION_NOT_CANCELLABLE', 'A transaction can be cancelled until its money is on the way')
  }
  if (changed.isFromWallet) {
    const { organizationId } = changed
    await deps.ledger.release(tx, [{ organizationId, reference: referenceFor(changed, 'source') }])
  }
  return presentTransaction(changed)
}

function refusalOf(outcome: store.CreateOutcome['outcome']): Refusal {
  switch (outcome) {
    case 'KEY_REUSED':
      return new Refusal('IDEMPOTENCY_KEY_REUSED', 'This x-idempotency-key was used for a different request')
    case 'IN_PROGRESS':
      return new Refusal('IDEMPOTENCY_REQUEST_IN_PROGRESS', 'A request with this x-idempotency-key is still running', {
        headers: { 'retry-after': '1' },
      })
    case 'QUOTE_EXPIRED':
      return new Refusal('QUOTE_EXPIRED', 'The quote was good for five minutes: ask for a new one')
    case 'QUOTE_ALREADY_USED':
      return new Refusal('QUOTE_ALREADY_USED', 'There is a transaction of this quote already')
    case 'CUSTOMER_NOT_ACTIVE':
      return new Refusal('CUSTOMER_NOT_ACTIVE', 'The customer must be ACTIVE')
    case 'METHOD_NOT_AVAILABLE':
      return new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', 'The customer may not use one of the methods of this quote')
    case 'ACCOUNT_NOT_ACTIVE':
      return new Refusal('CONFLICT', 'A payment account of this quote is not ACTIVE any more')
    case 'NO_INSTRUCTIONS':
      return new Refusal('UNSUPPORTED_ROUTE', 'There is no account of ours that the money could be sent to')
    case 'NO_ADDRESS':
      return unavailable('No deposit address is ready; one will be in a moment', 5)
    case 'INSUFFICIENT':
      return new Refusal('INSUFFICIENT_BALANCE', 'The source account has less than this available')
    case 'NOT_FOUND':
      return notFound()
    default:
      throw new Error(`creating a transaction came to ${outcome} without an answer`)
  }
}

/** An account that money of an open transaction comes from or goes to cannot be deleted. */
export async function whyAccountInUse(
  tx: Tx,
  { organizationId, paymentAccountId }: { organizationId: string; paymentAccountId: string },
): Promise<string | undefined> {
  const isNeeded = await checks.isAccountNeeded(tx, organizationId, paymentAccountId)
  return isNeeded ? 'A transaction of this account is not over' : undefined
}

/** A customer is not forgotten while money of theirs is on its way. */
export async function whyNotEraseYet(tx: Tx, organizationId: string, customerId: string): Promise<string | undefined> {
  const open = await checks.findOpenMoney(tx, organizationId, customerId)
  if (open.transactions) return 'A transaction of this customer is not over'
  if (open.deposits) return 'A deposit of this customer is not decided about, or goes back'
  return open.payouts ? 'Money of this customer is on its way, or a bank may still give it back' : undefined
}
