import type { Queryable } from '../../db/database.ts'
import type { Attempt, PreparedBatch } from './rail.ts'
import { lockPayout } from './settlement-store.ts'
import type { ClaimedPayout } from './store.ts'

/** A batch whose bytes are about to leave, with its payouts. */
export type LeavingBatch = {
  batch: PreparedBatch
  rail: string
  payouts: readonly ClaimedPayout[]
  sealedContent: Buffer
}

/**
 * Commits the bytes of batches with their attempts, before anything leaves; answers for each whether it is committed. When
 * another worker has taken one of its payouts over, the bytes of a whole batch must not leave. The other batches do.
 */
export async function commitBatches(database: Queryable, batches: readonly LeavingBatch[]): Promise<boolean[]> {
  const leaving = batches.flatMap(({ batch: { items }, payouts }, at) =>
    payouts.map((payout) => ({ ...payout, place: at + 1, key: keyOf(items, payout.payoutId) })),
  )
  const committed = await database.query<{ place: number }>({
    name: 'commit prepared batches',
    text: `with held as materialized (
             select payout.organization_id, payout.payout_id, payout.attempts, wanted.place, wanted.key
               from (select organization_id, payout_id, fence, place, key
                       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[])
                            as leaving (organization_id, payout_id, fence, place, key)
                      order by organization_id, payout_id) as wanted
              cross join lateral (${lockPayout}) as payout
              where payout.fence = wanted.fence and payout.status = 'SENDING'
                and payout.lease_until > clock_timestamp()),
           whole as materialized (
             select batch_id, rail, sealed_content, not_after, place
               from unnest($6::text[], $7::text[], $8::bytea[], $9::timestamptz[], $10::integer[])
                    with ordinality as leaving (batch_id, rail, sealed_content, not_after, payouts, place)
               left join (select place, count(*) as payouts from held group by place) as found using (place)
              where leaving.payouts = coalesce(found.payouts, 0)),
           batches as (
             insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
             select batch_id, rail, sealed_content, not_after, (select svc.now()) from whole),
           preparations as (
             insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
             select organization_id, payout_id, attempts, batch_id, key from held join whole using (place))
           select place::integer from whole`,
    values: [
      leaving.map(({ organizationId }) => organizationId),
      leaving.map(({ payoutId }) => payoutId),
      leaving.map(({ fence }) => fence),
      leaving.map(({ place }) => place),
      leaving.map(({ key }) => key),
      batches.map(({ batch }) => batch.batchId),
      batches.map(({ rail }) => rail),
      batches.map(({ sealedContent }) => sealedContent),
      batches.map(({ batch }) => batch.notAfter),
      batches.map(({ payouts }) => payouts.length),
    ],
  })
  const places = new Set(committed.map(({ place }) => place))
  return batches.map((_, at) => places.has(at + 1))
}

/** True when these bytes are committed with the latest attempt of each of these payouts. */
export async function isBatchCommitted(
  database: Queryable,
  { batchId, items }: PreparedBatch,
  payouts: readonly ClaimedPayout[],
): Promise<boolean> {
  const found = await database.query({
    name: 'find committed attempts',
    text: `select from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[])
                  as wanted (organization_id, payout_id, attempt, key)
             join svc.payout_preparations as preparation on preparation.organization_id = wanted.organization_id
              and preparation.payout_id = wanted.payout_id and preparation.attempt = wanted.attempt
              and preparation.key = wanted.key and preparation.batch_id = $5`,
    values: [
      payouts.map(({ organizationId }) => organizationId),
      payouts.map(({ payoutId }) => payoutId),
      payouts.map(({ attempts }) => attempts),
      payouts.map(({ payoutId }) => keyOf(items, payoutId)),
      batchId,
    ],
  })
  return found.length === payouts.length
}

const keyOf = (items: PreparedBatch['items'], payoutId: string) =>
  items.find(({ reference }) => reference === payoutId)?.key

/** Reads the attempts of payouts that may have left, in their order, each once: two loops may ask for the same payout. */
export async function readAttempts(
  database: Queryable,
  payouts: readonly Pick<ClaimedPayout, 'organizationId' | 'payoutId'>[],
): Promise<Omit<Attempt, 'content'>[]> {
  return database.query<Omit<Attempt, 'content'>>({
    name: 'read attempts of payouts',
    text: `select preparation.payout_id as reference, preparation.attempt, preparation.key, batch.rail, batch.batch_id as "batchId", batch.not_after as "notAfter"
             from (select distinct organization_id, payout_id
                     from unnest($1::uuid[], $2::uuid[]) as asked (organization_id, payout_id)) as wanted
             join svc.payout_preparations as preparation on preparation.organization_id = wanted.organization_id
              and preparation.payout_id = wanted.payout_id
             join svc.payout_batches as batch using (batch_id)
            order by preparation.payout_id, preparation.attempt`,
    values: [payouts.map(({ organizationId }) => organizationId), payouts.map(({ payoutId }) => payoutId)],
  })
}

/** Reads the bytes of a batch as they are stored. */
export async function readContent(database: Queryable, batchId: string): Promise<Buffer> {
  const [found] = await database.query<{ content: Buffer }>({
    name: 'read content of a batch',
    text: 'select sealed_content as content from svc.payout_batches where batch_id = $1',
    values: [batchId],
  })
  if (!found) throw new Error(`batch ${batchId} does not exist`)
  return found.content
}
