import { randomBytes } from 'node:crypto'
import type { Audit } from '../db/audit/audit.ts'
import { createBatcher } from '../db/batcher.ts'
import type { Database, Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { notFound, Refusal, unavailable } from '../lib/refusal.ts'
import { isReserved } from './bookings.ts'
import { moveTransaction } from './change.ts'
import * as checks from './check-store.ts'
import { convertReturnedFunds } from './conversions/convert.ts'
import { releaseSource } from './conversions/release.ts'
import { createTransferMessage } from './deposits/transfer-message.ts'
import * as store from './store.ts'
import * as links from './timeline/link-store.ts'
import { createTimelineService, type TimelineDeps } from './timeline/service.ts'
import type { ListedTransaction, Transaction } from './transaction.ts'
import { presentTransaction, type TransactionView } from './wire.ts'

export type TransactionDeps = TimelineDeps & {
  pages: Pages
  /** Adds the link of the pay page to the JSON of a transaction that awaits a transfer. */
  addTransferLink(shown: string, version: number): string
  audit: Audit
}

export type TransactionService = ReturnType<typeof createTransactionService>

/** A created transaction. The answer is its JSON text. */
export type CreatedTransaction = { answer: string; isReplay: boolean }
/** A request for a transaction from a quote of these organizations. The same key creates it once. */
export type TransactionRequest = Pick<store.NewTransaction, 'request' | 'organizationIds' | 'quoteId' | 'correlationId'>
type ListFilter = store.TransactionFilter & { organizationId?: string }
type CreateBody = { quoteId: string; correlationId?: string }

export function createTransactionService(deps: TransactionDeps) {
  const { database, addTransferLink } = deps
  const show = ({ shown, linkVersion }: Transaction): TransactionView =>
    presentTransaction({ shown: addTransferLink(shown, linkVersion) })
  const createInBatch = createBatcher({
    run: (wanted: readonly store.NewTransaction[]) => store.createTransactions(database, wanted),
    batchSize: 64,
    concurrency: 2,
  })
  return {
    ...createTimelineService(deps),

    /** Creates the transaction of a quote; a quote is used once. */
    create: async (
      { organizationIds }: Caller,
      request: IdempotentRequest,
      { quoteId, correlationId }: CreateBody,
    ): Promise<CreatedTransaction> => {
      const wanted = { request, organizationIds, quoteId, correlationId }
      const { answer, isReplay } = await createOne(database, createInBatch, wanted)
      const version = isReplay ? await links.readLinkVersion(database, organizationIds, answer) : 1
      return { answer: addTransferLink(answer, version), isReplay }
    },

    /**
     * Creates several transactions in the caller's database transaction, each with its own answer or refusal. Throws
     * when a single request fails late (insufficient balance, quote already used), because PostgreSQL has rolled back.
     * Throws too when one of several loses a race; the caller may then retry each alone.
     */
    createTogether: async (
      tx: Tx,
      wanted: readonly TransactionRequest[],
    ): Promise<(CreatedTransaction | Refusal)[]> => {
      const outcomes = await store.createTransactions(tx, wanted.map(newTransactionOf))
      const [only, ...others] = outcomes
      const isLate = only?.outcome === 'INSUFFICIENT' || only?.outcome === 'QUOTE_ALREADY_USED'
      if (only && others.length === 0 && isLate) throw refusalOf(only.outcome)
      return outcomes.map(answerOrRefusal)
    },

    list: (caller: Caller, filter: ListFilter, request: PageRequest) => list(deps, caller, filter, request),

    show,

    read: async (caller: Caller, transactionId: string): Promise<TransactionView> =>
      show(await find(deps, caller, transactionId)),

    /** Counts work that has been open for more than an hour of business time. */
    countStuckWork: (): Promise<checks.StuckCounts> => checks.countStuckWork(database, 3_600),

    /** Counts work that waits for an operator. */
    countUndecided: (): Promise<checks.UndecidedCounts> => checks.countUndecided(database),

    /** Finds the source amount as the caller wrote it, by the reference that a rail knows. */
    findSourceAmountsOfPayouts: (payoutIds: readonly string[]): Promise<Map<string, string>> =>
      store.findSourceAmountsOfPayouts(database, payoutIds),

    find: (caller: Caller, transactionId: string) => find(deps, caller, transactionId),

    /** Cancels before money has moved, and releases the reserve. */
    /** Revokes the link of the pay page, with every session that it opened. Reads show the new link. Audited. */
    revokeLink: (tx: Tx, caller: Caller, transaction: Transaction): Promise<TransactionView> =>
      revokeLink(deps, tx, caller, transaction),

    cancel: (tx: Tx, transaction: Transaction): Promise<TransactionView> => cancel(deps, tx, transaction),
  }
}

async function createOne(
  database: Database,
  create: (wanted: store.NewTransaction) => Promise<store.CreateOutcome>,
  wanted: TransactionRequest,
): Promise<CreatedTransaction> {
  const transaction = newTransactionOf(wanted)
  const outcome = await create(transaction)
  const created = answerOrRefusal(
    outcome.outcome === 'TAKES_RETURNED_FUNDS' ? await convertReturnedFunds(database, transaction) : outcome,
  )
  if (created instanceof Refusal) throw created
  return created
}

function newTransactionOf(wanted: TransactionRequest): store.NewTransaction {
  return {
    ...wanted,
    transactionId: newId(),
    eventId: newId(),
    reserveId: newId(),
    transferMessage: createTransferMessage(randomBytes(12)),
  }
}

function answerOrRefusal({ outcome, answer }: store.CreateOutcome): CreatedTransaction | Refusal {
  return answer === null ? refusalOf(outcome) : { answer, isReplay: outcome === 'REPLAYED' }
}

async function list(
  { database, pages, addTransferLink }: TransactionDeps,
  caller: Caller,
  filter: ListFilter,
  request: PageRequest,
): Promise<Page<ListedTransaction>> {
  const wanted = filter.organizationId?.toLowerCase()
  const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
  const page = await pages.read(
    { list: 'transactions', filters: { for: caller.organizationId, ...filter } },
    request,
    (slice) => store.listTransactions(database, organizationIds, filter, slice),
    (transaction) => transaction.transactionId,
  )
  return {
    ...page,
    items: page.items.map((item) => ({ ...item, shown: addTransferLink(item.shown, item.linkVersion) })),
  }
}

async function find({ database }: TransactionDeps, caller: Caller, transactionId: string): Promise<Transaction> {
  const found = await store.findTransaction(database, caller.organizationIds, transactionId)
  if (!found) throw notFound()
  return found
}

async function revokeLink({ audit }: TransactionDeps, tx: Tx, { apiKeyId }: Caller, transaction: Transaction) {
  const { organizationId, transactionId: subjectId } = transaction
  const isChanged = await links.replaceLink(tx, transaction)
  if (!isChanged) throw new Refusal('CONFLICT', 'Only a transaction with transfer instructions has a link')
  await audit.append(tx, {
    organizationId,
    actor: `api_key:${apiKeyId}`,
    action: 'transaction.link_revoked',
    subjectId,
  })
  return presentTransaction(transaction)
}

async function cancel(deps: TransactionDeps, tx: Tx, transaction: Transaction) {
  const changed = await moveTransaction(tx, transaction, 'cancel', { step: 'DONE', ifNothingSeen: true })
  if (!changed) {
    throw new Refusal('TRANSACTION_NOT_CANCELLABLE', 'A transaction can be cancelled only until its money moves')
  }
  if (isReserved(changed)) await releaseSource(deps, tx, changed)
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
      return new Refusal('QUOTE_EXPIRED', 'The quote was valid for five minutes; create a new one')
    case 'QUOTE_ALREADY_USED':
      return new Refusal('QUOTE_ALREADY_USED', 'This quote already has a transaction')
    case 'CUSTOMER_NOT_ACTIVE':
      return new Refusal('CUSTOMER_NOT_ACTIVE', 'The customer must be ACTIVE')
    case 'METHOD_NOT_AVAILABLE':
      return new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', 'The customer may not use a payment method of this quote')
    case 'ACCOUNT_NOT_ACTIVE':
      return new Refusal('CONFLICT', 'A payment account of this quote is no longer ACTIVE')
    case 'NO_INSTRUCTIONS':
      return new Refusal('UNSUPPORTED_ROUTE', 'Svc has no account that could receive this transfer')
    case 'NO_ADDRESS':
      return unavailable('No deposit address is ready; try again in a few seconds', 5)
    case 'INSUFFICIENT':
      return new Refusal('INSUFFICIENT_BALANCE', 'The available balance of the source account is below the amount')
    case 'GUARANTEES_EXHAUSTED':
      return guaranteesExhausted()
    case 'NOT_FOUND':
      return notFound()
    default:
      throw new Error(`creating a transaction returned ${outcome} without an answer`)
  }
}

/** Refuses a guarantee that would raise the open ones of the organization above its limit. */
function guaranteesExhausted(): Refusal {
  const field = 'quoteId'
  const message =
    'must not raise the open guaranteed amounts of the organization above its limit: ' +
    'wait until one has ended, or create a quote without guaranteeQuote'
  return new Refusal('AMOUNT_ABOVE_MAXIMUM', `${field} ${message}`, { details: [{ field, message }] })
}

/** Tells why an account cannot be deleted; undefined when no open transaction uses it. */
export async function findAccountUse(tx: Tx, account: checks.AccountOfCustomer): Promise<string | undefined> {
  const isNeeded = await checks.isAccountNeeded(tx, account)
  return isNeeded ? 'An open transaction uses this account' : undefined
}

/** Tells why a customer cannot be erased yet; undefined without open items. */
export async function findErasureObstacle(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const open = await checks.findOpenItems(tx, organizationId, customerId)
  if (open.transactions) return 'A transaction of this customer is open'
  if (open.deposits) return 'A deposit of this customer is unresolved or being returned'
  return open.payouts ? 'A payout of this customer is in flight, or a bank may still return it' : undefined
}
