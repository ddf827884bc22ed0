import type { Audit } from '../db/audit/audit.ts'
import { type Database, isDeadlock, type Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import type { ApiKey } from './api-key.ts'
import * as store from './store.ts'

/** The key that a revocation named, and all that it has revoked: none that was revoked before. */
export type Revocation = { key: ApiKey; revokedApiKeyIds: string[] }

type RevocationDeps = { database: Database; audit: Audit }
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
      await store.revokeApiKey(tx, found.organizationId, found.apiKeyId)
      await recordRevoked(deps, tx, found, { actor, details: {} })
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
 * Revokes level by level. A key that is just creating another holds its own row, so the other is committed, and found,
 * once the first is revoked.
 */
async function revokeDescendants(deps: RevocationDeps, key: ApiKey, actor: string): Promise<string[]> {
  const { organizationId, apiKeyId: cascadeOf } = key
  const seen = new Set([cascadeOf])
  const revoked: string[] = []
  let level = [cascadeOf]
  while (level.length > 0) {
    const parents = level
    const children = await inRetriedTx(deps, async (tx) => {
      const found = await store.revokeChildren(tx, organizationId, parents)
      const live = found.filter(({ wasLive }) => wasLive)
      for (const { apiKeyId } of live)
        await recordRevoked(deps, tx, { organizationId, apiKeyId }, { actor, details: { cascadeOf } })
      if (live.length > 0) await bumpRevision(tx, 'credentials')
      return found
    })
    revoked.push(...children.filter(({ wasLive }) => wasLive).map(({ apiKeyId }) => apiKeyId))
    // Those that were revoked before may have led to others. A key can be reached on two ways.
    level = children.map(({ apiKeyId }) => apiKeyId).filter((id) => !seen.has(id))
    for (const id of level) seen.add(id)
  }
  return revoked
}

async function recordRevoked(
  { audit }: RevocationDeps,
  tx: Tx,
  { organizationId, apiKeyId }: Pick<ApiKey, 'organizationId' | 'apiKeyId'>,
  { actor, details }: { actor: string; details: object },
): Promise<void> {
  await audit.append(tx, { organizationId, actor, action: 'api_key.revoked', subjectId: apiKeyId, details })
}

const mostAttempts = 5

/** Levels lock keys in another order than a caller who revokes one of them: PostgreSQL may roll the revocation back. */
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
