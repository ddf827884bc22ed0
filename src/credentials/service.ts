import { BlockList, isIP } from 'node:net'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { type Caller, type Scope, scopes } from '../lib/caller.ts'
import { newId, platformOrganizationId } from '../lib/ids.ts'
import type { PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { OrganizationService } from '../organizations/service.ts'
import type { TokenService } from '../tokens/service.ts'
import { tokenLifetimeSeconds } from '../tokens/signing-key.ts'
import { type ApiKey, createApiKeyText, type Environment, environmentOf, hashApiKey, isApiKeyOf } from './api-key.ts'
import { createGrantCache, type Grant, type GrantCache } from './grant-cache.ts'
import * as store from './store.ts'

export type CreateApiKey = {
  name: string
  scopes: readonly Scope[]
  expiresAt?: string
  allowedIps?: readonly string[]
}
export type CreatedApiKey = ApiKey & { apiKey: string }
export type Token = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }

export type CredentialDeps = {
  database: Database
  pages: Pages
  environment: Environment
  organizations: OrganizationService
  tokens: TokenService
  audit: Audit
  /** False while this process cannot tell whether a credential was revoked: it then ignores its cache. */
  isFresh(): boolean
  /** Real time by the database's clock. */
  nowMs(): number
  requestsPerMinute(tier: string, limits: { requestsPerMinute?: number }): number
  onWrongEnvironment(): void
}

const grantLivesMs = 60_000

/** The scopes of a key of the platform: it reads the platform's own books and audit log, and the files of banks. */
const platformScopes: readonly Scope[] = ['ledger:read', 'audit:read']

export type CredentialService = ReturnType<typeof createCredentialService>

/** Authenticates callers by API key or token, and manages API keys. */
export function createCredentialService(deps: CredentialDeps) {
  const cache = createGrantCache()
  return { ...createAuthentication(deps, cache), ...createKeyOperations(deps, cache.clear) }
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
    const token = await tokens.read(credential)
    const key = token && (await store.findLiveKeyById(database, token.organizationId, token.apiKeyId))
    return key && grantOf(key, token, deps)
  }

  return {
    /** Drops every cached grant. Called when the revision of the credentials changes. */
    forget: cache.clear,

    /** Tells whether this process accepted the credential before: its caller is served even from a blocked address. */
    isKnown: (credential: string): boolean => cache.wasValid(cacheKey(credential)),

    /** Finds the caller of a credential; undefined for every kind of bad one alike. */
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

/** Creates, lists and revokes API keys. */
function createKeyOperations(deps: CredentialDeps, forget: () => void) {
  const { database, pages, organizations, audit, nowMs } = deps
  return {
    createApiKey: async (tx: Tx, caller: Caller, wanted: CreateApiKey): Promise<CreatedApiKey> => {
      requireScopes(caller, wanted.scopes)
      const expiresAt = wanted.expiresAt === undefined ? undefined : new Date(wanted.expiresAt)
      // Credentials expire by real time, regardless of the sandbox clock.
      if (expiresAt && expiresAt.getTime() <= nowMs()) throw badField('expiresAt', 'must be in the future')
      const badAt = (wanted.allowedIps ?? []).findIndex((range) => !isRange(range))
      if (badAt >= 0) throw badField(`allowedIps[${badAt}]`, 'must be an address or a range such as 192.0.2.0/24')
      const { name, allowedIps } = wanted
      const granted = [...new Set(wanted.scopes)]
      const key = { organizationId: caller.organizationId, name, scopes: granted, expiresAt, allowedIps }
      return insertKey(tx, deps, key, `api_key:${caller.apiKeyId}`)
    },

    listApiKeys: (caller: Caller, request: PageRequest) =>
      pages.read(
        { list: 'api-keys', filters: { for: caller.organizationId } },
        request,
        (slice) => store.listApiKeys(database, caller.organizationId, slice),
        (key) => key.apiKeyId,
      ),

    /** Revokes a key. This process refuses it at once, every other process within a second. */
    revokeApiKey: async (caller: Caller, apiKeyId: string): Promise<ApiKey> => {
      const { organizationId, apiKeyId: ownId } = caller
      const revoked = await database.inTx(async (tx) => {
        const found = await store.revokeApiKey(tx, organizationId, apiKeyId)
        if (!found) throw notFound()
        const act = { actor: `api_key:${ownId}`, action: 'api_key.revoked', subjectId: found.apiKeyId, details: {} }
        await audit.append(tx, { organizationId, ...act })
        await bumpRevision(tx, 'credentials')
        return found
      })
      forget()
      return revoked
    },

    /**
     * Creates a key with every scope for the operator, by default in the first organization. A key of the platform can
     * only read: the platform has no customers, and other organizations are none of its children.
     */
    createFullKey: (name: string, wantedOrganizationId?: string): Promise<CreatedApiKey> =>
      database.inTx(async (tx) => {
        const isPlatform = wantedOrganizationId === platformOrganizationId
        if (isPlatform) await organizations.ensurePlatform(tx)
        const organizationId = wantedOrganizationId ?? (await organizations.ensureFirst(tx))
        const given = isPlatform ? platformScopes : scopes
        const key = { organizationId, name, scopes: given, expiresAt: undefined, allowedIps: undefined }
        return insertKey(tx, deps, key, 'command line')
      }),
  }
}

async function insertKey(
  tx: Tx,
  { environment, audit }: CredentialDeps,
  key: Omit<store.NewApiKey, 'apiKeyId' | 'keyHash'>,
  actor: string,
): Promise<CreatedApiKey> {
  const apiKey = createApiKeyText(environment)
  const inserted = await store.insertApiKey(tx, { ...key, apiKeyId: newId(), keyHash: hashApiKey(apiKey) })
  const { organizationId, apiKeyId: subjectId } = inserted
  const act = { actor, action: 'api_key.created', subjectId, details: { scopes: [...key.scopes] } }
  await audit.append(tx, { organizationId, ...act })
  return { ...inserted, apiKey }
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
    },
    expiresAtMs: Math.min(...ends, Number.POSITIVE_INFINITY),
    allowedIps: key.allowedIps,
    staleAtMs: nowMs() + grantLivesMs,
  }
}

/** Refuses scopes that the caller itself lacks. */
function requireScopes(caller: Caller, wanted: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw new Refusal('FORBIDDEN', `A credential can grant only its own scopes; yours lacks ${missing.join(', ')}`)
}

function cacheKey(credential: string): string {
  return hashApiKey(credential).toString('base64')
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const widest = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest))
  )
}

function isAllowed(ranges: readonly string[] | null, address: string): boolean {
  if (ranges === null) return true
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(network, family)
    else list.addSubnet(network, Number(bits), family)
  }
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
