import type { Audit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { isWithin, parseIpRange } from '../lib/addresses/ip-range.ts'
import { type Caller, type Scope, scopes } from '../lib/caller.ts'
import type { Pages } from '../lib/pages.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import type { OrganizationService } from '../organizations/service.ts'
import type { TokenService } from '../tokens/service.ts'
import { tokenLifetimeSeconds } from '../tokens/signing-key.ts'
import { type Environment, environmentOf, hashApiKey, isApiKeyOf } from './api-key.ts'
import { createGrantCache, type Grant, type GrantCache } from './grant-cache.ts'
import { createKeyOperations, requireScopes } from './keys.ts'
import { createOperatorOperations } from './operator.ts'
import { readRanges } from './rights.ts'
import * as store from './store.ts'

export type Token = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }

export type CredentialDeps = {
  database: Database
  pages: Pages
  environment: Environment
  organizations: OrganizationService
  tokens: TokenService
  audit: Audit
  /** Who acts on the command line. */
  actor: string
  /** False while this process cannot tell whether a credential was revoked: it then ignores its cache. */
  isFresh(): boolean
  /** Real time by the database's clock. */
  nowMs(): number
  requestsPerMinute(tier: string, limits: { requestsPerMinute?: number }): number
  onWrongEnvironment(): void
}

const grantLivesMs = 60_000
const liveKeysKeptMs = 5_000

export type CredentialService = ReturnType<typeof createCredentialService>

/** Authenticates callers by API key or token, and manages API keys. */
export function createCredentialService(deps: CredentialDeps) {
  const cache = createGrantCache()
  return {
    ...createAuthentication(deps, cache),
    ...createKeyOperations(deps, cache.clear),
    ...createOperatorOperations(deps),
  }
}

/** Authenticates callers, mostly from the cache. Every bad credential gets the same answer. */
function createAuthentication(deps: CredentialDeps, cache: GrantCache) {
  const { database, environment, tokens, nowMs } = deps
  const uses = new Map<string, store.KeyUse>()

  const findGrant = async (credential: string): Promise<Grant | undefined> => {
    if (isApiKeyOf(environment, credential)) {
      const key = await store.findLiveKeyByHash(database, hashApiKey(credential))
      return key && grantOf(key, undefined, deps)
    }
    if (environmentOf(credential)) deps.onWrongEnvironment()
    const token = await tokens.read(credential, deps.isFresh())
    const key = token && (await store.findLiveKeyById(database, token.organizationId, token.apiKeyId))
    return key && grantOf(key, token, deps)
  }

  return {
    /** Drops every cached grant. Called when the revision of the credentials changes. */
    forget: cache.clear,

    isKnown: createRecognition(deps, cache),

    /** Finds the caller of a credential; undefined for every kind of bad one alike. Refuses suspended organizations. */
    authenticate: async (credential: string, address: string): Promise<Caller | undefined> => {
      if (credential === '') return undefined
      const hash = cacheKey(credential)
      const generation = cache.generation()
      const kept = deps.isFresh() ? cache.find(hash) : undefined
      const known = kept && kept.staleAtMs > nowMs() ? kept : undefined
      const grant = known ?? (await findGrant(credential))
      if (!grant || grant.expiresAtMs <= nowMs()) {
        cache.drop(hash)
        return undefined
      }
      if (!isAllowed(grant.allowedIps, address)) return undefined
      if (!known) cache.keep(hash, grant, generation)
      if (grant.isSuspended) throw new Refusal('FORBIDDEN', 'This organization is suspended: ask the operator of Svc')
      const { organizationId, apiKeyId } = grant.caller
      uses.set(apiKeyId, { organizationId, apiKeyId, at: new Date(nowMs()) })
      return grant.caller
    },

    /** Stores when keys were last used. Called every few seconds and before the process ends. */
    recordUses: async (): Promise<void> => {
      // In order of their ids: two processes that write at once cannot deadlock.
      const batch = [...uses.values()].sort((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1))
      uses.clear()
      if (batch.length > 0) await store.recordUses(database, batch)
    },

    issueToken: async (caller: Caller, wantedScope: string | undefined): Promise<Token> => {
      const wanted = wantedScope?.split(' ').filter(Boolean) ?? [...caller.scopes]
      const unknown = wanted.find((scope) => !scopes.includes(scope as Scope))
      if (unknown !== undefined || wanted.length === 0)
        throw badField('scope', 'must be scopes separated by spaces, such as "customers:read quotes:write"')
      requireScopes(caller, wanted as Scope[])
      const { organizationId, apiKeyId } = caller
      const access_token = await tokens.sign({ organizationId, apiKeyId, scopes: wanted as Scope[] })
      return { access_token, token_type: 'Bearer', expires_in: tokenLifetimeSeconds, scope: wanted.join(' ') }
    },
  }
}

/** Builds the grant of a key or token. A token has no scope that its key lacks, and ends no later. */
function grantOf(
  key: store.LiveKey,
  token: { scopes: Scope[]; expiresAtMs: number } | undefined,
  { requestsPerMinute, nowMs }: CredentialDeps,
): Grant {
  const own = [{ organizationId: key.organizationId, tier: key.tier }, ...key.children]
  const ends = [key.expiresAt?.getTime(), token?.expiresAtMs].filter((at) => at !== undefined)
  return {
    caller: {
      organizationId: key.organizationId,
      organizationIds: own.map(({ organizationId }) => organizationId),
      tiers: new Map(own.map(({ organizationId, tier }) => [organizationId, tier])),
      apiKeyId: key.apiKeyId,
      scopes: new Set(token ? token.scopes.filter((scope) => key.scopes.includes(scope)) : key.scopes),
      requestsPerMinute: requestsPerMinute(key.tier, key.limits),
      isToken: token !== undefined,
      isReviewer: key.isReviewer,
    },
    isSuspended: key.isSuspended,
    expiresAtMs: Math.min(...ends, Number.POSITIVE_INFINITY),
    // Both lists must allow an address; an empty one of the organization allows any.
    allowedIps: [key.allowedIps ?? [], key.organizationIps].filter((list) => list.length > 0).map(readRanges),
    staleAtMs: nowMs() + grantLivesMs,
  }
}

/**
 * Tells whether a credential is known to be good: this process accepted it before, it is a key that works, or a token
 * that we signed. Its caller is served even from a blocked address.
 */
function createRecognition({ database, environment, tokens, nowMs }: CredentialDeps, cache: GrantCache) {
  const liveKeys = createLiveKeys(database, nowMs)
  return async (credential: string): Promise<boolean> => {
    const hash = cacheKey(credential)
    if (cache.wasValid(hash)) return true
    if (isApiKeyOf(environment, credential)) return (await liveKeys.read()).has(hash)
    return (await tokens.read(credential)) !== undefined
  }
}

/**
 * Remembers the hashes of keys that work, for a few seconds: an address that guesses causes no more reads than that,
 * also while the database is away. Membership of a hash of 256 random bits tells a guesser nothing.
 */
function createLiveKeys(database: Database, nowMs: () => number) {
  let known: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
  let readAtMs = Number.NEGATIVE_INFINITY
  return {
    read: (): Promise<ReadonlySet<string>> => {
      if (nowMs() - readAtMs < liveKeysKeptMs) return known
      readAtMs = nowMs()
      const before = known
      known = store.listLiveHashes(database).then(
        (hashes) => new Set(hashes.map((hash) => hash.toString('base64'))),
        () => before,
      )
      return known
    },
  }
}

function cacheKey(credential: string): string {
  return hashApiKey(credential).toString('base64')
}

function isAllowed(lists: Grant['allowedIps'], text: string): boolean {
  if (lists.length === 0) return true
  const address = parseIpRange(text)
  return address !== undefined && lists.every((ranges) => ranges.some((range) => isWithin(address, range)))
}
