import type { Queryable } from '../db/database.ts'
import type { Caller, Scope } from '../lib/caller.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { ApiKey } from './api-key.ts'
import type { Organization, Tier } from './organization.ts'

const organizationColumns = `organization_id as "organizationId", parent_organization_id as "parentOrganizationId",
  name, tier, branding, limits, created_at as "createdAt"`
const apiKeyColumns = `organization_id as "organizationId", api_key_id as "apiKeyId", name, scopes,
  created_at as "createdAt", expires_at as "expiresAt"`

export async function insertOrganization(
  database: Queryable,
  organization: { organizationId: string; name: string; tier: Tier },
): Promise<void> {
  await database.query({
    text: 'insert into svc.organizations (organization_id, name, tier) values ($1, $2, $3)',
    values: [organization.organizationId, organization.name, organization.tier],
  })
}

/** The organization itself and its children: a parent reads and acts for them, never the other way round. */
export function listOrganizations(
  database: Queryable,
  organizationId: string,
  slice: PageSlice,
): Promise<Organization[]> {
  return database.query<Organization>({
    name: 'list organizations',
    text: `select ${organizationColumns} from svc.organizations
            where (organization_id = $1 or parent_organization_id = $1)
              and ($2::uuid is null or organization_id < $2)
            order by organization_id desc limit $3`,
    values: [organizationId, slice.after ?? null, slice.limit],
  })
}

export async function findOrganization(
  database: Queryable,
  callerOrganizationId: string,
  organizationId: string,
): Promise<Organization | undefined> {
  const [found] = await database.query<Organization>({
    name: 'find organization',
    text: `select ${organizationColumns} from svc.organizations
            where organization_id = $2 and (organization_id = $1 or parent_organization_id = $1)`,
    values: [callerOrganizationId, organizationId],
  })
  return found
}

/** Two processes may make the first organization on their first start: one waits for the other's transaction. */
export async function waitForOtherFirstStarts(transaction: Queryable): Promise<void> {
  await transaction.query({ text: `select pg_advisory_xact_lock(hashtext('svc first organization'))` })
}

/** The first organization of this deployment; only the local set-up asks for it. */
export async function findFirstOrganization(database: Queryable): Promise<{ organizationId: string } | undefined> {
  const [first] = await database.query<{ organizationId: string }>({
    text: 'select organization_id as "organizationId" from svc.organizations order by organization_id limit 1',
  })
  return first
}

export async function insertApiKey(
  database: Queryable,
  key: {
    organizationId: string
    apiKeyId: string
    name: string
    scopes: readonly Scope[]
    keyHash: Buffer
    expiresAt: Date | undefined
  },
): Promise<ApiKey> {
  const [inserted] = await database.query<ApiKey>({
    name: 'insert api key',
    text: `insert into svc.api_keys (organization_id, api_key_id, name, scopes, key_hash, expires_at)
           values ($1, $2, $3, $4, $5, $6) returning ${apiKeyColumns}`,
    values: [key.organizationId, key.apiKeyId, key.name, key.scopes, key.keyHash, key.expiresAt ?? null],
  })
  return inserted as ApiKey
}

/** Before this there is no organization to ask for: the hash itself is the secret that decides it. */
export async function findCallerByKeyHash(database: Queryable, keyHash: Buffer): Promise<Caller | undefined> {
  const [found] = await database.query<{ organizationId: string; apiKeyId: string; scopes: Scope[] }>({
    name: 'find caller by key hash',
    text: `select organization_id as "organizationId", api_key_id as "apiKeyId", scopes from svc.api_keys
            where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
    values: [keyHash],
  })
  return found && { ...found, scopes: new Set(found.scopes) }
}

/** Newest first: ids are made in order of time. */
export function listApiKeys(database: Queryable, organizationId: string, slice: PageSlice): Promise<ApiKey[]> {
  return database.query<ApiKey>({
    name: 'list api keys',
    text: `select ${apiKeyColumns} from svc.api_keys
            where organization_id = $1 and revoked_at is null and ($2::uuid is null or api_key_id < $2)
            order by api_key_id desc limit $3`,
    values: [organizationId, slice.after ?? null, slice.limit],
  })
}

export async function revokeApiKey(
  database: Queryable,
  organizationId: string,
  apiKeyId: string,
): Promise<ApiKey | undefined> {
  const [revoked] = await database.query<ApiKey>({
    name: 'revoke api key',
    text: `update svc.api_keys set revoked_at = clock_timestamp()
            where organization_id = $1 and api_key_id = $2 and revoked_at is null returning ${apiKeyColumns}`,
    values: [organizationId, apiKeyId],
  })
  return revoked
}
