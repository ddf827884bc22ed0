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

/** The quote of a key: the answer is written again from what it stores. */
export type KeptQuote = { organizationId: string; quoteId: string; fingerprint: Buffer }

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
    const { isOurs, stored } = await claim(tx, request)
    if (stored) return { isReplay: true, stored: requireSame(stored, request) }
    if (!isOurs) throw inProgress()
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

/** Finds the quotes of keys, each in the place of its request. */
export async function findKeptQuotes(
  database: Queryable,
  requests: readonly IdempotentRequest[],
): Promise<(KeptQuote | undefined)[]> {
  const found = await database.query<KeptQuote & { place: number }>({
    name: 'find quotes of idempotency keys',
    text: `select wanted.place::integer, fingerprint, quote_id as "quoteId",
                  resource_organization_id as "organizationId"
             from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality
                    as wanted (organization_id, idempotency_key, route, place)
            cross join lateral (
                 select fingerprint, quote_id, resource_organization_id from svc.idempotency_keys
                  where organization_id = wanted.organization_id and idempotency_key = wanted.idempotency_key
                    and route = wanted.route offset 0) as kept`,
    values: [
      requests.map(({ organizationId }) => organizationId),
      requests.map(({ key }) => key),
      requests.map(({ route }) => route),
    ],
  })
  const kept: (KeptQuote | undefined)[] = requests.map(() => undefined)
  for (const { place, ...quote } of found) kept[place - 1] = quote
  return kept
}

/** Names the key of a request: two with one name must not share a statement. */
export function nameOfKey({ organizationId, route, key }: IdempotentRequest): string {
  return `idempotency key ${organizationId} ${route} ${key}`
}

/** Locks the key, and finds what is stored for it. */
async function claim(
  tx: Tx,
  { organizationId, route, key }: IdempotentRequest,
): Promise<{ isOurs: boolean; stored: Found | undefined }> {
  const [claimed] = await tx.query<{ isOurs: boolean } & (Found | { fingerprint: null })>({
    name: 'claim idempotency key',
    text: `select is_ours as "isOurs", fingerprint, status, answer, sealed_answer as "sealedAnswer",
                  data_key_id as "dataKeyId", data_key_organization_id as "dataKeyOrganizationId"
             from svc.claim_keys(array[$1::uuid], array[$2::text], array[$3::text])`,
    values: [organizationId, route, key],
  })
  if (!claimed) throw new Error('a key was neither claimed nor refused')
  const { isOurs, ...stored } = claimed
  return { isOurs, stored: stored.fingerprint === null ? undefined : (stored as Found) }
}

type Found = StoredAnswer & { fingerprint: Buffer }

async function findStored(
  database: Queryable,
  { organizationId, route, key }: IdempotentRequest,
): Promise<Found | undefined> {
  const [found] = await database.query<Found>({
    name: 'find idempotency key',
    text: `select fingerprint, status, answer, sealed_answer as "sealedAnswer", data_key_id as "dataKeyId",
                  data_key_organization_id as "dataKeyOrganizationId"
             from svc.idempotency_keys
            where organization_id = $1 and route = $2 and idempotency_key = $3`,
    values: [organizationId, route, key],
  })
  return found
}

/**
 * Locks the key of a row with `key_organization_id` and `idempotency_key`; false when another request holds it, true for a
 * row without a key.
 */
export const lockOfKey = (route: string) =>
  `case when idempotency_key is null then true else svc.lock_key(key_organization_id::uuid, ${route}, idempotency_key) end`

/** `rows` selects organization, route, key, fingerprint, status, quote and organization of the quote. */
export const keepQuotes = (rows: string) => `
    insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, quote_id,
           resource_organization_id) ${rows}`

/** Tells whether a statement failed because something is stored for one of its keys. */
export function isKeyTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'idempotency_keys_pkey'
}

async function store(tx: Tx, request: IdempotentRequest, stored: StoredAnswer): Promise<void> {
  const { dataKeyId, dataKeyOrganizationId } =
    stored.sealedAnswer === null ? { dataKeyId: null, dataKeyOrganizationId: null } : stored
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
      stored.status,
      stored.answer,
      stored.sealedAnswer,
      dataKeyId,
      dataKeyOrganizationId,
    ],
  })
}

export function requireSame<Stored extends { fingerprint: Buffer }>(
  stored: Stored,
  request: IdempotentRequest,
): Stored {
  if (stored.fingerprint.equals(request.fingerprint)) return stored
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This x-idempotency-key was used for a different request')
}

export function inProgress(): Refusal {
  return new Refusal('IDEMPOTENCY_REQUEST_IN_PROGRESS', 'A request with this x-idempotency-key is still running', {
    headers: { 'retry-after': '1' },
  })
}
