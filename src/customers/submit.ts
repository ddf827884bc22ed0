import type { Tx } from '../db/database.ts'
import type { NewDataKey } from '../encryption/data-key.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { mergeDeep } from '../lib/merge.ts'
import { badFields, notFound, Refusal } from '../lib/refusal.ts'
import { mergeMetadata, type OwnDataChange, refusingTakenIds } from '../lib/resources/own-data.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { type CustomerDeps, emit, openById, openCustomer } from './access.ts'
import { type Customer, type CustomerType, customerMoves, customerTypes, type Profile } from './customer.ts'
import { keepFiles } from './files/quota.ts'
import { releaseBlobs } from './files/store.ts'
import { dropEmptyValues } from './identity/clearable.ts'
import type { Identity, StoredImage } from './identity/identity.ts'
import { type Intake, type IntakeOptions, inspectIdentity, storeImages } from './identity/intake.ts'
import { writeSearchHashes } from './list-store.ts'
import type { CustomerView, StoredProfile } from './present.ts'
import { type OpenCustomer, openIdentity, sealCustomer } from './sealed-customer.ts'
import { searchHashes } from './search.ts'
import * as store from './store.ts'

export type CreateCustomer = Profile & {
  externalId?: string
  customerType: CustomerType
  organizationId?: string
  kycData?: object
  kybData?: object
}

type ChangedCustomer = { [Name in Exclude<keyof Profile, 'metadata'>]?: Profile[Name] | null } & OwnDataChange & {
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
  externalId: string | null
  identity: Identity | undefined
  files: StoredImage[]
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
      const intake = intakeOf(deps, caller)
      const body = inspected.value as CreateCustomer
      const known = customerTypes.find((type) => type === body?.customerType)
      const accepted: Intake = await inspectIdentity(intake, known, inspected, {})
      const customerType = body.customerType
      const organizationId = (body.organizationId ?? caller.organizationId).toLowerCase()
      if (!caller.organizationIds.includes(organizationId)) throw notFound()
      const key = await deps.vault.prepareDataKey(organizationId)
      const files = await storeImages({ ...intake, organizationId }, accepted, key)
      const identity = holdsSomething(accepted.identity, {}) ? accepted.identity : undefined
      const externalId = body.externalId ?? null
      return { organizationId, customerId: newId(), customerType, key, given: body, externalId, identity, files }
    },

    /** Creates a customer in CREATED. Its data is queued in the same database transaction and reviewed right after. */
    create: async (tx: Tx, prepared: PreparedCustomer): Promise<CustomerView> => {
      const { key, given, identity, organizationId, customerId, customerType, externalId } = prepared
      await deps.vault.createDataKey(tx, key)
      const sealed = sealCustomer(key, prepared, given, identity ?? {})
      const inserted = store.insertCustomer(tx, {
        organizationId,
        customerId,
        customerType,
        dataKeyId: key.dataKeyId,
        submission: identity ? 1 : 0,
        sealedProfile: sealed.sealedProfile,
        sealedIdentity: identity ? sealed.sealedIdentity : null,
        externalId,
      })
      const customer = await refusingTakenIds(inserted)
      await writeSearch(deps, tx, customer, sealed.profile)
      await keepFiles(deps, tx, customer, prepared.files)
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
  const intake = intakeOf(deps, customer)
  const stored = openIdentity(opened)
  const accepted = await inspectIdentity(intake, customer.customerType, inspected, openIdentity(opened))
  const { kycData, kybData, externalId, metadata, ...changes } = inspected.value as ChangedCustomer
  const hasOwnData = externalId !== undefined || metadata !== undefined
  if (!hasOwnData) requireSomething(inspected.value, { ...profile, ...stored })
  dropEmptyValues(changes)
  if (!key || !profile) throw notFound()
  const given = {
    ...mergeDeep<Profile>(profile, changes as Partial<Profile>),
    metadata: mergeMetadata(profile.metadata ?? null, metadata) ?? {},
  }
  const hasData = holdsSomething(kycData, stored.kycData) || holdsSomething(kybData, stored.kybData)
  // Sealed after the files are stored: the data refers to them.
  const files = await storeImages(intake, accepted, key)
  const data = sealCustomer(key, customer, given, accepted.identity)
  if (!hasData) return refusingTakenIds(changeProfile(deps, opened, data, externalId))
  return refusingTakenIds(submitData(deps, opened, { data, externalId, files, emptyDraft }))
}

type Submission = {
  data: ReturnType<typeof sealCustomer>
  externalId: string | null | undefined
  files: readonly StoredImage[]
  emptyDraft: ((tx: Tx) => Promise<void>) | undefined
}

function submitData(
  deps: CustomerDeps,
  { customer, key }: OpenCustomer,
  { data, externalId, files, emptyDraft }: Submission,
): Promise<CustomerView> {
  return deps.database.inTx(async (tx) => {
    const submission = customer.submission + 1
    const guard = { ...customerMoves.submitData, ofSubmission: customer.submission, ofVersion: customer.version }
    // The issues stay visible to the customer while they are re-checked.
    const change = {
      ...customer,
      ...guard,
      data: { ...data, submission },
      ...(externalId === undefined ? {} : { newExternalId: externalId }),
    }
    const changed = await store.changeStatus(tx, change)
    if (!changed) throw patchNotAllowed() // another PATCH was first
    await writeSearch(deps, tx, changed, data.profile)
    await keepFiles(deps, tx, customer, files)
    await deps.submissions.insert(tx, { ...changed, state: 'REVIEWING', delayMs: deps.reviewDelayMs })
    if (emptyDraft) await emptyDraft(tx)
    else await discardDraft(deps, tx, customer)
    return emit(deps, tx, 'customer.updated', { customer: changed, key, profile: data.profile })
  })
}

async function discardDraft(deps: CustomerDeps, tx: Tx, { organizationId, customerId }: Customer): Promise<void> {
  const blobIds = await deps.discardDraft(tx, organizationId, customerId)
  await releaseBlobs(tx, organizationId, blobIds)
}

/** Changes email, names and own data alone. The status stays, and no review starts. */
function changeProfile(
  deps: CustomerDeps,
  opened: OpenCustomer,
  { profile, sealedProfile }: ReturnType<typeof sealCustomer>,
  externalId: string | null | undefined,
): Promise<CustomerView> {
  return deps.database.inTx(async (tx) => {
    const customer = await store.changeProfile(tx, opened.customer, sealedProfile, externalId)
    if (!customer) throw patchNotAllowed() // another PATCH was first
    await writeSearch(deps, tx, customer, profile)
    return emit(deps, tx, 'customer.updated', { ...opened, customer, profile })
  })
}

/** Makes the customer findable by its present email and name. */
function writeSearch({ searchKey }: CustomerDeps, tx: Tx, customer: Customer, profile: StoredProfile): Promise<void> {
  return writeSearchHashes(tx, customer, searchHashes(searchKey, customer.organizationId, profile))
}

function intakeOf(deps: CustomerDeps, { organizationId }: { organizationId: string }): IntakeOptions {
  return { ...deps, organizationId, createId: newId }
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
