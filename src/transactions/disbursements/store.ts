import type { Queryable, Tx } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import type { Move } from '../../lib/transitions.ts'
import type { Payout, PayoutStatus } from '../payouts/payout.ts'
import { columns as payoutColumns, withdrawal } from '../payouts/store.ts'
import type { Disbursement, DisbursementPart, DisbursementSource } from './disbursement.ts'

export const withdrawn = 'withdrawn'

const columns = `disbursement.organization_id as "organizationId", disbursement.disbursement_id as "disbursementId",
  disbursement.customer_id as "customerId", disbursement.source, disbursement.source_account_id as "sourceAccountId",
  case payout.status when 'CONFIRMED' then 'COMPLETED' when 'RETURNED' then 'RETURNED'
    when 'REFUSED' then case payout.reason when '${withdrawn}' then 'CANCELLED' else 'REFUSED' end
    else 'PENDING' end as status,
  payout.asset, payout.amount, payout.payment_account_id as "destinationPaymentAccountId",
  payout.external_reference as "externalReference", payout.created_at as "createdAt"`

export type SourceAccount =
  | { source: 'RETURNED_FUNDS'; accountId: string; asset: string }
  | { source: 'WALLET'; accountId: string; status: string }

/** Finds the returned-funds account or service wallet of a customer with this id. */
export async function findSourceAccount(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  accountId: string,
): Promise<SourceAccount | undefined> {
  const [found] = await database.query<SourceAccount>({
    name: 'find source account of a disbursement',
    text: `select 'RETURNED_FUNDS' as source, account_id as "accountId", asset, null as status
             from svc.ledger_accounts
            where organization_id = $1 and account_id = $3 and kind = 'RETURNED_FUNDS' and holder = $2::uuid::text
            union all
           select 'WALLET', payment_account_id, null, status from svc.payment_accounts
            where organization_id = $1 and payment_account_id = $3 and customer_id = $2
              and payment_account_type = 'SVC_CRYPTO_WALLET'`,
    values: [organizationId, customerId, accountId],
  })
  return found
}

export type NewDisbursement = Pick<
  Disbursement,
  'organizationId' | 'disbursementId' | 'customerId' | 'source' | 'sourceAccountId'
> & { parts: readonly DisbursementPart[] }

/** Inserts a disbursement and its parts, beside its payout. */
export async function insertDisbursement(tx: Tx, disbursement: NewDisbursement): Promise<void> {
  const { organizationId, disbursementId, customerId, source, sourceAccountId, parts } = disbursement
  await tx.query({
    name: 'insert disbursement',
    text: `with inserted as (
             insert into svc.disbursements (organization_id, disbursement_id, customer_id, source, source_account_id)
             values ($1, $2, $3, $4, $5))
           insert into svc.disbursement_parts (organization_id, disbursement_id, cause, cause_id, amount)
           select $1, $2, part.cause, part.cause_id, part.amount
             from unnest($6::text[], $7::uuid[], $8::numeric[]) as part (cause, cause_id, amount)`,
    values: [
      organizationId,
      disbursementId,
      customerId,
      source,
      sourceAccountId,
      parts.map(({ cause }) => cause),
      parts.map(({ causeId }) => causeId),
      parts.map(({ amount }) => amount),
    ],
  })
}

export async function findDisbursement(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  disbursementId: string,
): Promise<Disbursement | undefined> {
  const [found] = await database.query<Disbursement>({
    name: 'find disbursement',
    text: `select ${columns} from svc.disbursements as disbursement
             join svc.payouts as payout on payout.organization_id = disbursement.organization_id
              and payout.payout_id = disbursement.disbursement_id
            where disbursement.organization_id = $1 and disbursement.customer_id = $2
              and disbursement.disbursement_id = $3`,
    values: [organizationId, customerId, disbursementId],
  })
  return found
}

/** Lists the disbursements of a customer, newest first. */
export function listDisbursements(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  { after, limit }: PageSlice,
): Promise<Disbursement[]> {
  return database.query<Disbursement>({
    name: 'list disbursements',
    text: `select ${columns} from svc.disbursements as disbursement
             join svc.payouts as payout on payout.organization_id = disbursement.organization_id
              and payout.payout_id = disbursement.disbursement_id
            where disbursement.organization_id = $1 and disbursement.customer_id = $2
              and ($3::uuid is null or disbursement.disbursement_id < $3)
            order by disbursement.disbursement_id desc limit $4`,
    values: [organizationId, customerId, after ?? null, limit],
  })
}

/** Withdraws a disbursement that was not sent. The new fence stops a worker that has claimed it. */
export async function withdrawDisbursement(
  tx: Tx,
  { organizationId, disbursementId }: Pick<Disbursement, 'organizationId' | 'disbursementId'>,
  { from, to }: Move<PayoutStatus>,
): Promise<Payout | undefined> {
  const [changed] = await tx.query<Payout>({
    name: 'withdraw disbursement',
    text: `with unsent as materialized (
             select payout_id, attempts from svc.payouts
              where organization_id = $1 and payout_id = $2 and purpose = 'DISBURSEMENT' and status = any($3)
                for no key update),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
             select $1, payout_id, attempts, svc.now(), '${withdrawal}' from unsent)
           update svc.payouts as payout
              set status = $4, reason = '${withdrawn}', due_at = null, lease_until = null, fence = fence + 1,
                  resolved_at = svc.now()
             from unsent where payout.organization_id = $1 and payout.payout_id = unsent.payout_id
        returning ${payoutColumns}`,
    values: [organizationId, disbursementId, from, to],
  })
  return changed
}

export type SettledSource = { source: DisbursementSource; sourceAccountId: string; transactionIds: string[] }

/** Reads where the money of a disbursement comes from, and the transactions among its causes, sorted. */
export async function readSource(
  database: Queryable,
  { organizationId, payoutId }: Pick<Payout, 'organizationId' | 'payoutId'>,
): Promise<SettledSource> {
  const [found] = await database.query<SettledSource>({
    name: 'read source of a disbursement',
    text: `select source, source_account_id as "sourceAccountId",
                  array(select part.cause_id::text from svc.disbursement_parts as part
                         where part.organization_id = $1 and part.disbursement_id = $2 and part.cause = 'TRANSACTION'
                         order by part.cause_id) as "transactionIds"
             from svc.disbursements where organization_id = $1 and disbursement_id = $2`,
    values: [organizationId, payoutId],
  })
  if (!found) throw new Error(`payout ${payoutId} has no disbursement`)
  return found
}
