import { Refusal } from '../lib/refusal.ts'
import type { Database, Queryable, Tx } from './database.ts'

/** What makes a request the same as an earlier one: whose it is, where it goes, its key, and what it says. */
export type IdempotentRequest = { organizationId: string; route: string; key: string; fingerprint: Buffer }

/** The answer in plain text, or sealed with the key of the customer it tells about. */
export type StoredAnswer = { status: number } & (
  | { answer: string; sealedAnswer: null }
  | { answer: null; sealedAnswer: Buffer; dataKeyId: string; dataKeyOrganizationId: string }
)

export type Outcome<Result> = { isReplay: false; result: Result } | { isReplay: true; stored: StoredAnswer }

/**
 * Runs the effect and writes key, fingerprint and answer in one transaction, so that there is never one without the
 * other. A refusal thrown by the effect rolls everything back and is not remembered. A holder that died holds nothing:
 * the lock is the transaction's own.
 */
export async function runOnce<Result>(
  database: Database,
  request: IdempotentRequest,
  effect: (tx: Tx) => Promise<Result>,
  present: (result: Result) => StoredAnswer,
): Promise<Outcome<Result>> {
  return database.inTx(async (tx) => {
    if (!(await tryLock(tx, request))) throw stillRunning()
    const stored = await findStored(tx, request)
    if (stored) return { isReplay: true, stored: requireSame(stored, request) }
    const result = await effect(tx)
    await store(tx, request, present(result))
    return { isReplay: false, result }
  })
}

/** The first answer to this key, if there is one: looked up before anything costly is done for a request that was made. */
export async function findAnswer(database: Queryable, request: IdempotentRequest): Promise<StoredAnswer | undefined> {
  const stored = await findStored(database, request)
  return stored && requireSame(stored, request)
}

async function tryLock(tx: Tx, { organizationId, route, key }: IdempotentRequest): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>({
    name: 'lock idempotency key',
    text: `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked`,
    values: [JSON.stringify(['idempotency key', organizationId, route, key])],
  })
  return row?.locked ?? false
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
      ...[request.organizationId, request.route, request.key, request.fingerprint],
      ...[status, answer, sealedAnswer, ...key],
    ],
  })
}

function requireSame(stored: StoredAnswer & { fingerprint: Buffer }, request: IdempotentRequest): StoredAnswer {
  if (stored.fingerprint.equals(request.fingerprint)) return stored
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This x-idempotency-key was used for a different request')
}

function stillRunning(): Refusal {
  return new Refusal('IDEMPOTENCY_REQUEST_IN_PROGRESS', 'A request with this x-idempotency-key is still running', {
    headers: { 'retry-after': '1' },
  })
}
