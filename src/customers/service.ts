import { availableMethods, methodsEdition, paymentMethodNames } from '../catalog/payment-methods.ts'
import { createBatcher } from '../db/batcher.ts'
import type { Tx } from '../db/database.ts'
import { runList } from '../db/lists/searches.ts'
import type { Caller } from '../lib/caller.ts'
import type { Page, PageRequest } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { requireLeadingFilter, requireTimeRanges } from '../lib/resources/filters.ts'
import { canMove } from '../lib/transitions.ts'
import { type CustomerDeps, emit, openById, openCustomer, openMany, openStored, view } from './access.ts'
import type { BlobStore } from './blobs.ts'
import { type Customer, type CustomerMove, customerMoves, type VerificationIssue } from './customer.ts'
import { createErasureService } from './erasure/service.ts'
import { findOwnedBlobs, readFileBytes } from './files/store.ts'
import { createHostedFormOperations } from './hosted-forms.ts'
import type { Identity } from './identity/identity.ts'
import { maskIdentity } from './identity/mask.ts'
import { type CustomerFilter, findByFilter, findEachCustomer, type WantedCustomer } from './list-store.ts'
import { createNoteService } from './notes/service.ts'
import type { CustomerView } from './present.ts'
import { type OpenCustomer, openIdentity, sealIdentity } from './sealed-customer.ts'
import { type CustomerSearch, longestPrefix, prefixLength, shortestPrefix, wantedHashes } from './search.ts'
import * as store from './store.ts'
import { createSubmissionService } from './submit.ts'

export type CustomerService = ReturnType<typeof createCustomerService>

export function createCustomerService(deps: CustomerDeps) {
  return {
    ...createReadOperations(deps),
    ...createSubmissionService(deps),
    ...createStatusOperations(deps),
    ...createReviewMarks(deps),
    ...createErasureService(deps),
    ...createNoteService(deps),
    ...createHostedFormOperations(deps),
  }
}

/** Up to 64 reads of the same moment share one statement; up to two such statements run at once. */
const batching = { batchSize: 64, concurrency: 2, collects: true }

function createReadOperations(deps: CustomerDeps) {
  const { database, vault, audit } = deps
  const findWithOthers = createBatcher({
    ...batching,
    run: (wanted: readonly WantedCustomer[]) => findEachCustomer(database, wanted),
  })
  /** Opens a customer for an answer. Only one who can submit data comes with the identity. */
  const openWithOthers = async ({ organizationIds }: Caller, customerId: string): Promise<OpenCustomer> => {
    const customer = await findWithOthers({ organizationIds, customerId })
    if (!customer) throw notFound()
    return openStored(vault, customer)
  }
  return {
    list: (caller: Caller, filter: ListFilter, request: PageRequest): Promise<Page<CustomerView>> =>
      listCustomers(deps, caller, filter, request),

    read: async (caller: Caller, customerId: string, include: ReadOptions): Promise<CustomerView> => {
      const opened = await (include.includeVerification
        ? openCustomer(deps, caller, customerId)
        : openWithOthers(caller, customerId))
      const shown = view(deps, opened)
      if (include.includePaymentMethods) shown.availablePaymentMethods = methodsOf(deps, opened)
      if (include.includeVerification) {
        shown.verification = maskIdentity(openIdentity(opened))
        const { organizationId, customerId: subjectId } = opened.customer
        const act = { actor: `api_key:${caller.apiKeyId}`, action: 'customer.verification_read', subjectId }
        await database.inTx((tx) => audit.append(tx, { organizationId, ...act }))
      }
      return shown
    },

    /** Reads the bytes of files that each organization has. */
    readFileBytes: (organizationIds: readonly string[]) => readFileBytes(database, organizationIds),
  }
}

type ListFilter = CustomerFilter & CustomerSearch & { organizationId?: string }

async function listCustomers(
  deps: CustomerDeps,
  caller: Caller,
  { organizationId, ...filter }: ListFilter,
  request: PageRequest,
): Promise<Page<CustomerView>> {
  const { database, pages, vault, searchKey } = deps
  requireListable(filter)
  const wanted = organizationId?.toLowerCase()
  const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
  const searched = organizationIds.map((id) => ({ organizationId: id, hashes: wantedHashes(searchKey, id, filter) }))
  const page = await pages.read(
    { list: 'customers', filters: { for: caller.organizationId, organizationId: wanted, ...filter } },
    request,
    (slice): Promise<(Customer & { sortKey?: string })[]> =>
      Object.keys(filter).length === 0
        ? store.listCustomers(database, organizationIds, slice)
        : runList(database, caller.organizationId, filter, (each) =>
            findByFilter(each, organizationIds, filter, searched, slice),
          ),
    (customer) => customer.sortKey ?? customer.customerId,
  )
  const opened = await Promise.all(page.items.map((customer) => openStored(vault, customer)))
  return { ...page, items: opened.map((each) => view(deps, each)) }
}

/** The type alone would read the whole list. A prefix is found only at the lengths that have hashes. */
function requireListable(filter: ListFilter): void {
  requireTimeRanges(filter)
  requireLeadingFilter(filter, ['type'], ['createdFrom', 'createdTo', 'email', 'name', 'namePrefix', 'externalId'])
  const { namePrefix } = filter
  if (namePrefix === undefined) return
  const length = prefixLength(namePrefix)
  if (length < shortestPrefix || length > longestPrefix)
    throw badField('namePrefix', `must have ${shortestPrefix} to ${longestPrefix} letters, digits and spaces`)
}

export type ReadOptions = { includePaymentMethods?: boolean; includeVerification?: boolean }

function createStatusOperations(deps: CustomerDeps) {
  const notes = createNoteService(deps)
  return {
    /** Opens a customer with its key, for a decision in the caller's own database transaction. */
    open: (organizationIds: readonly string[], customerId: string) => openById(deps, organizationIds, customerId),
    openFor: (caller: Caller, customerId: string) => openCustomer(deps, caller, customerId),
    openMany: (of: readonly string[], customerIds: readonly string[]) => openMany(deps, of, customerIds),
    readIdentity: openIdentity,
    /** Reads a stored document, opened with the customer's key. */
    readImage: async ({ key }: OpenCustomer, blobId: string): Promise<Buffer> => {
      const sealed = await deps.blobs.get(blobId)
      if (!key || !sealed) throw new Error(`the blob store has no readable document ${blobId}`)
      return key.open({ table: 'blobs', row: blobId, column: 'bytes' }, sealed)
    },
    /**
     * Stores what was read in the pictures of a submission under review, and returns the customer with it. A submission
     * that was decided meanwhile keeps its data: the outcome of its reader no longer counts.
     */
    storeReadings: async (opened: OpenCustomer, identity: Identity): Promise<OpenCustomer> => {
      if (!opened.key) return opened
      const sealedIdentity = sealIdentity(opened.key, opened.customer, identity)
      await store.writeReadings(deps.database, opened.customer, sealedIdentity)
      return { ...opened, customer: { ...opened.customer, sealedIdentity } }
    },
    /** Removes files without a row: the request that wrote them failed afterwards. */
    collectOrphans: async (olderThan: Date): Promise<{ removed: number }> => {
      let removed = 0
      for await (const batch of oldBlobs(deps.blobs, olderThan)) {
        const owned = await findOwnedBlobs(deps.database, batch)
        const orphans = batch.filter((blobId) => !owned.has(blobId))
        for (const blobId of orphans) await deps.blobs.remove(blobId)
        removed += orphans.length
      }
      return { removed }
    },

    show: (opened: OpenCustomer) => view(deps, opened),

    /** Recomputes which rails and networks a customer may use. */
    refreshAllowedMethods: async (organizationId: string, customerId: string): Promise<void> => {
      const opened = await openById(deps, [organizationId], customerId)
      if (opened) await store.writeAllowedMethods(deps.database, opened.customer, allowedMethods(opened))
    },

    /** Takes an integrator's decision about a customer and stores its reason as a note. */
    moveByCaller: async (
      tx: Tx,
      caller: Caller,
      opened: OpenCustomer,
      name: 'deactivate' | 'reactivate',
      readReason: () => string,
    ): Promise<CustomerView> => {
      // A wrong state is refused before a bad body. The guarded update checks the state again.
      const { erasedAt, status } = opened.customer
      const isPossible = !erasedAt && canMove(customerMoves, name, status)
      const reason = isPossible ? readReason() : ''
      const changed = isPossible ? await takeMove(deps, tx, opened, name) : undefined
      if (!changed) {
        throw new Refusal('CONFLICT', `A customer can be ${name}d only in ${customerMoves[name].from.join(', ')}`)
      }
      const act = { actor: `api_key:${caller.apiKeyId}`, action: `customer.${name}d` }
      await notes.recordAct(tx, opened, { ...act, reason })
      return changed
    },

    /** Takes one move of the state table; undefined when the customer left the move's start status. */
    move: (tx: Tx, opened: OpenCustomer, name: CustomerMove, more: MoveOptions = {}) =>
      takeMove(deps, tx, opened, name, more),
  }
}

function createReviewMarks(deps: CustomerDeps) {
  return {
    /**
     * Shows that the newest submission waits for a reviewer, with an event; undefined when it does not any more. A
     * customer that cannot be opened is marked without an event.
     */
    markReview: async (
      tx: Tx,
      about: Pick<Customer, 'organizationId' | 'customerId' | 'submission'>,
      opened: OpenCustomer | undefined,
    ): Promise<CustomerView | undefined> => {
      const customer = await store.markReview(tx, about)
      return customer && opened && emit(deps, tx, 'customer.updated', { ...opened, customer })
    },
  }
}

export type MoveOptions = { issues?: readonly VerificationIssue[]; ofSubmission?: number }

async function takeMove(
  deps: CustomerDeps,
  tx: Tx,
  opened: OpenCustomer,
  name: CustomerMove,
  more: MoveOptions = {},
): Promise<CustomerView | undefined> {
  const changed = await store.changeStatus(tx, {
    ...opened.customer,
    issues: [],
    ...customerMoves[name],
    ...(customerMoves[name].to === 'ACTIVE' ? { allowed: allowedMethods(opened) } : {}),
    ...more,
  })
  if (changed && name === 'approve') await deps.onApproved(tx, changed)
  if (changed?.status === 'ACTIVE') await deps.onActive?.(tx, changed.organizationId, changed.customerId)
  return changed && emit(deps, tx, 'customer.updated', { ...opened, customer: changed })
}

/** Selects the methods of a customer's type and country. Readers apply the deployment's configured methods. */
function allowedMethods({ customer, profile }: OpenCustomer): { methods: string[]; by: string } {
  const { customerType } = customer
  const methods = availableMethods({ customerType, countryCode: profile?.residence, configured: paymentMethodNames })
  return { methods, by: methodsEdition }
}

function methodsOf({ configuredMethods }: CustomerDeps, { customer, profile }: OpenCustomer): string[] {
  if (customer.status !== 'ACTIVE' || !profile?.residence) return []
  return availableMethods({
    customerType: customer.customerType,
    countryCode: profile.residence,
    configured: configuredMethods,
  })
}

const orphanBatch = 500

async function* oldBlobs(blobs: BlobStore, olderThan: Date): AsyncIterable<string[]> {
  let batch: string[] = []
  for await (const { blobId, storedAt } of blobs.list()) {
    if (storedAt >= olderThan) continue
    batch.push(blobId)
    if (batch.length < orphanBatch) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
