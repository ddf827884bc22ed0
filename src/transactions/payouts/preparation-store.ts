import type { Queryable, Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { Attempt, PreparedBatch } from './rail.ts'
import type { ClaimedPayout } from './store.ts'

/**
 * Commits the bytes of a batch with its attempts, before anything leaves. All or nothing: when another worker has taken
 * one of the payouts over, the bytes of the whole batch must not leave.
 */
export async function commitBatch(
  tx: Tx,
  { batchId, notAfter, items }: PreparedBatch,
  { rail, payouts, sealedContent }: { rail: string; payouts: readonly ClaimedPayout[]; sealedContent: Buffer },
): Promise<void> {
  const committed = await tx.query({
    name: 'commit prepared batch',
    text: `with held as materialized (
             select payout.organization_id, payout.payout_id, payout.attempts, wanted.key
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[])
                    as wanted (organization_id, payout_id, fence, key)
               join svc.payouts as payout on payout.organization_id = wanted.organization_id
                and payout.payout_id = wanted.payout_id and payout.fence = wanted.fence and payout.status = 'SENDING'
                and payout.lease_until > clock_timestamp()
              order by payout.organization_id, payout.payout_id for no key update of payout),
           batch as (
             insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
             values ($5, $6, $7, $8, svc.now()))
           insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
           select organization_id, payout_id, attempts, $5, key from held
        returning payout_id`,
    values: [
      payouts.map(({ organizationId }) => organizationId),
      payouts.map(({ payoutId }) => payoutId),
      payouts.map(({ fence }) => fence),
      payouts.map(({ payoutId }) => keyOf(items, payoutId)),
      batchId,
      rail,
      sealedContent,
      notAfter,
    ],
  })
  if (committed.length < payouts.length) throw new LeaseLost('another worker took a payout of this batch over')
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

/** Reads the attempts of payouts that may have left, in their order. */
export async function readAttempts(
  database: Queryable,
  payouts: readonly Pick<ClaimedPayout, 'organizationId' | 'payoutId'>[],
): Promise<Omit<Attempt, 'content'>[]> {
  return database.query<Omit<Attempt, 'content'>>({
    name: 'read attempts of payouts',
    text: `select preparation.payout_id as reference, preparation.attempt, preparation.key, batch.rail, batch.batch_id as "batchId", batch.not_after as "notAfter"
             from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, payout_id)
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
