import type { Queryable, Tx } from '../db/database.ts'
import type { PageSlice } from '../lib/pages.ts'
import { type Customer, type CustomerStatus, statusesOpenToData, type VerificationIssue } from './customer.ts'

export const columns = `customer.organization_id as "organizationId", customer.customer_id as "customerId",
  customer.customer_type as "customerType", customer.status, customer.version, customer.submission,
  customer.data_key_id as "dataKeyId", customer.sealed_profile as "sealedProfile",
  customer.sealed_identity as "sealedIdentity", customer.issues, customer.review_opened_at as "reviewOpenedAt",
  customer.link_version as "linkVersion", (select svc.now()) as "readAt",
  customer.created_at as "createdAt", customer.updated_at as "updatedAt",
  customer.erased_at as "erasedAt", customer.external_id as "externalId"`

export type NewCustomer = Pick<
  Customer,
  | 'organizationId'
  | 'customerId'
  | 'customerType'
  | 'dataKeyId'
  | 'sealedProfile'
  | 'sealedIdentity'
  | 'submission'
  | 'externalId'
>

export async function insertCustomer(tx: Tx, customer: NewCustomer): Promise<Customer> {
  const [inserted] = await tx.query<Customer>({
    name: 'insert customer',
    text: `insert into svc.customers as customer (organization_id, customer_id, customer_type, status, submission,
             data_key_id, sealed_profile, sealed_identity, external_id, created_at, updated_at)
           values ($1, $2, $3, 'CREATED', $4, $5, $6, $7, $8, svc.now(), svc.now()) returning ${columns}`,
    values: [
      customer.organizationId,
      customer.customerId,
      customer.customerType,
      customer.submission,
      customer.dataKeyId,
      customer.sealedProfile,
      customer.sealedIdentity,
      customer.externalId,
    ],
  })
  return inserted as Customer
}

export async function findCustomer(
  database: Queryable,
  organizationIds: readonly string[],
  customerId: string,
): Promise<Customer | undefined> {
  const [found] = await database.query<Customer>({
    name: 'find customer',
    text: `select ${columns} from svc.customers as customer
            where customer.organization_id = any($1) and customer.customer_id = $2`,
    values: [organizationIds, customerId],
  })
  return found
}

/** Finds the customer that a link names. The link tells no organization; the MAC of its token was checked before. */
export async function findCustomerOfLink(database: Queryable, customerId: string): Promise<Customer | undefined> {
  const [found] = await database.query<Customer>({
    name: 'find customer of link',
    text: `select ${columns} from svc.customers as customer where customer.customer_id = $1`,
    values: [customerId],
  })
  return found
}

export function findCustomers(
  database: Queryable,
  organizationIds: readonly string[],
  customerIds: readonly string[],
): Promise<Customer[]> {
  return database.query<Customer>({
    name: 'find customers',
    text: `select ${columns} from svc.customers as customer
            where customer.organization_id = any($1) and customer.customer_id = any($2)`,
    values: [organizationIds, customerIds],
  })
}

/**
 * Lists newest first, by index for each organization: ids are ordered by time. Only customers who can submit data come
 * with their identity, from which their requirements are computed.
 */
export function listCustomers(
  database: Queryable,
  organizationIds: readonly string[],
  slice: PageSlice,
): Promise<Customer[]> {
  return database.query<Customer>({
    name: 'list customers',
    text: `select ${columns} from unnest($1::uuid[]) as mine (organization_id)
             cross join lateral (
               select organization_id, customer_id, customer_type, status, version, submission, data_key_id,
                      sealed_profile, case when status = any($4) then sealed_identity end as sealed_identity, issues,
                      review_opened_at, link_version, created_at, updated_at, erased_at, external_id
                 from svc.customers
                where organization_id = mine.organization_id and ($2::uuid is null or customer_id < $2)
                order by customer_id desc limit $3) as customer
            order by customer.customer_id desc limit $3`,
    values: [organizationIds, slice.after ?? null, slice.limit, statusesOpenToData],
  })
}

export type StatusChange = {
  organizationId: string
  customerId: string
  from: readonly CustomerStatus[]
  to: CustomerStatus
  /** Unchanged unless given. */
  issues?: readonly VerificationIssue[]
  /** Guards against the outcome of an older submission. */
  ofSubmission?: number
  /** Guards against any change since the customer was read. */
  ofVersion?: number
  /** The rails and networks that the customer may use, set when it becomes ACTIVE. */
  allowed?: { methods: readonly string[]; by: string }
  /** The data of a new submission. */
  data?: { submission: number; sealedProfile: Buffer; sealedIdentity: Buffer }
  /** Unchanged unless given. */
  newExternalId?: string | null
}

/** Changes the status with one guarded update. The loser of a race gets undefined. */
export async function changeStatus(tx: Tx, change: StatusChange): Promise<Customer | undefined> {
  const { data } = change
  const [changed] = await tx.query<Customer>({
    name: 'change customer status',
    text: `update svc.customers as customer
              set status = $4, version = version + 1, updated_at = svc.now(), issues = coalesce($5::jsonb, issues),
                  review_opened_at = null,
                  submission = coalesce($7, submission), sealed_profile = coalesce($8, sealed_profile),
                  sealed_identity = coalesce($9, sealed_identity),
                  allowed_methods = coalesce($10, allowed_methods), allowed_by = coalesce($11, allowed_by),
                  external_id = case when $13 then $14 else external_id end
            where organization_id = $1 and customer_id = $2 and status = any($3) and erased_at is null
              and ($6::int is null or submission = $6) and ($12::int is null or version = $12)
        returning ${columns}`,
    values: [
      change.organizationId,
      change.customerId,
      change.from,
      change.to,
      change.issues ? JSON.stringify(change.issues) : null,
      change.ofSubmission ?? null,
      data?.submission ?? null,
      data?.sealedProfile ?? null,
      data?.sealedIdentity ?? null,
      change.allowed?.methods ?? null,
      change.allowed?.by ?? null,
      change.ofVersion ?? null,
      change.newExternalId !== undefined,
      change.newExternalId ?? null,
    ],
  })
  return changed
}

/** Replaces the data of a submission under review by the same data with what was read in its pictures. */
export async function writeReadings(
  database: Queryable,
  { organizationId, customerId, submission }: Pick<Customer, 'organizationId' | 'customerId' | 'submission'>,
  sealedIdentity: Buffer,
): Promise<void> {
  await database.query({
    name: 'write readings',
    text: `update svc.customers set sealed_identity = $4
            where organization_id = $1 and customer_id = $2 and submission = $3 and status = 'UNDER_REVIEW'
              and erased_at is null`,
    values: [organizationId, customerId, submission, sealedIdentity],
  })
}

/** Notes that the newest submission waits for a reviewer. `updated_at` stays: it tells the last change of status. */
export async function markReview(
  tx: Tx,
  { organizationId, customerId, submission }: Pick<Customer, 'organizationId' | 'customerId' | 'submission'>,
): Promise<Customer | undefined> {
  const [marked] = await tx.query<Customer>({
    name: 'mark customer in review',
    text: `update svc.customers as customer set review_opened_at = svc.now(), version = version + 1
            where organization_id = $1 and customer_id = $2 and submission = $3 and status = 'UNDER_REVIEW'
              and review_opened_at is null and erased_at is null
        returning ${columns}`,
    values: [organizationId, customerId, submission],
  })
  return marked
}

/** Replaces the link of the hosted form, which ends every session of the former one; undefined after an erasure. */
export async function replaceLink(
  tx: Tx,
  { organizationId, customerId }: Pick<Customer, 'organizationId' | 'customerId'>,
): Promise<Customer | undefined> {
  const [changed] = await tx.query<Customer>({
    name: 'replace customer link',
    text: `update svc.customers as customer set link_version = link_version + 1, version = version + 1
            where organization_id = $1 and customer_id = $2 and erased_at is null
        returning ${columns}`,
    values: [organizationId, customerId],
  })
  return changed
}

/** Locks a customer against changes, but not against other drafts; undefined after an erasure. */
export async function lockForDraft(
  tx: Tx,
  { organizationId, customerId }: Pick<Customer, 'organizationId' | 'customerId'>,
): Promise<Pick<Customer, 'status' | 'submission' | 'linkVersion'> | undefined> {
  const [locked] = await tx.query<Pick<Customer, 'status' | 'submission' | 'linkVersion'>>({
    name: 'lock customer for a draft',
    text: `select status, submission, link_version as "linkVersion" from svc.customers
            where organization_id = $1 and customer_id = $2 and erased_at is null for share`,
    values: [organizationId, customerId],
  })
  return locked
}

/** Replaces the profile of a customer who can submit data, unless the customer changed meanwhile. */
export async function changeProfile(
  tx: Tx,
  { organizationId, customerId, version }: Pick<Customer, 'organizationId' | 'customerId' | 'version'>,
  sealedProfile: Buffer,
  externalId: string | null | undefined,
): Promise<Customer | undefined> {
  const [changed] = await tx.query<Customer>({
    name: 'change customer profile',
    text: `update svc.customers as customer
              set sealed_profile = $4, version = version + 1, external_id = case when $6 then $7 else external_id end
            where organization_id = $1 and customer_id = $2 and version = $3 and status = any($5) and erased_at is null
        returning ${columns}`,
    values: [
      organizationId,
      customerId,
      version,
      sealedProfile,
      statusesOpenToData,
      externalId !== undefined,
      externalId ?? null,
    ],
  })
  return changed
}

/** Stores the recomputed methods of a customer, unless the customer changed meanwhile. */
export async function writeAllowedMethods(
  database: Queryable,
  { organizationId, customerId, version }: Pick<Customer, 'organizationId' | 'customerId' | 'version'>,
  allowed: { methods: readonly string[]; by: string },
): Promise<void> {
  await database.query({
    name: 'write allowed methods',
    text: `update svc.customers set allowed_methods = $4, allowed_by = $5
            where organization_id = $1 and customer_id = $2 and version = $3`,
    values: [organizationId, customerId, version, allowed.methods, allowed.by],
  })
}
