import { type Scope, scopes } from '../lib/caller.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import type { ApiKey } from './api-key.ts'
import { type CreatedApiKey, insertKey, type KeyDeps, readRights, revokeKeys } from './keys.ts'
import * as store from './store.ts'

/** The scopes of a key of the platform: it reads the platform's own books, and the files of banks. */
const platformScopes: readonly Scope[] = ['ledger:read', 'audit:read']

export type OperatorKey = {
  name: string
  /** By default the first organization. */
  organizationId?: string
  /** By default every scope that a key of the organization can have. */
  scopes?: readonly Scope[]
  expiresAt?: string
  allowedIps?: readonly string[]
}

/** Operations of the operator on the command line, on the keys of every organization. */
export function createOperatorOperations(deps: KeyDeps) {
  const { database, organizations, nowMs } = deps

  /**
   * Creates a key. A key of the platform can only read: the platform has no customers, and other organizations are none
   * of its children.
   */
  const createOperatorKey = (wanted: OperatorKey): Promise<CreatedApiKey> =>
    database.inTx(async (tx) => {
      const isPlatform = wanted.organizationId === platformOrganizationId
      const possible = isPlatform ? platformScopes : scopes
      const given = wanted.scopes ?? possible
      const foreign = given.filter((scope) => !possible.includes(scope))
      if (foreign.length > 0)
        throw new Refusal('FORBIDDEN', `A key of this organization cannot have ${foreign.join(', ')}`)
      const rights = { scopes: [...new Set(given)], ...readRights(wanted, nowMs()) }
      if (isPlatform) await organizations.ensurePlatform(tx)
      const organizationId = wanted.organizationId ?? (await organizations.ensureFirst(tx))
      const key = { organizationId, name: wanted.name, ...rights, parentApiKeyId: null }
      return insertKey(tx, deps, key, 'command line')
    })

  return {
    createOperatorKey,

    /** Creates a key with every scope that the organization can have. */
    createFullKey: (name: string, organizationId?: string): Promise<CreatedApiKey> =>
      createOperatorKey({ name, ...(organizationId === undefined ? {} : { organizationId }) }),

    /** Lists live keys, of one organization or of all. */
    listKeys: (organizationId: string | undefined): Promise<ApiKey[]> => store.listKeys(database, organizationId),

    /** Revokes a key of any organization. Every process refuses it within a second. Undefined when there is none. */
    revokeKey: (apiKeyId: string, isCascade: boolean): Promise<ApiKey | undefined> =>
      database.inTx(async (tx) => {
        const organizationId = await store.findOrganizationOfKey(tx, apiKeyId)
        const [found] = organizationId ? await store.lockApiKeys(tx, organizationId, [apiKeyId]) : []
        if (!found || (found.isRevoked && !isCascade)) return undefined
        return revokeKeys(tx, deps, found, { actor: 'command line', isCascade })
      }),
  }
}
