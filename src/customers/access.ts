import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { Vault } from '../encryption/data-keys.ts'
import type { Caller } from '../lib/caller.ts'
import { makeFormToken } from '../lib/form-link.ts'
import { newId } from '../lib/ids.ts'
import type { Pages } from '../lib/pages.ts'
import { notFound } from '../lib/refusal.ts'
import type { CustomerRow } from './customer.ts'
import type { IntakeOptions } from './identity/intake.ts'
import { type CustomerView, presentCustomer } from './present.ts'
import { type OpenCustomer, openCustomerRow } from './sealed-customer.ts'
import * as store from './store.ts'

/** Says why a customer cannot be forgotten, for reasons of another capability: money, open work. */
export type ErasureObstacle = (
  transaction: Queryable,
  organizationId: string,
  customerId: string,
) => Promise<string | undefined>

export type CustomerOptions = Omit<IntakeOptions, 'makeId'> & {
  database: Database
  pages: Pages
  vault: Vault
  audit: Audit
  formKey: Buffer
  formsUrl(): string
  /** How long a submission waits before it is checked; the sandbox gives people time to look. */
  reviewDelayMs: number
  /** Rails and networks this deployment can use. */
  configuredMethods: readonly string[]
  /** How long records of a customer are kept after the last change of status. */
  retentionDays: number
  erasureObstacles: readonly ErasureObstacle[]
  /** Told in the transaction in which a customer becomes ACTIVE: somebody may have waited for that. */
  onActive?(transaction: Queryable, organizationId: string, customerId: string): Promise<void>
}

export async function openCustomer(
  options: CustomerOptions,
  caller: Caller,
  customerId: string,
): Promise<OpenCustomer> {
  const found = await openById(options, caller.organizationIds, customerId)
  if (!found) throw notFound()
  return found
}

export async function openById(
  { database, vault }: CustomerOptions,
  organizationIds: readonly string[],
  customerId: string,
): Promise<OpenCustomer | undefined> {
  const row = await store.findCustomer(database, organizationIds, customerId)
  return row && openRow(vault, row)
}

/** Many of one organization at the price of two statements. */
export async function openMany(
  { database, vault }: CustomerOptions,
  organizationId: string,
  customerIds: readonly string[],
): Promise<OpenCustomer[]> {
  const rows = await store.findCustomers(database, organizationId, customerIds)
  const dataKeyIds = rows.map((row) => row.dataKeyId)
  const keys = await vault.unlockAll(organizationId, dataKeyIds)
  return rows.map((row) => openCustomerRow(row, keys.get(row.dataKeyId)))
}

export async function openRow(vault: Vault, row: CustomerRow): Promise<OpenCustomer> {
  // The key may still be in this process's memory for a moment; there is nothing left that it could open.
  if (row.erasedAt) return { row, key: undefined, profile: undefined }
  return openCustomerRow(row, await vault.unlock(row.organizationId, row.dataKeyId))
}

export function view({ formKey, formsUrl }: CustomerOptions, { row, profile }: OpenCustomer): CustomerView {
  if (row.erasedAt) return presentCustomer(row, profile, undefined)
  const token = makeFormToken(formKey, 'verify', row.customerId, row.linkVersion)
  return presentCustomer(row, profile, `${formsUrl()}/verify/${token}`)
}

/** The event is the customer as it is now, sealed with the customer's own key, in the transaction of the change. */
export async function emit(
  options: CustomerOptions,
  transaction: Queryable,
  type: 'customer.created' | 'customer.updated',
  customer: OpenCustomer,
): Promise<CustomerView> {
  const shown = view(options, customer)
  const { organizationId, customerId: resourceId, version: resourceVersion, dataKeyId } = customer.row
  const eventId = newId()
  const about = { organizationId, eventId, type, resourceId, resourceVersion }
  if (!customer.key) await appendEvent(transaction, { ...about, data: shown })
  else {
    const sealedData = customer.key.seal({ table: 'events', row: eventId, column: 'data' }, JSON.stringify(shown))
    await appendEvent(transaction, { ...about, sealedData, dataKeyId })
  }
  return shown
}
