import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import { returnWindowDays } from '../../catalog/return-windows.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { type ClaimRound, claimFairly, type SharedWorkTable } from '../../db/fair-claims.ts'
import { type ClaimOptions, type Due, requireFence } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import type { Move } from '../../lib/transitions.ts'
import type { Payout, PayoutPurpose, PayoutStatus } from './payout.ts'

const payouts: SharedWorkTable = {
  table: 'svc.payouts',
  key: ['organization_id', 'payout_id'],
  dueBy: 'business time',
  sharedBy: 'organization_id',
}

export type ClaimedPayout = Payout & { fence: string }
export type NewPayout = Omit<
  Payout,
  | ('status' | 'attempts' | 'polls' | 'externalReference' | 'amount' | 'isReleased')
  | ('paysFrom' | 'heldAt' | 'needsLiquidity' | 'screenedVersion' | 'isWithdrawn' | 'seal')
  | ('shortReference' | 'isPrepared' | 'developerFees' | 'isContradicted' | 'isUnconfirmed' | 'detailsVersion')
> & {
  amount: bigint
  /** The holding that keeps the owed money, where neither a deposit nor the source of the transaction tells it. */
  heldAt?: string | null
  isReleased?: boolean
  screenedVersion?: number
  /** CONFIRMED for a posting without a transfer, REFUSED when no account can take it. */
  status?: 'WAITING' | 'CONFIRMED' | 'REFUSED'
}

/**
 * The outcome of a payout that was withdrawn. It and `REFUSED` keep the payout from leaving once more. The status alone
 * would not do: processes can change it.
 */
export const withdrawal = 'WITHDRAWN'

export const columns = `payout.organization_id as "organizationId", payout.payout_id as "payoutId",
  svc.short_reference(payout.payout_id) as "shortReference", payout.transaction_id as "transactionId",
  payout.deposit_id as "depositId", payout.customer_id as "customerId",
  payout.purpose, payout.method, payout.asset, payout.amount, payout.payment_account_id as "paymentAccountId",
  payout.details_version as "detailsVersion", payout.developer_fees as "developerFees", payout.from_wallet_id as "fromWalletId", payout.pays_from as "paysFrom", payout.held_at as "heldAt",
  payout.needs_liquidity as "needsLiquidity", payout.screened_version as "screenedVersion", payout.status,
  payout.attempts, payout.asks as polls, payout.external_reference as "externalReference",
  payout.is_released as "isReleased", payout.contradicted_at is not null as "isContradicted",
  payout.unconfirmed_at is not null as "isUnconfirmed", payout.seal, exists (
    select from svc.payout_attempts as attempt
     where attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id
       and attempt.outcome in ('${withdrawal}', 'REFUSED')) as "isWithdrawn", exists (
    select from svc.payout_preparations as preparation
     where preparation.organization_id = payout.organization_id and preparation.payout_id = payout.payout_id
       and preparation.attempt = payout.attempts) as "isPrepared"`

export const insertPayout = (tx: Tx, payout: NewPayout): Promise<void> => insertPayouts(tx, [payout])

/**
 * Inserts obligations, which become due when the signer has sealed them. The rail tells which holding pays; the deposit
 * or the transaction's source, which one owes.
 */
export async function insertPayouts(tx: Tx, payouts: readonly NewPayout[]): Promise<void> {
  await tx.query({
    name: 'insert payouts',
    text: `with named as (
             insert into svc.payout_references (short_reference, payout_id)
             select svc.short_reference(payout_id), payout_id from unnest($2::uuid[]) as wanted (payout_id))
           insert into svc.payouts (organization_id, payout_id, transaction_id, deposit_id, customer_id,
                  purpose, method, asset, amount, payment_account_id, from_wallet_id, status, is_released, created_at, resolved_at,
                  pays_from, held_at, screened_version, details_version)
           select organization_id, payout_id, transaction_id, deposit_id, customer_id, purpose, method, asset, amount,
                  payment_account_id, from_wallet_id, status, is_released, (select svc.now()),
                  case when status <> 'WAITING' then (select svc.now()) end,
                  case when from_wallet_id is null then svc.holding_of(asset, method) end,
                  case when purpose <> 'PAYOUT' then coalesce(held_at,
                    (select deposit.held_at from svc.deposits as deposit
                      where deposit.organization_id = new.organization_id and deposit.deposit_id = new.deposit_id),
                    case when from_wallet_id is not null then 'CUSTODY' end,
                    (select svc.holding_of(source_asset, source_method) from svc.transactions as transaction
                      where transaction.organization_id = new.organization_id
                        and transaction.transaction_id = new.transaction_id)) end, screened_version,
                  coalesce((select details_version from svc.payment_accounts as account
                             where account.organization_id = new.organization_id
                               and account.payment_account_id = new.payment_account_id), 1)
             from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
                    $9::numeric[], $10::uuid[], $11::uuid[], $12::text[], $13::boolean[], $14::text[], $15::bigint[])
                  as new (organization_id, payout_id, transaction_id, deposit_id, customer_id, purpose, method, asset,
                    amount, payment_account_id, from_wallet_id, status, is_released, held_at, screened_version)`,
    values: [
      payouts.map((payout) => payout.organizationId),
      payouts.map((payout) => payout.payoutId),
      payouts.map((payout) => payout.transactionId),
      payouts.map((payout) => payout.depositId),
      payouts.map((payout) => payout.customerId),
      payouts.map((payout) => payout.purpose),
      payouts.map((payout) => payout.method),
      payouts.map((payout) => payout.asset),
      payouts.map((payout) => payout.amount),
      payouts.map((payout) => payout.paymentAccountId),
      payouts.map((payout) => payout.fromWalletId),
      payouts.map((payout) => payout.status ?? 'WAITING'),
      payouts.map((payout) => payout.isReleased ?? false),
      payouts.map((payout) => payout.heldAt ?? null),
      payouts.map((payout) => payout.screenedVersion ?? null),
    ],
  })
}

/** Holds while payouts of these methods are due. */
export const duePayouts = (methods: readonly PaymentMethod[]): Due =>
  dueIn(payouts, { column: 'method', values: methods })

export async function claimPayouts(
  database: Queryable,
  { methods, ...options }: Pick<ClaimOptions, 'limit' | 'leaseMs'> & { methods: readonly PaymentMethod[] },
  round: ClaimRound,
): Promise<ClaimedPayout[]> {
  const claimed = await claimFairly<{ organization_id: string; payout_id: string }>(
    database,
    payouts,
    { ...options, lane: { column: 'method', values: methods } },
    round,
  )
  if (claimed.length === 0) return []
  return database.query<ClaimedPayout>({
    name: 'read claimed payouts',
    text: `select ${columns}, claimed.fence::text as fence
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as claimed (organization_id, payout_id, fence)
             join svc.payouts as payout on payout.organization_id = claimed.organization_id
              and payout.payout_id = claimed.payout_id and payout.fence = claimed.fence
            order by payout.payout_id`,
    values: [
      claimed.map(({ organization_id }) => organization_id),
      claimed.map(({ payout_id }) => payout_id),
      claimed.map(({ fence }) => fence),
    ],
  })
}

/** When a payout is due next. News that came while this worker held the payout must not be forgotten. */
export const unlessNews = (later: string) =>
  `case when payout.news_fence = payout.fence then (select svc.now()) else ${later} end`

/**
 * Postpones payouts by so many seconds, or until a moment of business time, while this worker holds their lease. A
 * commit whose reply was lost has ended it and set the next step.
 */
export async function postponePayouts(
  database: Queryable,
  postponed: readonly ClaimedPayout[],
  until: number | Date,
): Promise<void> {
  if (postponed.length === 0) return
  await database.query({
    name: 'postpone payouts',
    text: `with postponed as materialized (
             select payout.organization_id, payout.payout_id
               from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as wanted (organization_id, payout_id, fence)
               join svc.payouts as payout on payout.organization_id = wanted.organization_id
                and payout.payout_id = wanted.payout_id and payout.fence = wanted.fence
                and payout.lease_until is not null
              order by payout.organization_id, payout.payout_id for no key update of payout)
           update svc.payouts as payout
              set due_at = ${unlessNews("coalesce($5, (select svc.now()) + $4 * interval '1 second')")}, lease_until = null,
                  asks = asks + 1, lacks_liquidity_since = null
             from postponed
            where payout.organization_id = postponed.organization_id and payout.payout_id = postponed.payout_id`,
    values: [
      postponed.map(({ organizationId }) => organizationId),
      postponed.map(({ payoutId }) => payoutId),
      postponed.map(({ fence }) => fence),
      until instanceof Date ? 0 : until,
      until instanceof Date ? until : null,
    ],
  })
}

/**
 * Withdraws payouts of a transaction or a deposit that were not sent. The new fence stops a worker that has claimed them.
 * Those that a reviewer has released stay, unless their money is gone.
 */
export function withdrawPayouts(
  tx: Tx,
  subject: { organizationId: string } & ({ transactionId: string } | { depositId: string }),
  { from, to }: Move<PayoutStatus>,
  purposes: readonly PayoutPurpose[],
  reason: string,
  isMoneyGone = false,
): Promise<Payout[]> {
  const [column, id] =
    'depositId' in subject ? ['deposit_id', subject.depositId] : ['transaction_id', subject.transactionId]
  return tx.query<Payout>({
    name: `withdraw payouts by ${column}`,
    text: `with unsent as materialized (
             select payout_id, attempts from svc.payouts
              where organization_id = $1 and ${column} = $2 and status = any($3) and purpose = any($5)
                and ($7 or not is_released)
              order by payout_id for no key update),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
             select $1, payout_id, attempts, svc.now(), '${withdrawal}' from unsent)
           update svc.payouts as payout
              set status = $4, reason = $6, due_at = null, lease_until = null, fence = fence + 1, resolved_at = svc.now()
             from unsent where payout.organization_id = $1 and payout.payout_id = unsent.payout_id
        returning ${columns}`,
    values: [subject.organizationId, id, from, to, purposes, reason, isMoneyGone],
  })
}

export type PayoutResolution = { externalReference?: string; reason?: string; askInDays?: number | null }

/** Records the outcome. A payout that a bank may still return is asked about again. */
export async function resolvePayout(
  tx: Tx,
  { organizationId, payoutId, fence }: ClaimedPayout,
  { from, to }: Move<PayoutStatus>,
  { externalReference, reason, askInDays = null }: PayoutResolution,
): Promise<void> {
  const changed = await tx.query({
    name: 'resolve payout',
    text: `update svc.payouts
              set status = $4, external_reference = coalesce($6, external_reference), reason = $7, lease_until = null,
                  asks = 0, due_at = svc.now() + $8::integer * interval '1 day', resolved_at = svc.now()
            where organization_id = $1 and payout_id = $2 and fence = $3 and status = any($5) returning payout_id`,
    values: [organizationId, payoutId, fence, to, from, externalReference ?? null, reason ?? null, askInDays],
  })
  requireFence(changed)
}

/** The days in which the rail is asked about a payout that an operator settled. */
const leastWatchDays = 5

/** Asks about a confirmed payout again tomorrow, until the return window ends. */
export async function watchForReturn(
  database: Queryable,
  { organizationId, payoutId, fence, method }: ClaimedPayout,
): Promise<void> {
  await database.query({
    name: 'watch payout for a return',
    text: `update svc.payouts
              set lease_until = null, due_at = case when svc.now() < resolved_at + $4 * interval '1 day'
                                                    then svc.now() + interval '1 day' end
            where organization_id = $1 and payout_id = $2 and fence = $3`,
    values: [organizationId, payoutId, fence, Math.max(returnWindowDays(method), leastWatchDays)],
  })
}

/** Ends this worker's lease, and leaves the next poll as it is. */
export async function releasePayout(
  database: Queryable,
  { organizationId, payoutId, fence }: ClaimedPayout,
): Promise<void> {
  await database.query({
    name: 'release payout',
    text: `update svc.payouts set lease_until = null where organization_id = $1 and payout_id = $2 and fence = $3`,
    values: [organizationId, payoutId, fence],
  })
}

export async function recordAttempt(
  database: Queryable,
  { organizationId, payoutId, attempts }: Payout,
  outcome: string,
  details: object = {},
): Promise<void> {
  await database.query({
    name: 'record payout attempt',
    text: `insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome, details)
           values ($1, $2, $3, svc.now(), $4, $5) on conflict do nothing`,
    values: [organizationId, payoutId, attempts, outcome, JSON.stringify(details)],
  })
}

export async function hasAttempt(
  database: Queryable,
  { organizationId, payoutId }: Payout,
  outcome: string,
): Promise<boolean> {
  const found = await database.query({
    name: 'find payout attempt by its outcome',
    text: `select from svc.payout_attempts where organization_id = $1 and payout_id = $2 and outcome = $3 limit 1`,
    values: [organizationId, payoutId, outcome],
  })
  return found.length > 0
}

export type PayoutCounts = { waiting: number; unknown: number; contradicted: number }

/** Counts payouts that wait, whose outcome is unknown, and whose recorded outcome the rail contradicts. */
export async function countPayouts(database: Queryable): Promise<PayoutCounts> {
  const [counts] = await database.query<PayoutCounts>({
    name: 'count payouts',
    text: `select count(*) filter (where status = 'WAITING' and asks > 0)::int as waiting,
                  count(*) filter (where status = 'SENDING' and asks > 0)::int as unknown,
                  (select count(*)::int from svc.payouts where contradicted_at is not null) as contradicted
             from svc.payouts where status in ('WAITING', 'SENDING', 'SENT')`,
  })
  return counts ?? { waiting: 0, unknown: 0, contradicted: 0 }
}
