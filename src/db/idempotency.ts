import { Refusal } from '../lib/refusal.ts'
import type { Database, Queryable, Tx } from './database.ts'

/** The identity of a request: its organization, route and idempotency key. The fingerprint covers its content. */
export type IdempotentRequest = { organizationId: string; route: string; key: string; fingerprint: Buffer }

/** An answer in plain text, or sealed with the key of the customer whose data it holds. */
export type StoredAnswer = { status: number } & (
  | { answer: string; sealedAnswer: null }
  | { answer: null; sealedAnswer: Buffer; dataKeyId: string; dataKeyOrganizationId: string }
)

export type Outcome<Result> = { isReplay: false; result: Result } | { isReplay: true; stored: StoredAnswer }

/**
 * Runs the effect and stores key, fingerprint and answer in one database transaction, so that neither exists without
 * the other. A refusal of the effect rolls everything back and is not stored. The lock is transaction-scoped:
 * PostgreSQL releases it when the process dies.
 */
export async function runOnce<Result>(
  database: Database,
  request: IdempotentRequest,
  effect: (tx: Tx) => Promise<Result>,
  present: (result: Result) => StoredAnswer,
): Promise<Outcome<Result>> {
  return database.inTx(async (tx) => {
    if (!(await tryLock(tx, request))) throw inProgress()
    const stored = await findStored(tx, request)
    if (stored) return { isReplay: true, stored: requireSame(stored, request) }
    const result = await effect(tx)
    await store(tx, request, present(result))
    return { isReplay: false, result }
  })
}

/** Finds the stored answer of a repeated request, before its costly preparation starts. */
export async function findAnswer(database: Queryable, request: IdempotentRequest): Promise<StoredAnswer | undefined> {
  const stored = await findStored(database, request)
  return stored && requireSame(stored, request)
}

async function tryLock(tx: Tx, { organizationId, route, key }: IdempotentRequest): Promise<boolean> {
  const [lock] = await tx.query<{ isLocked: boolean }>({
    name: 'lock idempotency key',
    text: `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isLocked"`,
    values: [JSON.stringify(['idempotency key', organizationId, route, key])],
  })
  return lock?.isLocked ?? false
}

async function findStored(
  database: Queryable,
  request: IdempotentRequest,
): Promise<(StoredAnswer & { fingerprint: Buffer }) | undefined> {
  const [stored] = await database.query<StoredAnswer & { fingerprint: Buffer }>({
    name: 'find idempotency key',
    text: `select fingerprint, status, answer, sealed_answer as "sealedAnswer", data_key_id as "dataKeyId",
                  data_key_organization_id as "dataKeyOrganizationId"
             from svc.idempotency_keys
            where organization_id = $1 and route = $2 and idempotency_key = $3`,
    values: [request.organizationId, request.route, request.key],
  })
  return stored
}

async function store(tx: Tx, request: IdempotentRequest, stored: StoredAnswer): Promise<void> {
  const { status, answer, sealedAnswer } = stored
  const key = stored.sealedAnswer === null ? [null, null] : [stored.dataKeyId, stored.dataKeyOrganizationId]
  await tx.query({
    name: 'store idempotency key',
    text: `insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, answer,
             sealed_answer, data_key_id, data_key_organization_id)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      request.organizationId,
      request.route,
      request.key,
      request.fingerprint,
      status,
      answer,
      sealedAnswer,
      ...key,
    ],
  })
}

function requireSame(stored: StoredAnswer & { fingerprint: Buffer }, request: IdempotentRequest): StoredAnswer {
  if (stored.fingerprint.equals(request.fingerprint)) return stored
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This x-idempotency-key was used for a different request')
}

function inProgress(): Refusal {
  return new Refusal('IDEMPOTENCY_REQUEST_IN_PROGRESS', 'A request with this x-idempotency-key is still running', {
    headers: { 'retry-after': '1' },
  })
}
