import type { Tx } from '../db/database.ts'
import type { NewDataKey } from '../encryption/data-key.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { mergeDeep } from '../lib/merge.ts'
import { badFields, notFound, Refusal } from '../lib/refusal.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { type CustomerDeps, emit, openById, openCustomer } from './access.ts'
import { type Customer, type CustomerType, customerMoves, customerTypes, type Profile } from './customer.ts'
import { dropEmptyValues } from './identity/clearable.ts'
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

type ChangedCustomer = { [Name in keyof Profile]?: Profile[Name] | null } & { kycData?: object; kybData?: object }

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
    change: (
      caller: Pick<Caller, 'organizationIds'>,
      customerId: string,
      inspectBody: () => Validated<object>,
      /** Empties the draft that is submitted, in the database transaction of the submission. */
      emptyDraft?: (tx: Tx) => Promise<void>,
    ): Promise<CustomerView> => changeCustomer(deps, caller, customerId, inspectBody, emptyDraft),

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
      const identity = holdsSomething(accepted.identity, {}) ? accepted.identity : undefined
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
      return emit(deps, tx, 'customer.created', { customer, key, profile: sealed.profile })
    },

    /** Moves the customer of a queued submission to UNDER_REVIEW. Does nothing when another process was first. */
    startReview: async (organizationId: string, customerId: string): Promise<void> => {
      const opened = await openById(deps, [organizationId], customerId)
      if (opened?.customer.status !== 'CREATED' || opened.customer.submission === 0) return
      const { customer } = opened
      await deps.database.inTx(async (tx) => {
        if (!(await deps.submissions.startReviewing(tx, { ...customer, delayMs: deps.reviewDelayMs }))) return
        const guard = { ...customerMoves.submitData, ofSubmission: customer.submission }
        const changed = await store.changeStatus(tx, { ...customer, ...guard })
        if (!changed) return
        await discardDraft(deps, tx, changed)
        await emit(deps, tx, 'customer.updated', { ...opened, customer: changed })
      })
    },
  }
}

async function changeCustomer(
  deps: CustomerDeps,
  caller: Pick<Caller, 'organizationIds'>,
  customerId: string,
  inspectBody: () => Validated<object>,
  emptyDraft?: (tx: Tx) => Promise<void>,
): Promise<CustomerView> {
  const opened = await openCustomer(deps, caller, customerId)
  requireOpenToData(opened)
  const { customer, key, profile } = opened
  const inspected = inspectBody()
  const intake = intakeOf(deps)
  const stored = openIdentity(opened)
  const accepted = await inspectIdentity(intake, customer.customerType, inspected, openIdentity(opened))
  requireSomething(inspected.value, { ...profile, ...stored })
  const { kycData, kybData, ...changes } = inspected.value as ChangedCustomer
  dropEmptyValues(changes)
  if (!key || !profile) throw notFound()
  const given = mergeDeep<Profile>(profile, changes as Partial<Profile>)
  const hasData = holdsSomething(kycData, stored.kycData) || holdsSomething(kybData, stored.kybData)
  // Sealed after the files are stored: the data refers to them.
  const blobIds = await storeImages(intake, accepted, key)
  const data = sealCustomer(key, customer, given, accepted.identity)
  if (!hasData) return changeProfile(deps, opened, data)
  return deps.database.inTx(async (tx) => {
    const submission = customer.submission + 1
    const guard = { ...customerMoves.submitData, ofSubmission: customer.submission, ofVersion: customer.version }
    // The issues stay visible to the customer while they are re-checked.
    const change = { ...customer, ...guard, data: { ...data, submission } }
    const changed = await store.changeStatus(tx, change)
    if (!changed) throw patchNotAllowed() // another PATCH was first
    await store.insertBlobs(tx, customer.organizationId, customer.customerId, blobIds)
    await deps.submissions.insert(tx, { ...changed, state: 'REVIEWING', delayMs: deps.reviewDelayMs })
    if (emptyDraft) await emptyDraft(tx)
    else await discardDraft(deps, tx, customer)
    return emit(deps, tx, 'customer.updated', { customer: changed, key, profile: data.profile })
  })
}

async function discardDraft(deps: CustomerDeps, tx: Tx, { organizationId, customerId }: Customer): Promise<void> {
  const blobIds = await deps.discardDraft(tx, organizationId, customerId)
  await store.releaseBlobs(tx, organizationId, blobIds)
}

/** Changes email and names alone. The status stays, and no review starts. */
function changeProfile(
  deps: CustomerDeps,
  opened: OpenCustomer,
  { profile, sealedProfile }: ReturnType<typeof sealCustomer>,
): Promise<CustomerView> {
  return deps.database.inTx(async (tx) => {
    const customer = await store.changeProfile(tx, opened.customer, sealedProfile)
    if (!customer) throw patchNotAllowed() // another PATCH was first
    return emit(deps, tx, 'customer.updated', { ...opened, customer, profile })
  })
}

function intakeOf(deps: CustomerDeps): IntakeOptions {
  return { ...deps, createId: newId }
}

/** Refuses a patch without content, and kycData or kybData without content. */
function requireSomething(body: unknown, stored: object): void {
  if (holdsSomething(body, stored)) return
  throw badFields([{ field: 'body', message: 'must have at least one field with content' }])
}

/**
 * Tells whether the body has any value. Blanks are none. An empty list is one, because it replaces the stored list, and
 * so is a null that clears a stored field.
 */
function holdsSomething(value: unknown, stored: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (value === null) return stored !== undefined
  if (typeof value !== 'object' || Array.isArray(value)) return value !== undefined
  const known = (stored ?? {}) as Record<string, unknown>
  return Object.entries(value).some(([name, inside]) => holdsSomething(inside, known[name]))
}

function requireOpenToData({ customer }: OpenCustomer): void {
  if (customer.erasedAt || !canMove(customerMoves, 'submitData', customer.status)) throw patchNotAllowed()
}

function patchNotAllowed(): Refusal {
  return new Refusal('PATCH_NOT_ALLOWED', 'Data can be submitted only in CREATED and NEEDS_ADDITIONAL_INFORMATION')
}
