import { Refusal } from '../lib/refusal.ts'
import type { Database, Queryable } from './database.ts'

/** What makes a request the same as an earlier one: whose it is, where it goes, its key, and what it says. */
export type IdempotentRequest = { organizationId: string; route: string; key: string; fingerprint: Buffer }

export type StoredAnswer = { status: number; answer: string }

export type Outcome<Result> = { isReplay: false; result: Result } | { isReplay: true; stored: StoredAnswer }

/**
 * Runs the effect and writes key, fingerprint and answer in one transaction, so that there is never one without the
 * other. A refusal thrown by the effect rolls everything back and is not remembered. A holder that died holds nothing:
 * the lock is the transaction's own.
 */
export async function runOnce<Result>(
  database: Database,
  request: IdempotentRequest,
  effect: (transaction: Queryable) => Promise<Result>,
  present: (result: Result) => StoredAnswer,
): Promise<Outcome<Result>> {
  return database.transaction(async (transaction) => {
    if (!(await tryLock(transaction, request))) throw stillRunning()
    const stored = await findStored(transaction, request)
    if (stored) return { isReplay: true, stored: requireSame(stored, request) }
    const result = await effect(transaction)
    await store(transaction, request, present(result))
    return { isReplay: false, result }
  })
}

async function tryLock(transaction: Queryable, { organizationId, route, key }: IdempotentRequest): Promise<boolean> {
  const [row] = await transaction.query<{ locked: boolean }>({
    name: 'lock idempotency key',
    text: `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked`,
    values: [JSON.stringify(['idempotency key', organizationId, route, key])],
  })
  return row?.locked ?? false
}

async function findStored(
  transaction: Queryable,
  request: IdempotentRequest,
): Promise<(StoredAnswer & { fingerprint: Buffer }) | undefined> {
  const [stored] = await transaction.query<StoredAnswer & { fingerprint: Buffer }>({
    name: 'find idempotency key',
    text: `select fingerprint, status, answer from svc.idempotency_keys
            where organization_id = $1 and route = $2 and idempotency_key = $3`,
    values: [request.organizationId, request.route, request.key],
  })
  return stored
}

async function store(
  transaction: Queryable,
  request: IdempotentRequest,
  { status, answer }: StoredAnswer,
): Promise<void> {
  await transaction.query({
    name: 'store idempotency key',
    text: `insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, answer)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [request.organizationId, request.route, request.key, request.fingerprint, status, answer],
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
