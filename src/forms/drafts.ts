import { randomBytes } from 'node:crypto'
import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import { statusesOpenToData } from '../customers/customer.ts'
import type { Identity, StoredImage } from '../customers/identity/identity.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database, Tx } from '../db/database.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { blobIdsOf, type Draft, newBlobIds, startDraft } from './draft.ts'
import { isCountryOfAddress, parsePath, type Steps, schemaAt, setAt, valueAt } from './paths.ts'
import { sessionEnded } from './session.ts'
import * as store from './store.ts'

export type SandboxDecision = { outcome: 'APPROVE' | 'NEEDS_INFO' | 'REJECT'; issues?: readonly IssueCode[] }

export type FormDeps = {
  database: Database
  customers: CustomerService
  /** Decides a verification at once; absent in production. */
  decideInSandbox?: (opened: OpenCustomer, decision: SandboxDecision) => Promise<void>
}

export type Change = { field: string; value?: unknown }
export type Answers = { page?: string | undefined; changes: readonly Change[] }

const mostDraftBytes = 500_000

export type OpenDraft = { draft: Draft; revision: number; stored: Identity; blobIds: readonly string[] }

export async function loadDraft({ database, customers }: FormDeps, opened: OpenCustomer): Promise<OpenDraft> {
  const { customer, key, profile } = opened
  const stored = customers.readIdentity(opened)
  const found = await store.findDraft(database, customer)
  const revision = found?.revision ?? 0
  const blobIds = found?.blobIds ?? []
  if (!key || !found?.sealedDraft || found.submission !== customer.submission) {
    return { draft: startDraft(customer.customerType, profile ?? {}, stored), revision, stored, blobIds }
  }
  const draft = JSON.parse(key.open(placeOf(customer), found.sealedDraft).toString()) as Draft
  return { draft, revision, stored, blobIds }
}

/** Loads a draft for a change. */
export async function openDraft(deps: FormDeps, opened: OpenCustomer, ofRevision: number): Promise<OpenDraft> {
  requireOpen(opened)
  const loaded = await loadDraft(deps, opened)
  if (loaded.revision !== ofRevision) throw changedElsewhere()
  return loaded
}

export function requireOpen({ customer }: OpenCustomer): void {
  if (statusesOpenToData.includes(customer.status)) return
  throw formLocked()
}

function formLocked(): Refusal {
  return new Refusal('PATCH_NOT_ALLOWED', 'The form is locked while the answers are reviewed')
}

const mostAttempts = 10

/** Changes the newest draft. A change that is made meanwhile makes it try again. */
export async function changeNewest(
  deps: FormDeps,
  opened: OpenCustomer,
  change: (before: OpenDraft) => Draft,
  image?: StoredImage,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await loadDraft(deps, opened)
    const draft = change(before)
    try {
      return await deps.database.inTx(async (tx) => {
        if (image) await deps.customers.ownImages(tx, opened, [image])
        await writeDraft(deps, tx, opened, before, draft)
      })
    } catch (error) {
      const isRace = error instanceof Refusal && error.code === 'CONFLICT'
      if (!isRace || attempt === mostAttempts) throw error
    }
  }
}

/** Refuses a file for a place in a list that may be that of another item by now. */
export function requireSamePlaces(draft: Draft, moves: number): void {
  if ((draft.moves ?? 0) !== moves) throw changedElsewhere()
}

export function changedElsewhere(): Refusal {
  return new Refusal('CONFLICT', 'The form was changed in another window or on another device')
}

/**
 * Writes a draft and lets a worker remove the files that it no longer refers to. Refuses it when the form was submitted,
 * or its link revoked, since the customer was read.
 */
export async function writeDraft(
  { customers }: FormDeps,
  tx: Tx,
  opened: OpenCustomer,
  before: OpenDraft,
  draft: Draft,
): Promise<void> {
  const { customer, key } = opened
  const now = await customers.lockForDraft(tx, opened)
  if (now?.linkVersion !== customer.linkVersion) throw sessionEnded()
  if (now.status !== customer.status || now.submission !== customer.submission) throw formLocked()
  if (!key) throw new Error('the key of the customer was destroyed')
  const content = JSON.stringify(draft)
  if (content.length > mostDraftBytes) throw badField('changes', 'must leave the form shorter')
  const blobIds = newBlobIds(draft.identity, before.stored)
  const { organizationId, customerId, submission, dataKeyId } = customer
  const sealedDraft = key.seal(placeOf(customer), content)
  const about = { organizationId, customerId, submission, dataKeyId }
  const written = await store.writeDraft(tx, { ...about, ofRevision: before.revision, sealedDraft, blobIds })
  if (written === undefined) throw changedElsewhere()
  const kept = new Set([...blobIds, ...blobIdsOf(before.stored)])
  const dropped = before.blobIds.filter((blobId) => !kept.has(blobId))
  await customers.releaseImages(tx, organizationId, dropped)
}

function placeOf({ customerId }: { customerId: string }) {
  return { table: 'form_drafts', row: customerId, column: 'draft' }
}

/** Applies answers to a draft, and counts the items that they remove from lists. */
export function applyChanges(draft: Draft, { page = draft.page, changes }: Answers): Draft {
  const identity = structuredClone(draft.identity)
  let { moves = 0 } = draft
  for (const change of changes) if (applyChange(identity, change)) moves += 1
  const { salt = randomBytes(16).toString('base64url') } = draft
  return { ...(page === undefined ? {} : { page }), moves, salt, identity }
}

/** Applies a change. Returns true when it removed an item of a list. */
function applyChange(identity: Identity, { field, value }: Change): boolean {
  const steps = parsePath(field)
  const schema = steps && schemaAt(steps)
  if (!steps || !schema) throw badField('changes', 'must name fields of the form')
  const isRemoval = value === null || value === undefined || value === ''
  const isItem = typeof steps.at(-1) === 'number'
  const isNewItem = isItem && isEmptyObject(value)
  if (!isRemoval && !isNewItem && !isPossible(schema.type, value)) throw badField(field, 'has a value of a wrong kind')
  const before = valueAt(identity, steps)
  // Another device has added the item meanwhile.
  if (isNewItem && valueAt(identity, steps) !== undefined) return false
  if (!setAt(identity, steps, isRemoval ? undefined : value)) throw badField(field, 'must follow the items before it')
  if (isCountryOfAddress(steps) && before !== undefined && before !== value) dropRegion(identity, steps)
  return isItem && isRemoval
}

/** The address has these fields by the rules of its country, so they do not outlive it. */
function dropRegion(identity: Identity, steps: Steps): void {
  for (const name of ['stateRegionProvince', 'postalCode']) setAt(identity, [...steps.slice(0, -1), name], undefined)
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

const mostText = 2_000

/** Tells whether a browser may save such a value. Files have no type, so they arrive by addFile alone. */
function isPossible(type: string | readonly string[] | undefined, value: unknown): boolean {
  // A number is saved as typed as well, so that the form can tell what is wrong with it.
  if (typeof value === 'string') return (type === 'string' || type === 'number') && isText(value)
  if (typeof value === 'boolean') return type === 'boolean'
  if (typeof value === 'number') return type === 'number'
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string' && isText(each))
  return type === 'array' && isTexts && value.length <= 50
}

/** The API refuses the character NUL in every text, and so does the form. */
function isText(value: string): boolean {
  return value.length <= mostText && !value.includes('\0')
}

export function placeFile(identity: Identity, steps: Steps, image: StoredImage): Identity {
  const changed = structuredClone(identity)
  if (!setAt(changed, steps, image)) throw badField('field', 'must follow the documents before it')
  return changed
}
