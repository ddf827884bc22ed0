import { randomBytes } from 'node:crypto'
import type { Audit } from '../db/audit/audit.ts'
import { createBatcher } from '../db/batcher.ts'
import type { Database, Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import { runList } from '../db/lists/searches.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { notFound, Refusal, unavailable } from '../lib/refusal.ts'
import { timeFilters } from '../lib/resources/filters.ts'
import { externalIdTaken, type NewOwnData, writeMetadata } from '../lib/resources/own-data.ts'
import { refusedByPolicy } from '../policies/refusal.ts'
import { readMoneyFilter } from '../quotes/lists/money-filter.ts'
import { isReserved } from './bookings.ts'
import { moveTransaction } from './change.ts'
import * as checks from './check-store.ts'
import { convertReturnedFunds } from './conversions/convert.ts'
import { releaseSource } from './conversions/release.ts'
import { createTransferMessage } from './deposits/transfer-message.ts'
import { type ExpandDeps, requireExpansions } from './lists/expand.ts'
import type { Expansion } from './lists/expansions.ts'
import { type FullTransactionFilter, findTransactions } from './lists/list-store.ts'
import { presentListed, readTransaction } from './lists/present.ts'
import * as store from './store.ts'
import * as links from './timeline/link-store.ts'
import { createTimelineService, type TimelineDeps } from './timeline/service.ts'
import type { ShownTransaction, Transaction } from './transaction.ts'
import { addMetadata, presentTransaction, type TransactionView } from './wire.ts'

export type TransactionDeps = TimelineDeps &
  ExpandDeps & {
    pages: Pages
    /** Adds the link of the pay page to the JSON of a transaction that awaits a transfer. */
    addTransferLink(shown: string, version: number): string
    audit: Audit
  }

export type TransactionService = ReturnType<typeof createTransactionService>

/** A created transaction. The answer is its JSON text. */
export type CreatedTransaction = { answer: string; isReplay: boolean }
/** A request for a transaction from a quote of these organizations. The same key creates it once. */
export type TransactionRequest = Pick<
  store.NewTransaction,
  'request' | 'organizationIds' | 'apiKeyId' | 'quoteId' | 'correlationId' | 'externalId' | 'metadata'
>
type ListFilter = FullTransactionFilter & { organizationId?: string }
/** A request for a page, with the resources to include. */
type ListRequest = PageRequest & { expand?: readonly Expansion[] }
type CreateBody = NewOwnData & { quoteId: string; correlationId?: string }

export function createTransactionService(deps: TransactionDeps) {
  const { database, addTransferLink } = deps
  const show = ({ shown, linkVersion }: ShownTransaction): TransactionView =>
    presentTransaction({ shown: addTransferLink(shown, linkVersion) })
  const createInBatch = createBatcher({
    run: (wanted: readonly store.NewTransaction[]) => store.createTransactions(database, wanted),
    batchSize: 64,
    concurrency: 2,
    collects: true,
  })
  return {
    ...createTimelineService(deps),

    /** Creates the transaction of a quote; a quote is used once. */
    create: async (
      { organizationIds, apiKeyId }: Caller,
      request: IdempotentRequest,
      { quoteId, correlationId, externalId, metadata }: CreateBody,
    ): Promise<CreatedTransaction> => {
      const wanted = { request, organizationIds, apiKeyId, quoteId, correlationId, externalId, metadata }
      const { answer, isReplay } = await createOne(database, createInBatch, wanted)
      const version = isReplay ? await links.readLinkVersion(database, organizationIds, answer) : 1
      // The stored answer has no metadata. A repeated request has the same body, so it gets the same answer.
      return { answer: addMetadata(addTransferLink(answer, version), writeMetadata(metadata)), isReplay }
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
      const isLate = lateOutcomes.includes(only?.outcome)
      if (only && others.length === 0 && isLate) throw refusalOf(only)
      return outcomes.map(answerOrRefusal)
    },

    list: (caller: Caller, filter: ListFilter, request: ListRequest) => list(deps, caller, filter, request),

    show,

    /** Reads a transaction as JSON text, the same that lists show. */
    read: (caller: Caller, transactionId: string, wanted: readonly Expansion[] = []): Promise<string> =>
      readTransaction(deps, caller, transactionId, wanted),

    /** Counts work that has been open for more than an hour of business time. */
    countStuckWork: (): Promise<checks.StuckCounts> => checks.countStuckWork(database, 3_600),

    /** Counts work that waits for an operator. */
    countUndecided: (): Promise<checks.UndecidedCounts> => checks.countUndecided(database),

    /** Finds the source amount as the caller wrote it, by the reference that a rail knows. */
    findSourceAmountsOfPayouts: (payoutIds: readonly string[]): Promise<Map<string, string>> =>
      store.findSourceAmountsOfPayouts(database, payoutIds),

    find: (caller: Caller, transactionId: string) => find(deps, caller, transactionId),

    /** Revokes the link of the pay page, with every session that it opened. Reads show the new link. Audited. */
    revokeLink: (tx: Tx, caller: Caller, transaction: ShownTransaction): Promise<TransactionView> =>
      revokeLink(deps, tx, caller, transaction),

    /** Cancels before money has moved, and releases the reserve. */
    cancel: (tx: Tx, transaction: Transaction): Promise<TransactionView> => cancel(deps, tx, transaction),
  }
}

/** Outcomes of a single request after which PostgreSQL may have rolled back. */
const lateOutcomes: readonly (string | undefined)[] = ['INSUFFICIENT', 'QUOTE_ALREADY_USED', 'POLICY_REFUSED']

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
    approvalId: newId(),
    transferMessage: createTransferMessage(randomBytes(12)),
  }
}

function answerOrRefusal(created: store.CreateOutcome): CreatedTransaction | Refusal {
  const { outcome, answer } = created
  return answer === null ? refusalOf(created) : { answer, isReplay: outcome === 'REPLAYED' }
}

async function list(
  deps: TransactionDeps,
  caller: Caller,
  { organizationId, ...filter }: ListFilter,
  { expand: wantedExpansions = [], ...request }: ListRequest,
): Promise<Page<string>> {
  const { database, pages } = deps
  requireExpansions(caller, wantedExpansions)
  const amounts = readMoneyFilter(filter, [
    'customerId',
    'paymentAccountId',
    'correlationId',
    'externalId',
    ...timeFilters,
  ])
  const wanted = organizationId?.toLowerCase()
  const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
  const page = await pages.read(
    { list: 'transactions', filters: { for: caller.organizationId, organizationId: wanted, ...filter } },
    request,
    (slice) =>
      runList(database, caller.organizationId, filter, (each) =>
        isSimple(filter)
          ? store.listTransactions(each, organizationIds, filter, slice)
          : findTransactions(each, organizationIds, filter, amounts, slice),
      ),
    (transaction) => transaction.sortKey ?? transaction.transactionId,
  )
  return { ...page, items: await presentListed(deps, caller, wantedExpansions, page.items) }
}

/** Tells whether a prepared statement with an index of its own lists these transactions. */
function isSimple(filter: FullTransactionFilter): boolean {
  return Object.keys(filter).every((name) => name === 'customerId' || name === 'paymentAccountId')
}

async function find({ database }: TransactionDeps, caller: Caller, transactionId: string): Promise<ShownTransaction> {
  const found = await store.findTransaction(database, caller.organizationIds, transactionId)
  if (!found) throw notFound()
  return found
}

async function revokeLink({ audit }: TransactionDeps, tx: Tx, { apiKeyId }: Caller, transaction: ShownTransaction) {
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

function refusalOf({ outcome, refusedBy }: store.CreateOutcome): Refusal {
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
    case 'EXTERNAL_ID_TAKEN':
      return externalIdTaken()
    case 'GUARANTEES_EXHAUSTED':
      return guaranteesExhausted()
    case 'POLICY_REFUSED':
      return refusedByPolicy('quoteId', refusedBy ?? '')
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
