import type { Queryable } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'
import type { Payout } from './payout.ts'
import { type ClaimedPayout, columns } from './store.ts'

/** Reads a slice of the open payouts of all organizations that have a seal, by id. */
export function readOpenSealedPayouts(
  database: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Payout[]> {
  return database.query<Payout>({
    name: 'read open sealed payouts',
    text: `select ${columns} from svc.payouts as payout
            where payout.status in ('WAITING', 'SENDING', 'SENT') and payout.seal is not null
              and ($1::uuid is null or payout.payout_id > $1)
            order by payout.payout_id limit $2`,
    values: [after ?? null, limit],
  })
}

/** Lets payouts without a seal wait for the signer. A payout that was sealed meanwhile stays due. */
export async function awaitSeals(database: Queryable, unsealed: readonly ClaimedPayout[]): Promise<void> {
  if (unsealed.length === 0) return
  await database.query({
    name: 'await seals of payouts',
    text: `update svc.payouts as payout
              set due_at = case when payout.seal is null then null else payout.due_at end, lease_until = null
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as wanted (organization_id, payout_id, fence)
            where payout.organization_id = wanted.organization_id and payout.payout_id = wanted.payout_id
              and payout.fence = wanted.fence`,
    values: [
      unsealed.map(({ organizationId }) => organizationId),
      unsealed.map(({ payoutId }) => payoutId),
      unsealed.map(({ fence }) => fence),
    ],
  })
}

/** Counts obligations that wait for the signer's seal. */
export async function countUnsealed(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ unsealed: number }>({
    name: 'count unsealed payouts',
    text: `select count(*)::int as unsealed from svc.payouts where seal is null and status = 'WAITING'`,
  })
  return counted?.unsealed ?? 0
}

export const sealStatementChecks: readonly Check[] = [
  {
    name: 'every payout that left was sealed',
    isMoney: true,
    sql: `select format('payout %s of organization %s is %s after %s attempts, and has no seal', payout_id,
                        organization_id, status, attempts) as violation, organization_id, asset
            from svc.payouts where seal is null and (attempts > 0 or status in ('SENDING', 'SENT'))`,
  },
  {
    name: 'the signer can seal every obligation and its account',
    sql: `select format('payout %s of organization %s is not sealed: %s', payout_id, organization_id, seal_problem)
                 as violation
            from svc.payouts where seal is null and status = 'WAITING' and seal_problem is not null
           union all
          select format('payment account %s of organization %s is not sealed: %s', payment_account_id,
                        organization_id, seal_problem)
            from svc.payment_accounts
           where seal is null and status = 'ACTIVE' and payment_account_type <> 'SVC_AUTO_FIAT_ACCOUNT'
             and seal_problem is not null`,
  },
]
