import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { Vault } from '../encryption/data-keys.ts'
import type { Caller } from '../lib/caller.ts'
import { createFormToken } from '../lib/form-link.ts'
import { newId } from '../lib/ids.ts'
import type { Pages } from '../lib/pages.ts'
import { notFound } from '../lib/refusal.ts'
import type { Customer } from './customer.ts'
import type { IntakeOptions } from './identity/intake.ts'
import type { SubmissionQueue, VerificationRules } from './ports.ts'
import { type CustomerView, presentCustomer } from './present.ts'
import { type OpenCustomer, openIdentity, unsealCustomer } from './sealed-customer.ts'
import * as store from './store.ts'

/** Says why a customer cannot be erased, for a reason of another capability: money or open work. */
export type ErasureObstacle = (tx: Tx, organizationId: string, customerId: string) => Promise<string | undefined>

export type CustomerDeps = Omit<IntakeOptions, 'createId' | 'organizationId'> & {
  database: Database
  pages: Pages
  vault: Vault
  audit: Audit
  formKey: Buffer
  /** The key of the hashes by which customers are found. */
  searchKey: Buffer
  formsUrl(): string
  /** The delay before the checks of a submission. The sandbox has one so that developers see UNDER_REVIEW. */
  reviewDelayMs: number
  /** The rails and networks that this deployment offers. */
  configuredMethods: readonly string[]
  /** The retention period of a customer's records after the last change of status. */
  retentionDays: number
  submissions: SubmissionQueue<Tx>
  rules: VerificationRules
  erasureObstacles: readonly ErasureObstacle[]
  /** Erase the data of other capabilities about a customer, in the database transaction of the erasure. */
  erasures: readonly ((tx: Tx, organizationId: string, customerId: string) => Promise<void>)[]
  /** Empties the draft of the hosted form when data comes from elsewhere, and returns the files of the draft alone. */
  discardDraft(tx: Tx, organizationId: string, customerId: string): Promise<string[]>
  /** Called in the database transaction in which a reviewer or the checks approve a customer. */
  onApproved(tx: Tx, customer: Pick<Customer, 'organizationId' | 'customerId'>): Promise<void>
  /** Called in the database transaction in which a customer becomes ACTIVE: payments may wait for it. */
  onActive?(tx: Tx, organizationId: string, customerId: string): Promise<void>
}

export async function openCustomer(
  deps: CustomerDeps,
  caller: Pick<Caller, 'organizationIds'>,
  customerId: string,
): Promise<OpenCustomer> {
  const found = await openById(deps, caller.organizationIds, customerId)
  if (!found) throw notFound()
  return found
}

export async function openById(
  { database, vault }: CustomerDeps,
  organizationIds: readonly string[],
  customerId: string,
): Promise<OpenCustomer | undefined> {
  const customer = await store.findCustomer(database, organizationIds, customerId)
  return customer && openStored(vault, customer)
}

/** Opens many customers of these organizations with two statements. */
export async function openMany(
  { database, vault }: CustomerDeps,
  organizationIds: readonly string[],
  customerIds: readonly string[],
): Promise<OpenCustomer[]> {
  const customers = await store.findCustomers(database, organizationIds, customerIds)
  const keyOf = await vault.unlockAll(customers)
  return customers.map((customer) =>
    // This process may still cache the key of an erased customer for a moment.
    unsealCustomer(customer, customer.erasedAt ? undefined : keyOf(customer)),
  )
}

export async function openStored(vault: Vault, customer: Customer): Promise<OpenCustomer> {
  // This process may still cache the key for a moment, but the sealed columns are empty.
  if (customer.erasedAt) return { customer, key: undefined, profile: undefined }
  return unsealCustomer(customer, await vault.unlock(customer.organizationId, customer.dataKeyId))
}

export function view({ formKey, formsUrl, rules }: CustomerDeps, opened: OpenCustomer): CustomerView {
  const { customer, profile } = opened
  const shown = {
    findDue: () => (profile ? rules.findDue({ ...customer, profile, identity: openIdentity(opened) }) : []),
    reviewDue: rules.reviewDue,
  }
  if (customer.erasedAt) return presentCustomer(customer, profile, undefined, shown)
  const token = createFormToken(formKey, 'verify', customer.customerId, customer.linkVersion)
  return presentCustomer(customer, profile, `${formsUrl()}/verify/${token}`, shown)
}

/** Appends an event with the customer as it is now, sealed with the customer's key, in the tx of the change. */
export async function emit(
  deps: CustomerDeps,
  tx: Tx,
  type: 'customer.created' | 'customer.updated',
  opened: OpenCustomer,
): Promise<CustomerView> {
  const shown = view(deps, opened)
  const { organizationId, customerId: resourceId, version: resourceVersion, dataKeyId } = opened.customer
  const eventId = newId()
  const about = { organizationId, eventId, type, resourceId, resourceVersion }
  if (!opened.key) await appendEvent(tx, { ...about, data: shown })
  else {
    const sealedData = opened.key.seal({ table: 'events', row: eventId, column: 'data' }, JSON.stringify(shown))
    await appendEvent(tx, { ...about, sealedData, dataKeyId })
  }
  return shown
}
