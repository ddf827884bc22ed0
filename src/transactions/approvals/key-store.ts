import type { Tx } from '../../db/database.ts'
import type { Approval, KeyNames } from './approval.ts'

/** A key that wants to decide, and its relation to the maker and to the keys that have decided. */
export type Decider = {
  isLive: boolean
  /** It has decided already. */
  hasDecided: boolean
  /** It is the maker's key, a key that the maker's has led to, or one that led to the maker's, before rolls included. */
  isMaker: boolean
  /** It has led to a key that has approved, or was led to by one, before rolls included: one person may hold both. */
  isRelated: boolean
  names: KeyNames
}

/**
 * Joins the key that rolled itself into a known one. A key that another key rolled is in the hands of that one, and the
 * successor of a revoked key may be in the hands of its finder.
 */
const formerKey = `join svc.api_keys as key on key.organization_id = known.organization_id and key.api_key_id = known.id
               join svc.api_keys as former on former.organization_id = key.organization_id
                and former.api_key_id = key.parent_api_key_id and former.api_key_id = key.created_by_api_key_id
                and former.successor_api_key_id = key.api_key_id and former.revoked_at is null`

/**
 * Reads who wants to decide. Locks the key of the caller and of each approval against a revocation until the database
 * transaction ends. Keys lead to others within one organization; a parent and a creator have both seen the key. A key
 * stands for those that were rolled into it, by any key: a roll ends no relation.
 */
export async function readDecider(
  tx: Tx,
  { organizationId, approvalId, makerApiKeyId }: Approval,
  key: { organizationId: string; apiKeyId: string },
): Promise<Decider> {
  await tx.query({
    name: 'lock keys of approval',
    text: `select from svc.api_keys as key
            where (key.organization_id, key.api_key_id) in (
                    select key_organization_id, api_key_id from svc.approval_decisions
                     where organization_id = $1 and approval_id = $2
                     union all select $3::uuid, $4::uuid)
            order by key.api_key_id for share`,
    values: [organizationId, approvalId, key.organizationId, key.apiKeyId],
  })
  const [decider] = await tx.query<Decider>({
    name: 'read decider of approval',
    text: `with recursive approving as (
             select decision.api_key_id as id from svc.approval_decisions as decision
               join svc.api_keys as key on key.organization_id = decision.key_organization_id
                and key.api_key_id = decision.api_key_id and key.revoked_at is null
              where decision.organization_id = $1 and decision.approval_id = $2),
           above as (
             select id as below, id, true as is_same from (select id from approving union select $4 union select $5) as start
              where id is not null
             union
             select above.below, source.id, source.is_same from above
               join svc.api_keys as key on key.organization_id = $3 and key.api_key_id = above.id
              cross join lateral (values (key.parent_api_key_id, above.is_same and key.is_successor),
                                         (key.created_by_api_key_id, false)) as source (id, is_same)
              where source.id is not null),
           kin as (
             select other.below as id from above as own
               join above as other on other.id = own.id and (other.is_same or own.is_same)
              where own.below = $4),
           known as (
             select $3::uuid as organization_id, $4::uuid as id
             union all
             select known.organization_id, former.api_key_id from known
               ${formerKey})
           select coalesce((select key.revoked_at is null from svc.api_keys as key
                             where key.organization_id = $3 and key.api_key_id = $4), false) as "isLive",
                  exists (select from svc.approval_decisions as decision
                           where decision.organization_id = $1 and decision.approval_id = $2
                             and decision.api_key_id = $4) as "hasDecided",
                  exists (select from kin where id = $5) as "isMaker",
                  exists (select from kin where id <> $4 and id in (select id from approving)) as "isRelated",
                  array(select id from known) as names`,
    values: [organizationId, approvalId, key.organizationId, key.apiKeyId, makerApiKeyId],
  })
  if (!decider) throw new Error('the database returned no row')
  return decider
}

/** Lists the names of the keys whose approvals count: those of revoked keys no longer do. */
export async function listApproving(
  tx: Tx,
  { organizationId, approvalId }: Pick<Approval, 'organizationId' | 'approvalId'>,
): Promise<KeyNames[]> {
  const approving = await tx.query<{ names: KeyNames }>({
    name: 'list approving keys',
    text: `with recursive known as (
             select decision.api_key_id as approving, key.organization_id, key.api_key_id as id
               from svc.approval_decisions as decision
               join svc.api_keys as key on key.organization_id = decision.key_organization_id
                and key.api_key_id = decision.api_key_id and key.revoked_at is null
              where decision.organization_id = $1 and decision.approval_id = $2 and decision.decision = 'APPROVE'
             union all
             select known.approving, known.organization_id, former.api_key_id from known
               ${formerKey})
           select array_agg(id) as names from known group by approving`,
    values: [organizationId, approvalId],
  })
  return approving.map(({ names }) => names)
}
