import type { Database, Queryable } from '../db/database.ts'
import { type Caller, type Scope, scopes } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { type ApiKey, type Environment, hashApiKey, isApiKeyOf, makeApiKeyText } from './api-key.ts'
import type { Organization } from './organization.ts'
import * as store from './store.ts'

export type CreateApiKey = { name: string; scopes: readonly Scope[]; expiresAt?: string }
export type CreatedApiKey = ApiKey & { apiKey: string }

export type OrganizationService = ReturnType<typeof makeOrganizationService>

export function makeOrganizationService(database: Database, pages: Pages, environment: Environment) {
  return {
    /** Who a bearer credential belongs to; undefined for every kind of bad one alike. */
    authenticate: async (credential: string): Promise<Caller | undefined> =>
      isApiKeyOf(environment, credential) ? store.findCallerByKeyHash(database, hashApiKey(credential)) : undefined,

    list: (caller: Caller, request: PageRequest) =>
      pages.read(
        { list: 'organizations', filters: { for: caller.organizationId } },
        request,
        (slice) => store.listOrganizations(database, caller.organizationId, slice),
        (organization) => organization.organizationId,
      ),

    read: async (caller: Caller, organizationId: string): Promise<Organization> => {
      const found = await store.findOrganization(database, caller.organizationId, organizationId)
      if (!found) throw notFound()
      return found
    },

    createApiKey: async (caller: Caller, wanted: CreateApiKey): Promise<CreatedApiKey> => {
      const missing = wanted.scopes.filter((scope) => !caller.scopes.has(scope))
      if (missing.length > 0) {
        throw new Refusal('FORBIDDEN', `A key can grant only scopes that it has; this one lacks ${missing.join(', ')}`)
      }
      const expiresAt = wanted.expiresAt === undefined ? undefined : new Date(wanted.expiresAt)
      // Credentials live by real time, whatever the sandbox clock says.
      if (expiresAt && expiresAt.getTime() <= Date.now()) throw badField('expiresAt', 'must be in the future')
      return insertKey(database, environment, { ...wanted, organizationId: caller.organizationId, expiresAt })
    },

    listApiKeys: (caller: Caller, request: PageRequest) =>
      pages.read(
        { list: 'api-keys', filters: { for: caller.organizationId } },
        request,
        (slice) => store.listApiKeys(database, caller.organizationId, slice),
        (key) => key.apiKeyId,
      ),

    revokeApiKey: async (caller: Caller, apiKeyId: string): Promise<ApiKey> => {
      const revoked = await store.revokeApiKey(database, caller.organizationId, apiKeyId)
      if (!revoked) throw notFound()
      return revoked
    },

    /** For the terminal of whoever runs the deployment: a key with every scope, in the first organization. */
    createFullKey: (name: string): Promise<CreatedApiKey> =>
      database.transaction(async (transaction) => {
        const organizationId = await ensureFirstOrganization(transaction)
        return insertKey(transaction, environment, { organizationId, name, scopes, expiresAt: undefined })
      }),
  }
}

async function ensureFirstOrganization(transaction: Queryable): Promise<string> {
  await store.waitForOtherFirstStarts(transaction)
  const existing = await store.findFirstOrganization(transaction)
  if (existing) return existing.organizationId
  const organizationId = newId()
  await store.insertOrganization(transaction, { organizationId, name: 'My organization', tier: 'BUILDER' })
  return organizationId
}

async function insertKey(
  database: Queryable,
  environment: Environment,
  key: { organizationId: string; name: string; scopes: readonly Scope[]; expiresAt: Date | undefined },
): Promise<CreatedApiKey> {
  const apiKey = makeApiKeyText(environment)
  const inserted = await store.insertApiKey(database, { ...key, apiKeyId: newId(), keyHash: hashApiKey(apiKey) })
  return { ...inserted, apiKey }
}
