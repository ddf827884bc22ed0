import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import { bumpRevision } from '../db/revisions.ts'
import { parseIpRange } from '../lib/addresses/ip-range.ts'
import type { Caller, Scope } from '../lib/caller.ts'
import { parseDuration } from '../lib/duration.ts'
import { newId } from '../lib/ids.ts'
import type { PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { OrganizationService } from '../organizations/service.ts'
import { holdKey, holdSuccessor } from './answering-store.ts'
import { type ApiKey, createApiKeyText, type Environment, hashApiKey } from './api-key.ts'
import type { RulesOfKeys, WebhooksOfKeys } from './ports.ts'
import { handOver, type Revocation, revokeKeys } from './revocation.ts'
import { commonAddresses, earlier, includesRights, type KeyRights, requireAddresses } from './rights.ts'
import { requireRoom } from './room.ts'
import * as store from './store.ts'
import { presentApiKey } from './wire.ts'

export type CreateApiKey = {
  name: string
  scopes: readonly Scope[]
  expiresAt?: string
  allowedIps?: readonly string[]
}
export type CreatedApiKey = ApiKey & { apiKey: string }

export type KeyDeps = {
  database: Database
  pages: Pages
  environment: Environment
  organizations: OrganizationService
  audit: Audit
  webhooks: WebhooksOfKeys
  rules: RulesOfKeys
  /** Who acts on the command line. */
  actor: string
  /** Real time by the database's clock. */
  nowMs(): number
}

/** The most keys that lead from one of the command line to another: each key stores them. */
const longestLineage = 1_000
const longestOverlapSeconds = 30 * 24 * 3_600
/** A key that rolls itself works at least this long: its owner may have lost the answer, and rolls it once more. */
const shortestOwnOverlapSeconds = 600

/**
 * Creates, lists, rolls and revokes the keys of an API caller's organization. A key creates none with more rights than
 * its own.
 */
export function createKeyOperations(deps: KeyDeps, forget: () => void) {
  const { database, pages, nowMs } = deps
  return {
    /** Creates a key that ends no later than the caller's, and works from none but its addresses. */
    createApiKey: async (tx: Tx, caller: Caller, wanted: CreateApiKey): Promise<CreatedApiKey> => {
      refuseToken(caller)
      requireScopes(caller, wanted.scopes)
      const { expiresAt, allowedIps } = readRights(wanted, nowMs())
      const own = requireLive((await lockBoth(tx, caller, caller.apiKeyId)).own)
      const key = {
        organizationId: caller.organizationId,
        name: wanted.name,
        scopes: [...new Set(wanted.scopes)],
        expiresAt: earlier(own.expiresAt, expiresAt),
        allowedIps: requireAddresses(commonAddresses(own.allowedIps, allowedIps)),
        parentApiKeyId: own.apiKeyId,
        createdByApiKeyId: own.apiKeyId,
        isSuccessor: false,
        isReviewer: false,
      }
      await requireRoom(tx, caller)
      return insertKey(tx, deps, key, actorOf(caller))
    },

    listApiKeys: (caller: Caller, request: PageRequest) =>
      pages.read(
        { list: 'api-keys', filters: { for: caller.organizationId } },
        request,
        (slice) => store.listApiKeys(database, caller.organizationId, slice),
        (key) => key.apiKeyId,
      ),

    rollApiKey: (tx: Tx, caller: Caller, apiKeyId: string, readBody: () => { overlap: string }) =>
      rollKey(tx, deps, caller, { apiKeyId, readBody }),

    /**
     * Holds the key of a caller, which answers for what it creates, against a revocation. A rolled key answers itself: what
     * its finder creates during the overlap ends with it.
     */
    holdKey: async (tx: Tx, { organizationId, apiKeyId }: Caller) => {
      const { expiresAt } = (await holdKey(tx, organizationId, apiKeyId)) ?? requireLive(undefined)
      return { organizationId, apiKeyId, expiresAt }
    },

    /** Finds the successor that answers for what an expired key has created, and holds it against a revocation. */
    holdSuccessor: (tx: Tx, key: { organizationId: string; apiKeyId: string }) =>
      holdSuccessor(tx, key.organizationId, key.apiKeyId),

    /**
     * Revokes a key. This process refuses it at once, every other process within a second. The answer is the same when
     * the key was revoked before.
     */
    revokeApiKey: async (caller: Caller, apiKeyId: string, isCascade: boolean): Promise<Revocation> => {
      const find = async (tx: Tx) => {
        const { found, own } = await lockBoth(tx, caller, apiKeyId)
        if (!found) throw notFound()
        const live = requireLive(own)
        if (caller.scopes.has('api_keys:admin')) return found
        const led = isCascade ? await store.listLiveDescendants(tx, found.organizationId, found.apiKeyId) : []
        for (const each of [found, ...led]) requireRightsOf(caller, live, each)
        return found
      }
      const revocation = await revokeKeys(deps, find, { actor: actorOf(caller), isCascade, onRevoked: forget })
      // A key that leaked and was revoked alone may have led to others: a cascade tells what it has added.
      return isCascade ? revocation : { ...revocation, revokedApiKeyIds: [revocation.key.apiKeyId] }
    },
  }
}

/** Creates the successor of a key, with the same rights. The key itself ends after the overlap. */
async function rollKey(
  tx: Tx,
  deps: KeyDeps,
  caller: Caller,
  { apiKeyId, readBody }: { apiKeyId: string; readBody: () => { overlap: string } },
): Promise<CreatedApiKey & { predecessorEndsAt: Date }> {
  const { audit, nowMs } = deps
  const { found, own } = await lockBoth(tx, caller, apiKeyId)
  if (!found || found.isRevoked) throw notFound()
  refuseToken(caller)
  if (!includesRights(requireLive(own), found))
    throw new Refusal('FORBIDDEN', 'A key can roll only keys that have no more rights than its own')
  // A successor would hand the mark of a reviewer to the caller.
  if (found.isReviewer) throw new Refusal('FORBIDDEN', "Only the operator of Svc replaces a reviewer's key")
  const lost = await requireRollable(tx, found, caller, nowMs())
  const isOwn = found.apiKeyId === caller.apiKeyId
  // A rolled key ends soon, and its successor may not.
  if (lost && !isOwn && !includesRights(requireLive(own), lost))
    throw new Refusal('FORBIDDEN', 'A key can replace only successors that have no more rights than its own')
  const endsAt = readOverlap(readBody().overlap, nowMs(), isOwn ? shortestOwnOverlapSeconds : 0)
  const { organizationId, name, scopes, allowedIps } = found
  // The end of a rolled key is that of its overlap; its first successor has kept the former one.
  const { expiresAt } = lost ?? found
  const successor = {
    organizationId,
    name,
    scopes,
    expiresAt,
    allowedIps,
    parentApiKeyId: found.apiKeyId,
    // Not always the rolled key itself: the finder of a leaked key may have rolled another.
    createdByApiKeyId: caller.apiKeyId,
    isSuccessor: true,
    isReviewer: false,
  }
  await requireRoom(tx, caller)
  const created = await insertKey(tx, deps, successor, actorOf(caller))
  await store.rollApiKey(tx, { organizationId, apiKeyId: found.apiKeyId, successorApiKeyId: created.apiKeyId, endsAt })
  // The successor gets what the key has created before: what it creates during the overlap ends with its revocation.
  await handOver(tx, deps, lost ?? found, created)
  const predecessorEndsAt = earlier(found.expiresAt, endsAt) ?? endsAt
  if (lost) {
    await deps.webhooks.followSuccessor(tx, found, { ...found, expiresAt: predecessorEndsAt })
    await revokeLost(tx, deps, caller, lost, created.apiKeyId)
  }
  const details = { successor: created.apiKeyId, endsAt: endsAt.toISOString() }
  const act = { actor: actorOf(caller), action: 'api_key.rolled', subjectId: found.apiKeyId, details }
  await audit.append(tx, { organizationId, ...act })
  await bumpRevision(tx, 'credentials')
  return { ...created, predecessorEndsAt }
}

/** Revokes a successor that was never used, and that another one has replaced. */
async function revokeLost(
  tx: Tx,
  { audit }: KeyDeps,
  caller: Caller,
  { organizationId, apiKeyId }: ApiKey,
  replacedBy: string,
): Promise<void> {
  await store.revokeApiKeys(tx, organizationId, [apiKeyId])
  const act = { actor: actorOf(caller), action: 'api_key.revoked', subjectId: apiKeyId, details: { replacedBy } }
  await audit.append(tx, { organizationId, ...act })
}

export async function insertKey(
  tx: Tx,
  { environment, audit }: KeyDeps,
  key: Omit<store.NewApiKey, 'apiKeyId' | 'keyHash'>,
  actor: string,
): Promise<CreatedApiKey> {
  const apiKey = createApiKeyText(environment)
  const { lineageLength, ...inserted } = await store.insertApiKey(tx, {
    ...key,
    apiKeyId: newId(),
    keyHash: hashApiKey(apiKey),
  })
  if (lineageLength > longestLineage)
    throw new Refusal(
      'CONFLICT',
      `${longestLineage} keys have led to this one: let the operator of Svc create a new one`,
    )
  const { organizationId, apiKeyId: subjectId, scopes, expiresAt, allowedIps, parentApiKeyId, isReviewer } = inserted
  const details = {
    scopes,
    ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
    ...(allowedIps ? { allowedIps } : {}),
    ...(parentApiKeyId ? { parentApiKeyId } : {}),
    ...(isReviewer ? { isReviewer } : {}),
  }
  const act = { actor, action: 'api_key.created', subjectId, details }
  await audit.append(tx, { organizationId, ...act })
  // The first key of an organization has no reader yet.
  if (await store.hasOtherKey(tx, inserted)) {
    const data = presentApiKey(inserted)
    await appendEvent(tx, { organizationId, type: 'api_key.created', resourceId: subjectId, resourceVersion: 1, data })
  }
  return { ...inserted, apiKey }
}

/** Refuses scopes that the caller itself lacks. */
export function requireScopes(caller: Caller, wanted: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw new Refusal('FORBIDDEN', `A credential can grant only its own scopes; yours lacks ${missing.join(', ')}`)
}

/** A token ends within half an hour; a key that it created would not. */
function refuseToken({ isToken }: Caller): void {
  if (isToken) throw new Refusal('FORBIDDEN', 'A token cannot create keys: send the API key itself')
}

/** The key of a request may have been revoked since the request was admitted. */
function requireLive(own: store.LockedKey | undefined): ApiKey {
  if (!own || own.isRevoked) {
    const headers = { 'www-authenticate': 'Bearer' }
    throw new Refusal('UNAUTHORIZED', 'The key of this request has been revoked', { headers })
  }
  return own
}

async function lockBoth(tx: Tx, { organizationId, apiKeyId: ownId }: Caller, apiKeyId: string) {
  const locked = await store.lockApiKeys(tx, organizationId, [apiKeyId, ownId])
  const find = (id: string) => locked.find((key) => key.apiKeyId === id.toLowerCase())
  return { found: find(apiKeyId), own: find(ownId) }
}

/** Refuses to revoke a key that the caller, with the scopes of its credential, could not have created. */
function requireRightsOf(caller: Caller, own: ApiKey, found: ApiKey): void {
  const rights: KeyRights = { ...own, scopes: own.scopes.filter((scope) => caller.scopes.has(scope)) }
  if (includesRights(rights, found)) return
  const message = 'This key has rights that yours lacks: revoking it needs the scope api_keys:admin'
  throw new Refusal('FORBIDDEN', message)
}

/** Reads the wanted end and addresses. Credentials expire by real time, regardless of the sandbox clock. */
export function readRights(wanted: Pick<CreateApiKey, 'expiresAt' | 'allowedIps'>, nowMs: number) {
  const expiresAt = wanted.expiresAt === undefined ? null : new Date(wanted.expiresAt)
  if (expiresAt && expiresAt.getTime() <= nowMs) throw badField('expiresAt', 'must be in the future')
  const badAt = (wanted.allowedIps ?? []).findIndex((range) => !parseIpRange(range))
  if (badAt >= 0) throw badField(`allowedIps[${badAt}]`, 'must be an address or a range such as 192.0.2.0/24')
  return { expiresAt, allowedIps: wanted.allowedIps ?? null }
}

/**
 * Refuses a key that has ended or was rolled. The caller that rolled it may do so once more within ten minutes while the
 * successor was never used: the answer with the successor may have been lost. Returns that successor.
 */
async function requireRollable(
  tx: Tx,
  { organizationId, rolledAt, expiresAt, successorApiKeyId }: store.LockedKey,
  caller: Caller,
  nowMs: number,
): Promise<ApiKey | undefined> {
  if (expiresAt && expiresAt.getTime() <= nowMs) throw new Refusal('CONFLICT', 'This key has expired: create a new one')
  if (!rolledAt) return undefined
  const [lost] = successorApiKeyId ? await store.lockApiKeys(tx, organizationId, [successorApiKeyId]) : []
  const isLost = lost && !lost.isRevoked && lost.lastUsedAt === null && lost.rolledAt === null
  const isInTime = nowMs - rolledAt.getTime() <= shortestOwnOverlapSeconds * 1_000
  if (isLost && isInTime && lost.createdByApiKeyId === caller.apiKeyId) return lost
  throw new Refusal('CONFLICT', 'This key was rolled already: roll its successor')
}

function readOverlap(text: string, nowMs: number, leastSeconds: number): Date {
  const read = parseDuration(text)
  const isCalendar = !read.ok || read.years > 0 || read.months > 0
  const seconds = isCalendar ? 0 : ((read.days * 24 + read.hours) * 60 + read.minutes) * 60 + read.seconds
  if (isCalendar || seconds > longestOverlapSeconds)
    throw badField('overlap', 'must be a duration of at most 30 days, such as "PT24H"; "PT0S" ends the key at once')
  return new Date(nowMs + Math.max(seconds, leastSeconds) * 1_000)
}

function actorOf({ apiKeyId }: Caller): string {
  return `api_key:${apiKeyId}`
}
