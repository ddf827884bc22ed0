import type { Tx } from '../db/database.ts'
import { platformScope, type Scope, scopes } from '../lib/caller.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import { type ApiKey, hashApiKey } from './api-key.ts'
import { type CreatedApiKey, insertKey, type KeyDeps, readRights } from './keys.ts'
import { type Revocation, revokeKeys } from './revocation.ts'
import * as store from './store.ts'

/**
 * The scopes of a key of the platform: it reads the platform's own books and audit log and the files of banks, and
 * decides reviews of every organization. It submits nothing, so its decision is that of a second person.
 */
const platformScopes: readonly Scope[] = [
  'ledger:read',
  'audit:read',
  'reviews:read',
  'reviews:write',
  'reviews:documents',
  platformScope,
]
const organizationScopes = scopes.filter((scope) => scope !== platformScope)
/**
 * The scopes that a key has only where the operator asks for them: its finder must not be able to revoke every other key,
 * to lift the limits of what it pays, or to approve what another stolen key pays.
 */
const askedScopes: readonly Scope[] = ['api_keys:admin', 'policies:write', 'approvals:write']
const commonScopes = organizationScopes.filter((scope) => !askedScopes.includes(scope))

/**
 * The scopes that a reviewer's key can have. It reads nothing else, but deposits that wait for a decision: what other
 * operations show of a customer has the link of the customer's form, which submits data.
 */
const reviewerScopes: readonly Scope[] = ['reviews:read', 'reviews:write', 'reviews:documents']

/** The most keys that the operator sees at once. */
export const mostListed = 10_000

export type OperatorKey = {
  name: string
  /** By default the first organization. */
  organizationId?: string
  /** By default every scope that a key of the organization can have, but those to be asked for. */
  scopes?: readonly Scope[]
  expiresAt?: string
  allowedIps?: readonly string[]
  /** Marks the key as a reviewer's. */
  isReviewer?: boolean
}

/** Operations of the operator on the command line, on the keys of every organization. */
export function createOperatorOperations(deps: KeyDeps) {
  const { database, organizations, nowMs } = deps

  /**
   * Creates a key. The platform has no customers, and other organizations are none of its children: beside reviews, a
   * key of the platform reads what belongs to the platform alone.
   */
  const createOperatorKey = (wanted: OperatorKey): Promise<CreatedApiKey> =>
    database.inTx(async (tx) => {
      const isPlatform = wanted.organizationId === platformOrganizationId
      const isReviewer = wanted.isReviewer ?? false
      if (isPlatform && isReviewer) throw new Refusal('FORBIDDEN', 'Keys of the platform decide reviews without a mark')
      const possible = isPlatform ? platformScopes : isReviewer ? reviewerScopes : organizationScopes
      const given = wanted.scopes ?? (possible === organizationScopes ? commonScopes : possible)
      const foreign = given.filter((scope) => !possible.includes(scope))
      if (foreign.length > 0) throw new Refusal('FORBIDDEN', `This kind of key cannot have ${foreign.join(', ')}`)
      const rights = { scopes: [...new Set(given)], ...readRights(wanted, nowMs()) }
      if (isPlatform) await organizations.ensurePlatform(tx)
      const organizationId = wanted.organizationId ?? (await organizations.ensureFirst(tx))
      const key = {
        organizationId,
        name: wanted.name,
        ...rights,
        parentApiKeyId: null,
        createdByApiKeyId: null,
        isSuccessor: false,
        isReviewer,
      }
      return insertKey(tx, deps, key, deps.actor)
    })

  return {
    createOperatorKey,

    /** Creates a key with every scope that the organization can have, those to be asked for included. */
    createFullKey: (name: string, organizationId?: string): Promise<CreatedApiKey> =>
      createOperatorKey({
        name,
        scopes: organizationId === platformOrganizationId ? platformScopes : organizationScopes,
        ...(organizationId === undefined ? {} : { organizationId }),
      }),

    /** Lists live keys, of one organization or of all. */
    listKeys: (organizationId: string | undefined): Promise<ApiKey[]> =>
      store.listKeys(database, organizationId, mostListed),

    /** Finds the id of a key by the key itself, as a log or a scanner shows it after a leak. */
    findKeyId: (apiKey: string): Promise<string | undefined> => store.findKeyIdByHash(database, hashApiKey(apiKey)),

    /**
     * Revokes a key of any organization. Every process refuses it within a second. Tells how many keys that it has led
     * to still work.
     */
    revokeKey: async (apiKeyId: string, isCascade: boolean): Promise<Revocation & { stillLive: number }> => {
      const find = async (tx: Tx) => {
        const organizationId = await store.findOrganizationOfKey(tx, apiKeyId)
        const [found] = organizationId ? await store.lockApiKeys(tx, organizationId, [apiKeyId]) : []
        if (!found || (found.isRevoked && !isCascade))
          throw new Error(`There is no key ${apiKeyId} that is not revoked.`)
        return found
      }
      const revocation = await revokeKeys(deps, find, { actor: deps.actor, isCascade, onRevoked: () => {} })
      const { organizationId } = revocation.key
      const stillLive = (await store.listLiveDescendants(database, organizationId, apiKeyId)).length
      return { ...revocation, stillLive }
    },
  }
}
