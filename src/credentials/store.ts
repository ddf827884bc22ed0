import type { Queryable, Tx } from '../db/database.ts'
import type { Scope, Tier } from '../lib/caller.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { ApiKey } from './api-key.ts'

export const columns = `organization_id as "organizationId", api_key_id as "apiKeyId", name, scopes,
  created_at as "createdAt", expires_at as "expiresAt", allowed_ips as "allowedIps", last_used_at as "lastUsedAt",
  parent_api_key_id as "parentApiKeyId", rolled_at as "rolledAt", is_reviewer as "isReviewer"`

export type NewApiKey = {
  organizationId: string
  apiKeyId: string
  name: string
  scopes: readonly Scope[]
  keyHash: Buffer
  expiresAt: Date | null
  allowedIps: readonly string[] | null
  parentApiKeyId: string | null
  /** The key of the caller; null for a key of the command line. */
  createdByApiKeyId: string | null
  /** It came from a roll of its parent. */
  isSuccessor: boolean
  isReviewer: boolean
}

export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<ApiKey & { lineageLength: number }> {
  const [inserted] = await tx.query<ApiKey & { lineageLength: number }>({
    name: 'insert api key',
    text: `insert into svc.api_keys
             (organization_id, api_key_id, name, scopes, key_hash, expires_at, allowed_ips, parent_api_key_id,
              created_by_api_key_id, is_reviewer, is_successor, lineage)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, array(
             select ancestor from (
               select 1 as side, lineage from svc.api_keys where organization_id = $1 and api_key_id = $9
               union all
               select 2, lineage from svc.api_keys where organization_id = $1 and api_key_id = $8
               union all
               select 3, array[$2::uuid]) as led
              cross join unnest(lineage) with ordinality as listed (ancestor, place)
              group by ancestor order by min((side, place))))
           returning ${columns}, cardinality(lineage) as "lineageLength"`,
    values: [
      key.organizationId,
      key.apiKeyId,
      key.name,
      key.scopes,
      key.keyHash,
      key.expiresAt,
      key.allowedIps,
      key.parentApiKeyId,
      key.createdByApiKeyId,
      key.isReviewer,
      key.isSuccessor,
    ],
  })
  return inserted as ApiKey & { lineageLength: number }
}

/** A live key with all that authentication needs, read in one round trip. */
export type LiveKey = {
  organizationId: string
  children: { organizationId: string; tier: Tier }[]
  apiKeyId: string
  scopes: Scope[]
  expiresAt: Date | null
  allowedIps: string[] | null
  /** The addresses of all credentials of the organization; empty allows any. */
  organizationIps: string[]
  isSuspended: boolean
  isReviewer: boolean
  tier: Tier
  limits: { requestsPerMinute?: number }
}

const liveKey = `select k.organization_id as "organizationId", k.api_key_id as "apiKeyId", k.scopes,
    k.expires_at as "expiresAt", k.allowed_ips as "allowedIps",
    k.is_reviewer as "isReviewer",
    o.allowed_ips as "organizationIps", o.suspended_at is not null as "isSuspended", o.tier, o.limits,
    coalesce((select jsonb_agg(jsonb_build_object('organizationId', c.organization_id, 'tier', c.tier))
                from svc.organizations as c where c.parent_organization_id = k.organization_id
                 and c.suspended_at is null), '[]') as children
  from svc.api_keys as k join svc.organizations as o on o.organization_id = k.organization_id`

/** Finds a key by its hash alone: before authentication the organization is unknown. */
export async function findLiveKeyByHash(database: Queryable, keyHash: Buffer): Promise<LiveKey | undefined> {
  const [found] = await database.query<LiveKey>({
    name: 'find live key by hash',
    text: `${liveKey} where k.key_hash = $1 and k.revoked_at is null`,
    values: [keyHash],
  })
  return found
}

export async function findLiveKeyById(
  database: Queryable,
  organizationId: string,
  apiKeyId: string,
): Promise<LiveKey | undefined> {
  const [found] = await database.query<LiveKey>({
    name: 'find live key by id',
    text: `${liveKey} where k.organization_id = $1 and k.api_key_id = $2 and k.revoked_at is null`,
    values: [organizationId, apiKeyId],
  })
  return found
}

/** Lists the hashes of keys that work, those used or created last first: of more than any deployment has in use. */
export async function listLiveHashes(database: Queryable): Promise<Buffer[]> {
  const used = await database.query<{ keyHash: Buffer }>({
    name: 'list live key hashes',
    text: `select key_hash as "keyHash" from svc.api_keys
            where revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
            order by coalesce(last_used_at, created_at) desc limit 100000`,
  })
  return used.map(({ keyHash }) => keyHash)
}

/** Lists newest first: ids are ordered by time. */
export function listApiKeys(database: Queryable, organizationId: string, slice: PageSlice): Promise<ApiKey[]> {
  return database.query<ApiKey>({
    name: 'list api keys',
    text: `select ${columns} from svc.api_keys
            where organization_id = $1 and revoked_at is null and ($2::uuid is null or api_key_id < $2)
            order by api_key_id desc limit $3`,
    values: [organizationId, slice.after ?? null, slice.limit],
  })
}

/** Lists live keys for the operator, by organization and newest first: of one organization, or of all. */
export function listKeys(database: Queryable, organizationId: string | undefined, limit: number): Promise<ApiKey[]> {
  return database.query<ApiKey>({
    text: `select ${columns} from svc.api_keys
            where ($1::uuid is null or organization_id = $1) and revoked_at is null
            order by organization_id, api_key_id desc limit $2`,
    values: [organizationId ?? null, limit],
  })
}

/** Finds the id and organization of a key by its hash, also of a revoked one, for the operator. */
export async function findKeyIdByHash(database: Queryable, keyHash: Buffer): Promise<string | undefined> {
  const [found] = await database.query<{ apiKeyId: string }>({
    text: `select api_key_id as "apiKeyId" from svc.api_keys where key_hash = $1`,
    values: [keyHash],
  })
  return found?.apiKeyId
}

/** Finds whose key this is, for the operator. */
export async function findOrganizationOfKey(database: Queryable, apiKeyId: string): Promise<string | undefined> {
  const [found] = await database.query<{ organizationId: string }>({
    text: `select organization_id as "organizationId" from svc.api_keys where api_key_id = $1`,
    values: [apiKeyId],
  })
  return found?.organizationId
}

/** Tells whether an organization has another key than this one, working or not. */
export async function hasOtherKey(tx: Tx, { organizationId, apiKeyId }: ApiKey): Promise<boolean> {
  const [other] = await tx.query({
    name: 'find another api key',
    text: `select api_key_id from svc.api_keys where organization_id = $1 and api_key_id <> $2 limit 1`,
    values: [organizationId, apiKeyId],
  })
  return other !== undefined
}

/** The keys that a key ($2) of an organization ($1) has led to, and itself. */
const led = `with recursive led as (
  select $2::uuid as id
  union
  select k.api_key_id from led
    join svc.api_keys as k on k.organization_id = $1
     and (k.parent_api_key_id = led.id or k.created_by_api_key_id = led.id))`

/** Lists the keys that a key has led to and that work. */
export function listLiveDescendants(database: Queryable, organizationId: string, apiKeyId: string): Promise<ApiKey[]> {
  return database.query<ApiKey>({
    name: 'list live descendants',
    text: `${led}
           select ${columns} from svc.api_keys
            where organization_id = $1 and api_key_id in (select id from led) and api_key_id <> $2
              and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
    values: [organizationId, apiKeyId],
  })
}

/** Lists the ids of a key and of all keys that it has led to, also of those that have ended. */
export async function listLineage(tx: Tx, organizationId: string, apiKeyId: string): Promise<string[]> {
  const found = await tx.query<{ id: string }>({
    name: 'list lineage of api key',
    text: `${led} select id from led`,
    values: [organizationId, apiKeyId],
  })
  return found.map(({ id }) => id)
}

export type LockedKey = ApiKey & {
  isRevoked: boolean
  successorApiKeyId: string | null
  /** The key of the caller that created this one; null for a key of the command line. */
  createdByApiKeyId: string | null
}

/**
 * Finds keys, revoked ones included, and locks them against every change until the database transaction ends. In order
 * of their ids, which increase from a key to those it leads to: two callers that revoke each other cannot deadlock.
 */
export function lockApiKeys(tx: Tx, organizationId: string, apiKeyIds: readonly string[]): Promise<LockedKey[]> {
  return tx.query<LockedKey>({
    name: 'lock api keys',
    text: `select ${columns}, revoked_at is not null as "isRevoked", successor_api_key_id as "successorApiKeyId",
                  created_by_api_key_id as "createdByApiKeyId"
             from svc.api_keys
            where organization_id = $1 and api_key_id = any($2) order by api_key_id for update`,
    values: [organizationId, apiKeyIds],
  })
}

export async function revokeApiKeys(tx: Tx, organizationId: string, apiKeyIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'revoke api keys',
    text: `update svc.api_keys set revoked_at = clock_timestamp()
            where organization_id = $1 and api_key_id = any($2) and revoked_at is null`,
    values: [organizationId, apiKeyIds],
  })
}

export type Roll = { organizationId: string; apiKeyId: string; successorApiKeyId: string; endsAt: Date }

/** Ends a key with an overlap. It keeps an earlier end. */
export async function rollApiKey(tx: Tx, roll: Roll): Promise<void> {
  await tx.query({
    name: 'roll api key',
    text: `update svc.api_keys set rolled_at = coalesce(rolled_at, clock_timestamp()),
                  expires_at = least(expires_at, $3), successor_api_key_id = $4
            where organization_id = $1 and api_key_id = $2`,
    values: [roll.organizationId, roll.apiKeyId, roll.endsAt, roll.successorApiKeyId],
  })
}

export type KeyUse = { organizationId: string; apiKeyId: string; at: Date }

/**
 * Stores many uses in one statement. A later use that another process recorded stays. Locks the keys in the order of their
 * ids, as decisions about approvals do.
 */
export async function recordUses(database: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await database.query({
    name: 'record api key uses',
    text: `with used as materialized (
             select k.organization_id, k.api_key_id, noted.at
               from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as noted (organization_id, api_key_id, at)
               join svc.api_keys as k on k.organization_id = noted.organization_id and k.api_key_id = noted.api_key_id
              order by k.api_key_id for no key update of k)
           update svc.api_keys as k set last_used_at = greatest(k.last_used_at, used.at) from used
            where k.organization_id = used.organization_id and k.api_key_id = used.api_key_id`,
    values: [uses.map((use) => use.organizationId), uses.map((use) => use.apiKeyId), uses.map((use) => use.at)],
  })
}
