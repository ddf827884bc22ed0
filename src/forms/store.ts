import type { Queryable, Tx } from '../db/database.ts'
import { realNow } from '../db/workers/due.ts'

/** A draft as stored. Only the customer's key opens it. */
export type StoredDraft = {
  submission: number
  /** A number too large for JavaScript never occurs: each change is a request of one person. */
  revision: number
  sealedDraft: Buffer | null
  blobIds: string[]
}

const columns = `submission, revision::int as "revision", sealed_draft as "sealedDraft", blob_ids as "blobIds"`

type DraftId = { organizationId: string; customerId: string }

export async function findDraft(
  database: Queryable,
  { organizationId, customerId }: DraftId,
): Promise<StoredDraft | undefined> {
  const [found] = await database.query<StoredDraft>({
    name: 'find form draft',
    text: `select ${columns} from svc.form_drafts where organization_id = $1 and customer_id = $2`,
    values: [organizationId, customerId],
  })
  return found
}

export type ChangedDraft = DraftId & {
  submission: number
  /** The revision that the change is based on; 0 for a first draft. */
  ofRevision: number
  dataKeyId: string
  sealedDraft: Buffer
  blobIds: readonly string[]
}

/** Writes a draft, unless another device changed it meanwhile: then undefined. Returns the new revision. */
export async function writeDraft(tx: Tx, draft: ChangedDraft): Promise<number | undefined> {
  const [written] = await tx.query<{ revision: number }>({
    name: 'write form draft',
    text: `insert into svc.form_drafts as draft (organization_id, customer_id, submission, data_key_id, sealed_draft, blob_ids)
           select $1, $2, $3, $5, $6, $7
            where $4::bigint = 0 or exists (select from svc.form_drafts
                                             where organization_id = $1 and customer_id = $2)
           on conflict (organization_id, customer_id) do update
              set submission = $3, data_key_id = $5, sealed_draft = $6, blob_ids = $7,
                  revision = draft.revision + 1, updated_at = clock_timestamp()
            where draft.revision = $4
        returning draft.revision::int as "revision"`,
    values: [
      draft.organizationId,
      draft.customerId,
      draft.submission,
      draft.ofRevision,
      draft.dataKeyId,
      draft.sealedDraft,
      draft.blobIds,
    ],
  })
  return written?.revision
}

/** Empties a draft when it is submitted; false when another device changed it meanwhile. */
export async function emptyDraft(
  tx: Tx,
  { organizationId, customerId }: DraftId,
  ofRevision: number,
): Promise<boolean> {
  const emptied = await tx.query({
    name: 'empty form draft',
    text: `update svc.form_drafts
              set sealed_draft = null, blob_ids = '{}', revision = revision + 1, updated_at = clock_timestamp()
            where organization_id = $1 and customer_id = $2 and revision = $3
        returning customer_id`,
    values: [organizationId, customerId, ofRevision],
  })
  return emptied.length > 0
}

/** Empties the draft of a customer whose data came by the API, and returns the files that only the draft referred to. */
export async function discardDraft(tx: Tx, organizationId: string, customerId: string): Promise<string[]> {
  const [discarded] = await tx.query<{ blobIds: string[] }>({
    name: 'discard form draft',
    text: `with before as (
             select blob_ids from svc.form_drafts
              where organization_id = $1 and customer_id = $2 and sealed_draft is not null for update)
           update svc.form_drafts as draft
              set sealed_draft = null, blob_ids = '{}', revision = revision + 1, updated_at = clock_timestamp()
             from before where draft.organization_id = $1 and draft.customer_id = $2
        returning before.blob_ids as "blobIds"`,
    values: [organizationId, customerId],
  })
  return discarded?.blobIds ?? []
}

/** Empties the draft of a customer who is erased. The erasure removes all files of the customer. */
export async function eraseDraft(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase form draft',
    text: `update svc.form_drafts set sealed_draft = null, blob_ids = '{}', revision = revision + 1
            where organization_id = $1 and customer_id = $2`,
    values: [organizationId, customerId],
  })
}

/** Empties drafts that were not changed for a time, and returns the files that only they referred to. */
export function expireDrafts(
  tx: Tx,
  olderThanDays: number,
  limit: number,
): Promise<{ organizationId: string; blobIds: string[] }[]> {
  return tx.query<{ organizationId: string; blobIds: string[] }>({
    name: 'expire form drafts',
    text: `with old as (
             select organization_id, customer_id, blob_ids from svc.form_drafts
              where sealed_draft is not null and updated_at < ${realNow} - make_interval(days => $1)
              order by updated_at limit $2 for update skip locked)
           update svc.form_drafts as draft set sealed_draft = null, blob_ids = '{}', revision = draft.revision + 1
             from old where draft.organization_id = old.organization_id and draft.customer_id = old.customer_id
        returning old.organization_id as "organizationId", old.blob_ids as "blobIds"`,
    values: [olderThanDays, limit],
  })
}
