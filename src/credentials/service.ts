import { hash } from 'node:crypto'
import type { Audit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { isWithin, parseIpRange } from '../lib/addresses/ip-range.ts'
import { type Caller, type Scope, scopes } from '../lib/caller.ts'
import type { Pages } from '../lib/pages.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import type { OrganizationService } from '../organizations/service.ts'
import type { TokenService } from '../tokens/service.ts'
import { tokenLifetimeSeconds } from '../tokens/signing-key.ts'
import { createAddressMemory } from './addresses.ts'
import { type Environment, environmentOf, hashApiKey, isApiKeyOf } from './api-key.ts'
import { findKeyOfAnyState, findKeyOfToken, type KeyOfAnyState } from './ended-key-store.ts'
import { createGrantCache, type Grant, type GrantCache } from './grant-cache.ts'
import { createKeyOperations, requireScopes } from './keys.ts'
import { createOperatorOperations } from './operator.ts'
import type { RulesOfKeys, WebhooksOfKeys } from './ports.ts'
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
  webhooks: WebhooksOfKeys
  rules: RulesOfKeys
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
/** Uses closer together are recorded as one. */
const useResolutionMs = 100

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
  const uses = createUseMemory(deps)
  const hashOn = createHashMemory()

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
      uses.note(grant.caller, address, nowMs())
      return grant.caller
    },

    /** Finds the caller of a credential that this process knows to be good, without a promise; undefined otherwise. */
    findKnown: (credential: string, address: string, connection: object): Caller | undefined => {
      const known = credential !== '' && deps.isFresh() ? cache.find(hashOn(connection, credential)) : undefined
      const now = nowMs()
      if (!known || known.staleAtMs <= now || known.expiresAtMs <= now || known.isSuspended) return undefined
      if (!isAllowed(known.allowedIps, address)) return undefined
      uses.note(known.caller, address, now)
      return known.caller
    },

    explain: createExplanation(deps),

    recordUses: uses.record,

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

/** Remembers when keys were used, and from which addresses. */
function createUseMemory(deps: CredentialDeps) {
  const uses = new Map<string, store.KeyUse>()
  const addresses = createAddressMemory(deps)
  return {
    note: ({ organizationId, apiKeyId }: Caller, address: string, now: number): void => {
      addresses.note({ organizationId, apiKeyId }, address)
      const use = uses.get(apiKeyId)
      if (use && now - use.at.getTime() < useResolutionMs) return
      uses.set(apiKeyId, { organizationId, apiKeyId, at: new Date(now) })
    },

    /** Stores when keys were last used, and from which addresses. Called every few seconds and before the process ends. */
    record: async (): Promise<void> => {
      // In order of their ids: two processes that write at once cannot deadlock.
      const batch = [...uses.values()].sort((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1))
      uses.clear()
      if (batch.length > 0) await store.recordUses(deps.database, batch)
      await addresses.record()
    },
  }
}

/**
 * Tells why a stored key, or a token that we signed, does not work, for `www-authenticate`. Who holds it may know; without
 * it, neither the hash of 256 random bits nor the signature can be guessed.
 */
function createExplanation({ database, environment, tokens, nowMs }: CredentialDeps) {
  const explainToken = async (credential: string, address: string): Promise<string | undefined> => {
    if (await tokens.isExpired(credential)) return 'The token has expired'
    const token = await tokens.read(credential)
    const key = token && (await findKeyOfToken(database, token))
    const reason = key && whyNotUsable(key, address, nowMs())
    return reason === undefined ? undefined : `${reason}: the token is of this key`
  }

  return async (credential: string, address: string): Promise<string | undefined> => {
    if (!environmentOf(credential)) return explainToken(credential, address)
    const key = await findKeyOfAnyState(database, hashApiKey(credential))
    if (!key) return undefined
    const isForeign = !isApiKeyOf(environment, credential)
    return whyNotUsable(key, address, nowMs(), isForeign)
  }
}

function whyNotUsable(key: KeyOfAnyState, address: string, nowMs: number, isForeign = false): string | undefined {
  if (key.revokedAt) return 'The API key was revoked'
  if (key.expiresAt && key.expiresAt.getTime() <= nowMs) return 'The API key has expired'
  if (isForeign) return 'The API key belongs to the other environment'
  return isAllowed(allowedLists(key), address) ? undefined : 'The API key may not be used from this address'
}

/** Both lists must allow an address; an empty one of the organization allows any. */
function allowedLists({ allowedIps, organizationIps }: Pick<store.LiveKey, 'allowedIps' | 'organizationIps'>) {
  return [allowedIps ?? [], organizationIps].filter((list) => list.length > 0).map(readRanges)
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
    allowedIps: allowedLists(key),
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

/**
 * Remembers the hash of the credential that a connection sent last, for as long as the connection is open: nearly all of
 * its requests send the same, and the hash would cost as much as the rest of the authentication.
 */
function createHashMemory() {
  const last = new WeakMap<object, { credential: string; hash: string }>()
  return (connection: object, credential: string): string => {
    const known = last.get(connection)
    if (known?.credential === credential) return known.hash
    const hash = cacheKey(credential)
    last.set(connection, { credential, hash })
    return hash
  }
}

function cacheKey(credential: string): string {
  return hash('sha256', credential, 'base64')
}

function isAllowed(lists: Grant['allowedIps'], text: string): boolean {
  if (lists.length === 0) return true
  const address = parseIpRange(text)
  return address !== undefined && lists.every((ranges) => ranges.some((range) => isWithin(address, range)))
}
