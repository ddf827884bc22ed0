import type { Queryable, Tx } from '../../../db/database.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { Deposit } from '../deposit.ts'
import { columns as depositColumns } from '../store.ts'
import type { Recall, RecallStatus } from './recall.ts'

const selectRecalls = `select recall.bank_recall_id as "bankRecallId", recall.currency, recall.amount, recall.code,
         recall.status, recall.recorded_at as "recordedAt", array(
           select jsonb_build_object('book', named.bank_account_id, 'externalId', named.external_id,
                  'organizationId', deposit.organization_id, 'depositId', deposit.deposit_id,
                  'customerId', deposit.customer_id)
             from svc.bank_recall_payments as named
             left join svc.deposits as deposit on deposit.book = named.bank_account_id
              and deposit.external_id = named.external_id and deposit.status <> 'ASSIGNED'
            where named.bank_recall_id = recall.bank_recall_id and named.ruled_out_at is null
            order by named.bank_account_id, named.external_id) as payments
    from svc.bank_recalls as recall`

/** Lists recalls that wait for an answer, then those that hold money, oldest first. */
export function listHolding(database: Queryable, limit: number): Promise<Recall[]> {
  return database.query<Recall>({
    name: 'list holding recalls',
    text: `${selectRecalls}
            where recall.status in ('OPEN', 'ACCEPTED')
            order by recall.status = 'OPEN' desc, recall.bank_recall_id limit $1`,
    values: [limit],
  })
}

/** Finds recalls again and keeps them from changing. */
export async function lockRecalls(tx: Tx, bankRecallIds: readonly string[]): Promise<Recall[]> {
  await tx.query({
    name: 'lock recalls',
    text: `select bank_recall_id from svc.bank_recalls where bank_recall_id = any($1)
            order by bank_recall_id for no key update`,
    values: [bankRecallIds],
  })
  return tx.query<Recall>({
    name: 'read locked recalls',
    text: `${selectRecalls} where recall.bank_recall_id = any($1) order by recall.bank_recall_id`,
    values: [bankRecallIds],
  })
}

export async function findRecall(database: Queryable, bankRecallId: string): Promise<Recall | undefined> {
  const [found] = await database.query<Recall>({
    name: 'find recall',
    text: `${selectRecalls} where recall.bank_recall_id = $1`,
    values: [bankRecallId],
  })
  return found
}

/** Finds the recalls that hold a deposit. */
export function findHolding(database: Queryable, { book, externalId }: Deposit): Promise<Recall[]> {
  return database.query<Recall>({
    name: 'find holding recalls of a deposit',
    text: `${selectRecalls}
            where recall.status in ('OPEN', 'ACCEPTED') and exists (
                  select from svc.bank_recall_payments as held
                   where held.bank_recall_id = recall.bank_recall_id and held.bank_account_id = $1
                     and held.external_id = $2 and held.ruled_out_at is null)
            order by recall.bank_recall_id`,
    values: [book, externalId],
  })
}

/** Decides about a recall, once; false when another decision came first. */
export async function decideRecall(tx: Tx, bankRecallId: string, { from, to }: Move<RecallStatus>): Promise<boolean> {
  const decided = await tx.query({
    name: 'decide recall',
    text: `update svc.bank_recalls set status = $2, decided_at = svc.now()
            where bank_recall_id = $1 and status = any($3) returning bank_recall_id`,
    values: [bankRecallId, to, from],
  })
  return decided.length > 0
}

export type RecalledPayment = { book: string; externalId: string }

const keysOf = (payments: readonly RecalledPayment[]) => [
  payments.map(({ book }) => book),
  payments.map(({ externalId }) => externalId),
]

/** Locks the deposits of payments. */
export async function lockDeposits(tx: Tx, payments: readonly RecalledPayment[]): Promise<void> {
  await tx.query({
    name: 'lock recalled deposits',
    text: `select deposit_id from svc.deposits
            where (book, external_id) in (select book, external_id from unnest($1::text[], $2::text[]) as named (book, external_id))
              and status <> 'ASSIGNED'
            order by organization_id, deposit_id for no key update`,
    values: keysOf(payments),
  })
}

/**
 * Ends the recalls of a payment that the bank has taken back, all of it or their amounts. A debit answers one recall: what it
 * took since a recall came counts less what other recalls got, for one of the same amount first, else for the oldest. `taken`
 * is a debit that is not recorded yet. A recall that may name other payments, too, waits until an operator chooses.
 */
export async function settleRecalls(
  tx: Tx,
  { book, externalId }: RecalledPayment,
  taken: bigint,
  { from, to }: Move<RecallStatus>,
): Promise<void> {
  await tx.query({
    name: 'settle recalls of a deposit',
    text: `with deposit as (
             select amount - reversed_amount - $3::numeric as left_amount
               from svc.deposits where book = $1 and external_id = $2 and status <> 'ASSIGNED'),
           waiting as (
             select bank_recall_id, recall.recorded_at,
                    case when amount is not null
                         then sum(amount) over (order by amount = $3 desc nulls last, bank_recall_id) end as wanted
               from svc.bank_recall_payments as named join svc.bank_recalls as recall using (bank_recall_id)
              where named.bank_account_id = $1 and named.external_id = $2 and named.ruled_out_at is null
                and recall.status = any($5) and not exists (
                    select from svc.bank_recall_payments as other
                     where other.bank_recall_id = named.bank_recall_id and other.ruled_out_at is null
                       and (other.bank_account_id, other.external_id) <> ($1, $2)))
           update svc.bank_recalls as recall set status = $4, decided_at = svc.now()
             from waiting cross join deposit
            where recall.bank_recall_id = waiting.bank_recall_id
              and (deposit.left_amount = 0
                   or waiting.wanted <= $3
                    + (select coalesce(sum(reversal.amount), 0) from svc.deposits as reversed
                         join svc.deposit_reversals as reversal on reversal.organization_id = reversed.organization_id
                          and reversal.deposit_id = reversed.deposit_id
                        where reversed.book = $1 and reversed.external_id = $2
                          and reversal.recorded_at >= waiting.recorded_at)
                    - (select coalesce(sum(other.amount), 0)
                         from svc.bank_recall_payments as named join svc.bank_recalls as other using (bank_recall_id)
                        where named.bank_account_id = $1 and named.external_id = $2 and named.ruled_out_at is null
                          and other.status = $4 and other.decided_at >= waiting.recorded_at))`,
    values: [book, externalId, taken, to, from],
  })
}

/** Counts a change of a deposit's recall as a change of the deposit. A worker looks again at a HELD one that it re-checks. */
export function touchDeposits(tx: Tx, payments: readonly RecalledPayment[]): Promise<Deposit[]> {
  return tx.query<Deposit>({
    name: 'touch recalled deposits',
    text: `update svc.deposits as deposit
              set version = version + 1, updated_at = date_trunc('milliseconds', svc.now()),
                  due_at = case when due_at is not null then svc.now() end, fence = fence + 1, lease_until = null
            where (book, external_id) in (select book, external_id from unnest($1::text[], $2::text[]) as named (book, external_id))
              and status <> 'ASSIGNED'
        returning ${depositColumns}`,
    values: keysOf(payments),
  })
}

/** True while a recall holds this deposit. */
export async function isDepositRecalled(
  tx: Tx,
  { organizationId, depositId }: Pick<Deposit, 'organizationId' | 'depositId'>,
): Promise<boolean> {
  const found = await tx.query({
    name: 'is this deposit recalled',
    text: `select recall.bank_recall_id from svc.deposits as deposit
             join svc.bank_recall_payments as named on named.bank_account_id = deposit.book
              and named.external_id = deposit.external_id and named.ruled_out_at is null
             join svc.bank_recalls as recall on recall.bank_recall_id = named.bank_recall_id
              and recall.status in ('OPEN', 'ACCEPTED')
            where deposit.organization_id = $1 and deposit.deposit_id = $2 limit 1`,
    values: [organizationId, depositId],
  })
  return found.length > 0
}

/** Chooses the payment of a recall that still holds money; false when it has ended. Others are ruled out. */
export async function choosePayment(tx: Tx, bankRecallId: string, payment: RecalledPayment): Promise<boolean> {
  const chosen = await tx.query({
    name: 'choose payment of recall',
    text: `with recall as (
             update svc.bank_recalls set linked_at = svc.now()
              where bank_recall_id = $1 and status in ('OPEN', 'ACCEPTED') returning bank_recall_id),
           ruled_out as (
             update svc.bank_recall_payments as named set ruled_out_at = svc.now() from recall
              where named.bank_recall_id = recall.bank_recall_id and named.ruled_out_at is null
                and (named.bank_account_id, named.external_id) <> ($2, $3))
           insert into svc.bank_recall_payments (bank_recall_id, bank_account_id, external_id)
           select bank_recall_id, $2, $3 from recall
               on conflict (bank_recall_id, bank_account_id, external_id) do update set ruled_out_at = null
        returning bank_recall_id`,
    values: [bankRecallId, payment.book, payment.externalId],
  })
  return chosen.length > 0
}

export type LinkableDeposit = RecalledPayment & Pick<Deposit, 'organizationId' | 'depositId' | 'customerId' | 'asset'>

/** Finds a deposit that came through a bank, for the operator of the deployment. */
export async function findLinkable(database: Queryable, depositId: string): Promise<LinkableDeposit | undefined> {
  const [found] = await database.query<LinkableDeposit>({
    name: 'find deposit to link',
    text: `select organization_id as "organizationId", deposit_id as "depositId", customer_id as "customerId", book,
                  external_id as "externalId", asset
             from svc.deposits as deposit
            where organization_id in (select organization_id from svc.organizations) and deposit_id = $1
              and status <> 'ASSIGNED' and exists (select from svc.bank_accounts as account where account.bank_account_id = deposit.book)`,
    values: [depositId],
  })
  return found
}

/** The part of a row of `debit` that pays nothing of ours. */
export const freeAmount = `debit.amount
      - (select coalesce(sum(paid.amount + paid.costs), 0) from svc.bank_payments as paid
          where paid.bank_entry_id = debit.bank_entry_id)
      - (select coalesce(sum(told.amount), 0) from svc.bank_payment_tellings as told
          where told.bank_entry_id = debit.bank_entry_id)
      - (select coalesce(sum(second.amount), 0) from svc.bank_second_debits as second
          where second.bank_entry_id = debit.bank_entry_id)`

/**
 * True when a debit of the account that matches nothing, or that is about to take the payment back, may be the end of a
 * recall. The recall may be read long after the debit: only much older ones cannot be meant. A bank was promised the money
 * of an accepted one, so it may also take it in parts. One that is about to take this payment counts however small it is.
 */
export async function hasUnmatchedDebit(database: Queryable, bankRecallId: string): Promise<boolean> {
  const found = await database.query({
    name: 'is an unmatched debit the end of a recall',
    text: `select taking.amount from svc.bank_recalls as recall
             join svc.bank_recall_payments as named on named.bank_recall_id = recall.bank_recall_id
              and named.ruled_out_at is null
             left join svc.deposits as deposit on deposit.book = named.bank_account_id
              and deposit.external_id = named.external_id and deposit.status <> 'ASSIGNED'
             join lateral (
                  select ${freeAmount} as amount, false as is_chosen from svc.bank_entries as debit
                   where debit.bank_account_id = named.bank_account_id and debit.outcome = 'UNMATCHED'
                     and debit.direction = 'DEBIT' and debit.recorded_at >= recall.recorded_at - interval '60 days'
                     and debit.batch_file_id is null
                   union all
                  select debit.amount, true from svc.bank_entry_parts as part
                    join svc.bank_entry_reversals as reversal on reversal.reversed_entry_id = part.bank_entry_id
                     and reversal.reversed_place = part.place
                    join svc.bank_entries as debit on debit.bank_entry_id = reversal.bank_entry_id
                     and debit.outcome = 'REVERSING'
                   where part.bank_account_id = named.bank_account_id and part.external_id = named.external_id
                  ) as taking on taking.amount > 0
            where recall.bank_recall_id = $1
              and (recall.status = 'ACCEPTED' or recall.status = 'OPEN' and (taking.is_chosen
                   or taking.amount >= coalesce(recall.amount, deposit.amount - deposit.reversed_amount, 0))) limit 1`,
    values: [bankRecallId],
  })
  return found.length > 0
}
