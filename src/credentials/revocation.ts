import type { Audit } from '../db/audit/audit.ts'
import { type Database, isDeadlock, type Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { type HeldKey, holdKey, holdSuccessor, listAnsweredFor } from './answering-store.ts'
import type { ApiKey } from './api-key.ts'
import type { RulesOfKeys, WebhooksOfKeys } from './ports.ts'
import * as store from './store.ts'

/** The key that a revocation named, and all that it has revoked: none that was revoked before. */
export type Revocation = { key: ApiKey; revokedApiKeyIds: string[] }

type RevocationDeps = { database: Database; audit: Audit; webhooks: WebhooksOfKeys; rules: RulesOfKeys }
type RevocationOptions = {
  actor: string
  isCascade: boolean
  /** Called after each commit. */
  onRevoked(): void
}

/**
 * Revokes the key that `find` locks, and with `isCascade` every key that it has led to. The key itself is revoked, and
 * refused by every process, before its descendants are looked at: there may be many. A revocation that is interrupted
 * can be repeated.
 */
export async function revokeKeys(
  deps: RevocationDeps,
  find: (tx: Tx) => Promise<store.LockedKey>,
  { actor, isCascade, onRevoked }: RevocationOptions,
): Promise<Revocation> {
  const { isRevoked, ...key } = await inRetriedTx(deps, async (tx) => {
    const found = await find(tx)
    if (!found.isRevoked) {
      const { organizationId, apiKeyId } = found
      await handOverIfExpired(tx, deps, found)
      const answeredFor = await listAnsweredFor(tx, organizationId, [apiKeyId])
      await store.revokeApiKeys(tx, organizationId, [apiKeyId])
      await recordRevoked(deps, tx, organizationId, [apiKeyId], { actor, details: {} })
      await deps.webhooks.endWebhooksOf(tx, organizationId, answeredFor, actor)
      await deps.rules.pauseRulesOf(tx, organizationId, answeredFor, actor)
      await bumpRevision(tx, 'credentials')
    }
    return found
  })
  onRevoked()
  const descendants = isCascade ? await revokeDescendants(deps, key, actor) : []
  onRevoked()
  return { key, revokedApiKeyIds: [...(isRevoked ? [] : [key.apiKeyId]), ...descendants] }
}

/**
 * Revokes the descendants that work, and walks through the dead ones, whose number has no limit. A key that is just
 * creating another holds its own row, so the other is committed, and found by the next round, once the first is revoked.
 */
async function revokeDescendants(deps: RevocationDeps, key: ApiKey, actor: string): Promise<string[]> {
  const { organizationId, apiKeyId: cascadeOf } = key
  const revokeLive = async (tx: Tx) => {
    const live = await store.listLiveDescendants(tx, organizationId, cascadeOf)
    const locked = await store.lockApiKeys(
      tx,
      organizationId,
      live.map(({ apiKeyId }) => apiKeyId),
    )
    const ids = locked.filter(({ isRevoked }) => !isRevoked).map(({ apiKeyId }) => apiKeyId)
    await store.revokeApiKeys(tx, organizationId, ids)
    await recordRevoked(deps, tx, organizationId, ids, { actor, details: { cascadeOf } })
    const answeredFor = await listAnsweredFor(tx, organizationId, ids)
    await deps.webhooks.endWebhooksOf(tx, organizationId, answeredFor, actor)
    // A key that has expired may have left rules that pay.
    const lineage = await store.listLineage(tx, organizationId, cascadeOf)
    await deps.rules.pauseRulesOf(tx, organizationId, [...new Set([...lineage, ...answeredFor])], actor)
    if (ids.length > 0) await bumpRevision(tx, 'credentials')
    return { ids, isDone: live.length === 0 }
  }
  const revoked: string[] = []
  for (let isDone = false; !isDone; ) {
    const round = await inRetriedTx(deps, revokeLive)
    revoked.push(...round.ids)
    isDone = round.isDone
  }
  return revoked
}

async function recordRevoked(
  { audit }: RevocationDeps,
  tx: Tx,
  organizationId: string,
  apiKeyIds: readonly string[],
  { actor, details }: { actor: string; details: object },
): Promise<void> {
  const act = { organizationId, actor, action: 'api_key.revoked', details }
  await audit.appendAll(
    tx,
    apiKeyIds.map((subjectId) => ({ ...act, subjectId })),
  )
}

const mostAttempts = 5

/** A cascade locks keys in another order than a caller who creates or revokes one: PostgreSQL may roll it back. */
async function inRetriedTx<Result>(
  deps: RevocationDeps,
  work: (tx: Tx) => Promise<Result>,
  attempts = 1,
): Promise<Result> {
  try {
    return await deps.database.inTx(work)
  } catch (error) {
    if (!isDeadlock(error) || attempts >= mostAttempts) throw error
    return inRetriedTx(deps, work, attempts + 1)
  }
}

type KeyId = { organizationId: string; apiKeyId: string }
type HandOverDeps = { webhooks: WebhooksOfKeys; rules: RulesOfKeys }

/** Hands the webhooks and rules that a key answers for to another one. */
export async function handOver(tx: Tx, { webhooks, rules }: HandOverDeps, from: KeyId, to: HeldKey): Promise<void> {
  const { organizationId } = from
  for (const apiKeyId of await listAnsweredFor(tx, organizationId, [from.apiKeyId])) {
    await webhooks.followSuccessor(tx, { organizationId, apiKeyId }, to)
    await rules.followSuccessor(tx, { organizationId, apiKeyId }, to)
  }
}

/** Hands over what a rolled key has made, if its overlap has ended: a revocation after the overlap ends none of it. */
async function handOverIfExpired(tx: Tx, deps: HandOverDeps, key: KeyId): Promise<void> {
  if (await holdKey(tx, key.organizationId, key.apiKeyId)) return
  const successor = await holdSuccessor(tx, key.organizationId, key.apiKeyId)
  if (successor) await handOver(tx, deps, key, successor)
}
