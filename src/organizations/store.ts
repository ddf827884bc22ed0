import type { Queryable, Tx } from '../db/database.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { Organization, OrganizationChange, OrganizationTerms, Tier } from './organization.ts'

const columns = `organization_id as "organizationId", parent_organization_id as "parentOrganizationId", name, tier,
  branding, allowed_origins as "allowedOrigins", allowed_ips as "allowedIps", limits, suspended_at as "suspendedAt",
  decides_reviews as "decidesReviews", created_at as "createdAt"`

export type NewOrganization = { organizationId: string; parentOrganizationId: string | null; name: string; tier: Tier }

export async function insertOrganization(tx: Tx, organization: NewOrganization): Promise<Organization> {
  const [inserted] = await tx.query<Organization>({
    text: `insert into svc.organizations (organization_id, parent_organization_id, name, tier)
           values ($1, $2, $3, $4) returning ${columns}`,
    values: [organization.organizationId, organization.parentOrganizationId, organization.name, organization.tier],
  })
  return inserted as Organization
}

/** Lists newest first: ids are ordered by time. */
export function listOrganizations(
  database: Queryable,
  organizationIds: readonly string[],
  slice: PageSlice,
): Promise<Organization[]> {
  return database.query<Organization>({
    name: 'list organizations',
    text: `select ${columns} from svc.organizations
            where organization_id = any($1) and ($2::uuid is null or organization_id < $2)
            order by organization_id desc limit $3`,
    values: [organizationIds, slice.after ?? null, slice.limit],
  })
}

export async function findOrganization(database: Queryable, organizationId: string): Promise<Organization | undefined> {
  const [found] = await database.query<Organization>({
    name: 'find organization',
    text: `select ${columns} from svc.organizations where organization_id = $1`,
    values: [organizationId],
  })
  return found
}

/** Finds an organization, and locks it against every change until the database transaction ends. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<Organization | undefined> {
  const [found] = await tx.query<Organization>({
    name: 'lock organization',
    text: `select ${columns} from svc.organizations where organization_id = $1 for no key update`,
    values: [organizationId],
  })
  return found
}

export async function changeOrganization(
  tx: Tx,
  organizationId: string,
  change: OrganizationChange,
): Promise<Organization | undefined> {
  const [changed] = await tx.query<Organization>({
    name: 'change organization',
    text: `update svc.organizations
              set name = coalesce($2, name), branding = coalesce($3, branding),
                  allowed_origins = coalesce($4, allowed_origins), allowed_ips = coalesce($5, allowed_ips)
            where organization_id = $1 returning ${columns}`,
    values: [
      organizationId,
      change.name ?? null,
      change.branding ? JSON.stringify(change.branding) : null,
      change.allowedOrigins ?? null,
      change.allowedIps ?? null,
    ],
  })
  return changed
}

export async function setTerms(
  tx: Tx,
  organizationId: string,
  { tier, allowedIps, decidesReviews, ...limits }: OrganizationTerms,
): Promise<Organization | undefined> {
  const [changed] = await tx.query<Organization>({
    text: `update svc.organizations
              set tier = coalesce($2, tier), limits = limits || $3, allowed_ips = coalesce($4, allowed_ips),
                  decides_reviews = coalesce($5, decides_reviews)
            where organization_id = $1 returning ${columns}`,
    values: [organizationId, tier ?? null, JSON.stringify(limits), allowedIps ?? null, decidesReviews ?? null],
  })
  return changed
}

/** Suspends an organization with its children. Those that are suspended already keep their time. */
export function suspendWithChildren(tx: Tx, organizationId: string): Promise<Organization[]> {
  return tx.query<Organization>({
    text: `update svc.organizations set suspended_at = now()
            where (organization_id = $1 or parent_organization_id = $1) and suspended_at is null
        returning ${columns}`,
    values: [organizationId],
  })
}

/** Resumes an organization with the children that were suspended together with it. */
export function resumeWithChildren(tx: Tx, organizationId: string): Promise<Organization[]> {
  return tx.query<Organization>({
    text: `update svc.organizations as o set suspended_at = null
             from (select suspended_at from svc.organizations where organization_id = $1) as suspended
            where (o.organization_id = $1 or o.parent_organization_id = $1)
              and o.suspended_at = suspended.suspended_at
        returning ${columns.replace('suspended_at', 'o.suspended_at')}`,
    values: [organizationId],
  })
}

/** Lists the organizations that the platform decides for. */
export async function listOrganizationIds(database: Queryable): Promise<string[]> {
  const all = await database.query<{ organizationId: string }>({
    name: 'list organization ids',
    text: `select organization_id as "organizationId" from svc.organizations where organization_id <> $1`,
    values: [platformOrganizationId],
  })
  return all.map(({ organizationId }) => organizationId)
}

/** Serializes the first starts of several processes: each waits for the database transaction of the one before. */
export async function lockFirstStart(tx: Tx): Promise<void> {
  await tx.query({ text: `select pg_advisory_xact_lock(hashtext('svc first organization'))` })
}

/** Finds the first organization of the deployment beside the platform's own, for the local set-up. */
export async function findFirstOrganization(database: Queryable): Promise<{ organizationId: string } | undefined> {
  const [first] = await database.query<{ organizationId: string }>({
    text: `select organization_id as "organizationId" from svc.organizations
            where organization_id <> $1 order by organization_id limit 1`,
    values: [platformOrganizationId],
  })
  return first
}
