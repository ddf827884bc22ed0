import type { Tx } from '../db/database.ts'
import type { NewDataKey } from '../encryption/data-key.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { badFields, notFound, Refusal } from '../lib/refusal.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { type CustomerDeps, emit, openById, openCustomer } from './access.ts'
import { type CustomerType, customerMoves, customerTypes, type Profile } from './customer.ts'
import type { Identity } from './identity/identity.ts'
import { type Intake, type IntakeOptions, inspectIdentity, storeImages } from './identity/intake.ts'
import type { CustomerView } from './present.ts'
import { type OpenCustomer, openIdentity, sealCustomer } from './sealed-customer.ts'
import * as store from './store.ts'

export type CreateCustomer = Profile & {
  customerType: CustomerType
  organizationId?: string
  kycData?: object
  kybData?: object
}

/** A new customer, prepared before its database transaction: files are stored and the key is wrapped. */
export type PreparedCustomer = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  key: NewDataKey
  given: Profile
  identity: Identity | undefined
  blobIds: string[]
}

/** Creates customers and accepts submissions, each whole or not at all. */
export function createSubmissionService(deps: CustomerDeps) {
  return {
    /** Accepts a submission. An unknown customer or a wrong state is refused before a bad body. */
    change: (caller: Caller, customerId: string, inspectBody: () => Validated<object>): Promise<CustomerView> =>
      changeCustomer(deps, caller, customerId, inspectBody),

    prepareCreate: async (caller: Caller, inspected: Validated<CreateCustomer>): Promise<PreparedCustomer> => {
      const intake = intakeOf(deps)
      const body = inspected.value as CreateCustomer
      const known = customerTypes.find((type) => type === body?.customerType)
      const accepted: Intake = await inspectIdentity(intake, known, inspected, {})
      const customerType = body.customerType
      const organizationId = (body.organizationId ?? caller.organizationId).toLowerCase()
      if (!caller.organizationIds.includes(organizationId)) throw notFound()
      const key = await deps.vault.prepareDataKey(organizationId)
      const blobIds = await storeImages(intake, accepted, key)
      const identity = holdsSomething(accepted.identity) ? accepted.identity : undefined
      return { organizationId, customerId: newId(), customerType, key, given: body, identity, blobIds }
    },

    /** Creates a customer in CREATED. Its data is queued in the same database transaction and reviewed right after. */
    create: async (tx: Tx, prepared: PreparedCustomer): Promise<CustomerView> => {
      const { key, given, identity, organizationId, customerId, customerType } = prepared
      await deps.vault.createDataKey(tx, key)
      const sealed = sealCustomer(key, prepared, given, identity ?? {})
      const customer = await store.insertCustomer(tx, {
        organizationId,
        customerId,
        customerType,
        dataKeyId: key.dataKeyId,
        submission: identity ? 1 : 0,
        sealedProfile: sealed.sealedProfile,
        sealedIdentity: identity ? sealed.sealedIdentity : null,
      })
      await store.insertBlobs(tx, organizationId, customerId, prepared.blobIds)
      if (identity) await deps.submissions.insert(tx, { ...customer, state: 'QUEUED', delayMs: 0 })
      return emit(deps, tx, 'customer.created', { row: customer, key, profile: sealed.profile })
    },

    /** Moves the customer of a queued submission to UNDER_REVIEW. Does nothing when another process was first. */
    startReview: async (organizationId: string, customerId: string): Promise<void> => {
      const customer = await openById(deps, [organizationId], customerId)
      if (customer?.row.status !== 'CREATED' || customer.row.submission === 0) return
      const { row } = customer
      await deps.database.inTx(async (tx) => {
        if (!(await deps.submissions.startReviewing(tx, { ...row, delayMs: deps.reviewDelayMs }))) return
        const guard = { ...customerMoves.submitData, ofSubmission: row.submission }
        const changed = await store.changeStatus(tx, { ...row, ...guard })
        if (changed) await emit(deps, tx, 'customer.updated', { ...customer, row: changed })
      })
    },
  }
}

async function changeCustomer(
  deps: CustomerDeps,
  caller: Caller,
  customerId: string,
  inspectBody: () => Validated<object>,
): Promise<CustomerView> {
  const customer = await openCustomer(deps, caller, customerId)
  requireOpenToData(customer)
  const { row, key, profile } = customer
  const inspected = inspectBody()
  const intake = intakeOf(deps)
  const accepted = await inspectIdentity(intake, row.customerType, inspected, openIdentity(customer))
  requireSomething(inspected.value)
  if (!key || !profile) throw notFound()
  const blobIds = await storeImages(intake, accepted, key)
  const data = sealCustomer(key, row, profile, accepted.identity)
  return deps.database.inTx(async (tx) => {
    const submission = row.submission + 1
    const guard = { ...customerMoves.submitData, ofSubmission: row.submission }
    // The issues stay visible to the customer while they are re-checked.
    const change = { ...row, ...guard, data: { ...data, submission } }
    const changed = await store.changeStatus(tx, change)
    if (!changed) throw patchNotAllowed() // another PATCH was first
    await store.insertBlobs(tx, row.organizationId, row.customerId, blobIds)
    await deps.submissions.insert(tx, { ...changed, state: 'REVIEWING', delayMs: deps.reviewDelayMs })
    return emit(deps, tx, 'customer.updated', { row: changed, key, profile: data.profile })
  })
}

function intakeOf(deps: CustomerDeps): IntakeOptions {
  return { ...deps, createId: newId }
}

/** Refuses an empty patch and an empty kycData or kybData. */
function requireSomething(body: unknown): void {
  if (holdsSomething(body)) return
  throw badFields([{ field: 'body', message: 'must have kycData or kybData with at least one field' }])
}

/** Whether the body has any value. An empty list is one, because it replaces the stored list. */
function holdsSomething(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value !== undefined
  return Object.values(value).some(holdsSomething)
}

function requireOpenToData({ row }: OpenCustomer): void {
  if (row.erasedAt || !canMove(customerMoves, 'submitData', row.status)) throw patchNotAllowed()
}

function patchNotAllowed(): Refusal {
  return new Refusal('PATCH_NOT_ALLOWED', 'Data can be submitted only in CREATED and NEEDS_ADDITIONAL_INFORMATION')
}
