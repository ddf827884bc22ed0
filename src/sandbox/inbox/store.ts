import type { Queryable, Tx } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import { type Inbox, maxPageBytes, requestsKept, type StoredRequest } from './inbox.ts'

const columns = `organization_id as "organizationId", inbox_id as "inboxId", data_key_id as "dataKeyId",
  sealed_secret as "sealedSecret", answer_status as "answerStatus", received, created_at as "createdAt"`

/** Inserts an inbox under an advisory lock, one at a time. Undefined when the organization has the maximum number. */
export async function insertInbox(
  tx: Tx,
  inbox: Pick<Inbox, 'organizationId' | 'inboxId' | 'dataKeyId' | 'sealedSecret' | 'answerStatus'>,
  mostInboxes: number,
): Promise<Inbox | undefined> {
  const { organizationId, inboxId, dataKeyId, sealedSecret, answerStatus } = inbox
  await tx.query({
    name: 'lock sandbox inboxes',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [JSON.stringify(['sandbox inboxes', organizationId])],
  })
  const [inserted] = await tx.query<Inbox>({
    name: 'insert sandbox inbox',
    text: `insert into svc.sandbox_inboxes (organization_id, inbox_id, data_key_id, sealed_secret, answer_status)
           select $1, $2, $3, $4, $5 from svc.sandbox_inboxes where organization_id = $1 and deleted_at is null
           having count(*) < $6
        returning ${columns}`,
    values: [organizationId, inboxId, dataKeyId, sealedSecret, answerStatus, mostInboxes],
  })
  return inserted
}

export async function findInbox(
  database: Queryable,
  organizationIds: readonly string[],
  inboxId: string,
): Promise<Inbox | undefined> {
  const [found] = await database.query<Inbox>({
    name: 'find sandbox inbox',
    text: `select ${columns} from svc.sandbox_inboxes
            where organization_id = any($1) and inbox_id = $2 and deleted_at is null`,
    values: [organizationIds, inboxId],
  })
  return found
}

export function listInboxes(database: Queryable, organizationId: string, slice: PageSlice): Promise<Inbox[]> {
  return database.query<Inbox>({
    name: 'list sandbox inboxes',
    text: `select ${columns} from svc.sandbox_inboxes
            where organization_id = $1 and deleted_at is null and ($2::uuid is null or inbox_id < $2)
            order by inbox_id desc limit $3`,
    values: [organizationId, slice.after ?? null, slice.limit],
  })
}

export async function changeInbox(
  database: Queryable,
  { organizationId, inboxId, answerStatus, sealedSecret }: Inbox,
): Promise<Inbox | undefined> {
  const [changed] = await database.query<Inbox>({
    name: 'change sandbox inbox',
    text: `update svc.sandbox_inboxes set answer_status = $3, sealed_secret = $4
            where organization_id = $1 and inbox_id = $2 and deleted_at is null returning ${columns}`,
    values: [organizationId, inboxId, answerStatus, sealedSecret],
  })
  return changed
}

/** Deletes an inbox. A repeated call finds it deleted, and answers the same. */
export async function deleteInbox(
  tx: Tx,
  organizationIds: readonly string[],
  inboxId: string,
): Promise<Inbox | undefined> {
  const [deleted] = await tx.query<Inbox>({
    name: 'delete sandbox inbox',
    text: `update svc.sandbox_inboxes set deleted_at = coalesce(deleted_at, clock_timestamp()), sealed_secret = null
            where organization_id = any($1) and inbox_id = $2 returning ${columns}`,
    values: [organizationIds, inboxId],
  })
  if (deleted)
    await tx.query({
      name: 'empty sandbox inbox',
      text: 'select svc.empty_sandbox_inbox($1, $2)',
      values: [deleted.organizationId, deleted.inboxId],
    })
  return deleted
}

/** Counts the inboxes of each organization, which are few. */
export async function countInboxes(
  database: Queryable,
  organizationIds: readonly string[],
): Promise<Map<string, number>> {
  const counted = await database.query<{ organizationId: string; inboxes: number }>({
    name: 'count sandbox inboxes',
    text: `select organization_id as "organizationId", count(*)::integer as inboxes from svc.sandbox_inboxes
            where organization_id = any($1) and deleted_at is null group by organization_id`,
    values: [organizationIds],
  })
  return new Map(counted.map(({ organizationId, inboxes }) => [organizationId, inboxes]))
}

/**
 * Takes the next request number; undefined when the inbox is deleted. Concurrent requests wait for the lock and get the
 * following numbers.
 */
export async function takeNumber(tx: Tx, organizationId: string, inboxId: string): Promise<string | undefined> {
  const [inbox] = await tx.query<{ received: string }>({
    name: 'count sandbox inbox request',
    text: `update svc.sandbox_inboxes set received = received + 1
            where organization_id = $1 and inbox_id = $2 and deleted_at is null returning received`,
    values: [organizationId, inboxId],
  })
  return inbox?.received
}

/** Inserts a request into its slot of a ring: it replaces the request with a number lower by a hundred. */
export async function insertRequest(
  tx: Tx,
  { organizationId, inboxId }: Pick<Inbox, 'organizationId' | 'inboxId'>,
  request: StoredRequest,
): Promise<void> {
  const { signature } = request
  await tx.query({
    name: 'insert sandbox inbox request',
    text: `insert into svc.sandbox_inbox_requests (organization_id, inbox_id, slot, number, received_at, event_id,
                  event_type, data_key_id, sealed_request, signature_outcome, signature_reason, answered_status)
           values ($1, $2, ($3::bigint - 1) % ${requestsKept}, $3, $4, $5, $6, $7, $8, $9, $10, $11)
               on conflict (organization_id, inbox_id, slot) do update
              set number = excluded.number, received_at = excluded.received_at, event_id = excluded.event_id,
                  event_type = excluded.event_type, data_key_id = excluded.data_key_id, sealed_request = excluded.sealed_request,
                  signature_outcome = excluded.signature_outcome, signature_reason = excluded.signature_reason,
                  answered_status = excluded.answered_status`,
    values: [
      organizationId,
      inboxId,
      request.number,
      request.receivedAt,
      request.eventId,
      request.eventType,
      request.dataKeyId,
      request.sealedRequest,
      signature.outcome,
      'reason' in signature ? signature.reason : null,
      request.answeredStatus,
    ],
  })
}

export type ListedRequest = StoredRequest & { fits: boolean }

/**
 * Lists the newest requests first. Requests beyond the page size have no content: PostgreSQL knows lengths without
 * reading.
 */
export async function listRequests(
  database: Queryable,
  { organizationId, inboxId }: Inbox,
  slice: PageSlice,
): Promise<ListedRequest[]> {
  return database.query<ListedRequest>({
    name: 'list sandbox inbox requests',
    text: `select number, received_at as "receivedAt", event_id as "eventId", event_type as "eventType", data_key_id as "dataKeyId",
                  case when fits then sealed_request end as "sealedRequest", fits,
                  answered_status as "answeredStatus",
                  json_strip_nulls(json_build_object('outcome', signature_outcome, 'reason', signature_reason))
                    as signature
             from (select number, received_at, event_id, event_type, data_key_id, sealed_request, answered_status,
                          signature_outcome, signature_reason,
                          coalesce(sum(octet_length(sealed_request)) over (order by number desc), 0) <= $5 as fits
                     from svc.sandbox_inbox_requests
                    where organization_id = $1 and inbox_id = $2 and ($3::bigint is null or number < $3)
                    order by number desc limit $4) as newest
            order by number desc`,
    values: [organizationId, inboxId, slice.after ?? null, slice.limit, maxPageBytes],
  })
}
