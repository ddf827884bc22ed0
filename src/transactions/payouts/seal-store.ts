import type { Queryable } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'
import type { Payout } from './payout.ts'
import { columns } from './store.ts'

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
