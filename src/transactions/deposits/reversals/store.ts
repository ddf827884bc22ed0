import { isNetwork } from '../../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { Deposit, DepositStatus } from '../deposit.ts'
import { columns as depositColumns } from '../store.ts'
import { depositCauses, followMoney } from './followed-money-store.ts'
import {
  type Reversal,
  type ReversalReport,
  type ReversalStatus,
  type ReversibleDeposit,
  undecidedOf,
} from './reversal.ts'

const columns = `reversal.organization_id as "organizationId", reversal.reversal_id as "reversalId",
  reversal.deposit_id as "depositId", reversal.external_id as "externalId", reversal.customer_id as "customerId",
  reversal.asset, reversal.amount, reversal.owed_amount as "owedAmount", reversal.reason, reversal.status,
  reversal.recorded_at as "recordedAt"`

const isReported = `deposit.book = $2 and deposit.external_id = $3
  and (deposit.method = $1 or (deposit.asset not like '%/%' and not $4))`

/**
 * Finds the deposit that a bank or chain reports about. A bank's reference is unique in its book, whichever rail it
 * names. An unattributed deposit that was assigned counts where it is now.
 */
export async function findReported(
  tx: Tx,
  { method, book, externalId }: Pick<ReversalReport, 'method' | 'book' | 'externalId'>,
): Promise<Deposit | undefined> {
  const [found] = await tx.query<Deposit>({
    name: 'find reported deposit',
    text: `select ${depositColumns} from svc.deposits as deposit
            where ${isReported} and deposit.status <> 'ASSIGNED'`,
    values: [method, book, externalId, isNetwork(method)],
  })
  return found
}

/** Locks a deposit, with the state of its return. */
export async function lockReversible(
  tx: Tx,
  { organizationId, depositId }: Pick<Deposit, 'organizationId' | 'depositId'>,
): Promise<ReversibleDeposit> {
  await tx.query({
    name: 'lock deposit of a reversal',
    text: `select deposit_id from svc.deposits where organization_id = $1 and deposit_id = $2 for no key update`,
    values: [organizationId, depositId],
  })
  // A second statement sees what the holder of the lock has committed about the return.
  const [locked] = await tx.query<ReversibleDeposit>({
    name: 'read deposit of a reversal',
    text: `select ${depositColumns}, deposit.returned_amount as "returnedAmount",
                  coalesce(live.status = 'WAITING', false) as "hasWaitingReturn",
                  live.payout_id is not null as "isBeingReturned"
             from svc.deposits as deposit
             left join svc.payouts as live on live.organization_id = deposit.organization_id
              and live.deposit_id = deposit.deposit_id and live.status in ('WAITING', 'SENDING', 'SENT')
            where deposit.organization_id = $1 and deposit.deposit_id = $2`,
    values: [organizationId, depositId],
  })
  if (!locked) throw new Error(`deposit ${depositId} does not exist`)
  return locked
}

/** Finds a reversal that was recorded before, also before its deposit was assigned to another organization. */
export async function findKnown(
  tx: Tx,
  { method, book, externalId, reversalId }: ReversalReport,
): Promise<Reversal | undefined> {
  const [known] = await tx.query<Reversal>({
    name: 'find known reversal',
    text: `select ${columns} from svc.deposits as deposit
             join svc.deposit_reversals as reversal on reversal.organization_id = deposit.organization_id
              and reversal.deposit_id = deposit.deposit_id
            where ${isReported} and reversal.external_id = $5`,
    values: [method, book, externalId, isNetwork(method), reversalId],
  })
  return known
}

/** Counts a reversal to its locked deposit. Without a move the deposit keeps its status. */
export async function countReversal(
  tx: Tx,
  { organizationId, depositId }: Pick<Deposit, 'organizationId' | 'depositId'>,
  { amount, covered }: { amount: bigint; covered: bigint },
  move: Move<DepositStatus> | undefined,
): Promise<Deposit> {
  const [changed] = await tx.query<Deposit>({
    name: 'count reversal of deposit',
    text: `update svc.deposits as deposit
              set reversed_amount = reversed_amount + $3, covered_amount = covered_amount + $4, version = version + 1,
                  status = coalesce($5, status), updated_at = date_trunc('milliseconds', svc.now()),
                  due_at = case when $5::text is null then due_at end, fence = fence + 1, lease_until = null
            where organization_id = $1 and deposit_id = $2 and ($5::text is null or status = any($6))
        returning ${depositColumns}`,
    values: [organizationId, depositId, amount, covered, move?.to ?? null, move?.from ?? []],
  })
  if (!changed) throw new Error(`deposit ${depositId} cannot be reversed`)
  return changed
}

export async function insertReversal(
  tx: Tx,
  reversal: Omit<Reversal, 'amount' | 'owedAmount' | 'recordedAt'> & { amount: bigint; owedAmount: bigint },
): Promise<Reversal> {
  const [inserted] = await tx.query<Reversal>({
    name: 'insert reversal',
    text: `insert into svc.deposit_reversals as reversal (organization_id, reversal_id, deposit_id, external_id,
                  customer_id, asset, amount, owed_amount, reason, status, recorded_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, svc.now()) returning ${columns}`,
    values: [
      reversal.organizationId,
      reversal.reversalId,
      reversal.depositId,
      reversal.externalId,
      reversal.customerId,
      reversal.asset,
      reversal.amount,
      reversal.owedAmount,
      reversal.reason,
      reversal.status,
    ],
  })
  if (!inserted) throw new Error('the database returned no row')
  return inserted
}

/** Locks what a customer owes for a deposit, oldest first. */
export function lockOwed(
  tx: Tx,
  { organizationId, depositId }: Pick<Deposit, 'organizationId' | 'depositId'>,
): Promise<Reversal[]> {
  return tx.query<Reversal>({
    name: 'lock owed reversals of a deposit',
    text: `select ${columns} from svc.deposit_reversals as reversal
            where reversal.organization_id = $1 and reversal.deposit_id = $2 and reversal.status = 'OPEN'
            order by reversal.reversal_id for no key update`,
    values: [organizationId, depositId],
  })
}

/** Lowers what a customer owes for a locked reversal; moves it when nothing is left. */
export async function lowerOwed(
  tx: Tx,
  { organizationId, reversalId }: Pick<Reversal, 'organizationId' | 'reversalId'>,
  amount: bigint,
  { from, to }: Move<ReversalStatus>,
): Promise<void> {
  await tx.query({
    name: 'lower owed reversal',
    text: `update svc.deposit_reversals
              set owed_amount = owed_amount - $3, status = case owed_amount when $3 then $4 else status end
            where organization_id = $1 and reversal_id = $2 and status = any($5)`,
    values: [organizationId, reversalId, amount, to, from],
  })
}

/** Counts the part of earlier reversals that suspense covers now, to its locked deposit. */
export async function countCovered(
  tx: Tx,
  { organizationId, depositId }: Pick<Deposit, 'organizationId' | 'depositId'>,
  amount: bigint,
): Promise<void> {
  await tx.query({
    name: 'count covered reversal',
    text: `update svc.deposits set covered_amount = covered_amount + $3 where organization_id = $1 and deposit_id = $2`,
    values: [organizationId, depositId, amount],
  })
}

/** Lists what customers owe, oldest first. */
export function listOpen(database: Queryable, limit: number): Promise<Reversal[]> {
  return database.query<Reversal>({
    name: 'list open reversals',
    text: `select ${columns} from svc.deposit_reversals as reversal
            where reversal.status = 'OPEN' order by reversal.reversal_id limit $1`,
    values: [limit],
  })
}

export async function countOpen(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count open reversals',
    text: `select count(*)::int as count from svc.deposit_reversals where status = 'OPEN'`,
  })
  return counted?.count ?? 0
}

export async function findReversal(database: Queryable, reversalId: string): Promise<Reversal | undefined> {
  const [found] = await database.query<Reversal>({
    name: 'find reversal',
    text: `select ${columns} from svc.deposit_reversals as reversal where reversal.reversal_id = $1`,
    values: [reversalId],
  })
  return found
}

/** Decides about a reversal, once; undefined when it was decided before. Answers what is owed now. */
export async function decideReversal(
  tx: Tx,
  { organizationId, reversalId }: Reversal,
  { from, to }: Move<ReversalStatus>,
): Promise<Reversal | undefined> {
  const [decided] = await tx.query<Reversal>({
    name: 'decide reversal',
    text: `update svc.deposit_reversals as reversal set status = $3, decided_at = svc.now()
            where organization_id = $1 and reversal_id = $2 and status = any($4) returning ${columns}`,
    values: [organizationId, reversalId, to, from],
  })
  return decided
}

/** Finds a wallet of the customer that has the owed amount; the one that received the deposit first. */
export async function findRichWallet(
  tx: Tx,
  { organizationId, customerId, depositId, asset, owedAmount }: Reversal,
): Promise<string | undefined> {
  const [found] = await tx.query<{ wallet: string }>({
    name: 'find wallet that can repay a reversal',
    text: `select account.payment_account_id as wallet
             from svc.payment_accounts as account
             join svc.ledger_accounts as balance on balance.organization_id = account.organization_id
              and balance.kind = 'WALLET' and balance.holder = account.payment_account_id::text and balance.asset = $4
             join svc.deposits as deposit on deposit.organization_id = account.organization_id
              and deposit.deposit_id = $3
            where account.organization_id = $1 and account.customer_id = $2
              and balance.posted - balance.reserved >= $5
            order by account.payment_account_id is not distinct from deposit.payment_account_id desc,
                     balance.posted - balance.reserved desc limit 1`,
    values: [organizationId, customerId, depositId, asset, owedAmount],
  })
  return found?.wallet
}

const causesOfDeposit = followMoney(`select cause.cause_id from svc.deposits as deposit ${depositCauses}
  where deposit.organization_id = $1 and deposit.deposit_id = $2 and cause.cause_id is not null`)

/**
 * True while money of a deposit can still leave: its transaction, or a conversion of its money, is open, a payout of it
 * is on its way, or a part of the deposit waits in suspense for a decision. Money that was credited is followed through
 * every disbursement and conversion that takes it: each is a cause of its own once it comes back. In a wallet it is one
 * with the other money there, so every order from a wallet counts, and all that takes returned funds, where an order that failed lies.
 */
export async function isMoneyLeaving(tx: Tx, { organizationId, depositId, customerId }: Reversal): Promise<boolean> {
  const rows = await tx.query({
    name: 'is money of a reversed deposit leaving',
    text: `${causesOfDeposit}
           select causes.cause_id from causes
            where exists (select from svc.transactions as transaction
                           where transaction.organization_id = $1 and transaction.transaction_id = causes.cause_id
                             and transaction.status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING'))
               or exists (select from svc.payouts as payout
                           where payout.organization_id = $1 and payout.status in ('WAITING', 'SENDING', 'SENT')
                             and causes.cause_id in (payout.transaction_id, payout.deposit_id, payout.payout_id))
               or exists (select from svc.deposits as deposit
                           where deposit.organization_id = $1 and deposit.deposit_id = causes.cause_id
                             and deposit.status in ('HELD', 'UNMATCHED', 'APPLIED')
                             and deposit.amount >
                                 deposit.applied_amount + deposit.returned_amount + deposit.covered_amount)
               or exists (select from svc.transactions as transaction
                           where transaction.organization_id = $1 and transaction.customer_id = $3
                             and (transaction.is_from_wallet or transaction.is_from_returned_funds)
                             and transaction.status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING'))
               or exists (select from svc.payouts as payout
                           where payout.organization_id = $1 and payout.customer_id = $3
                             and payout.purpose = 'DISBURSEMENT' and payout.status in ('WAITING', 'SENDING', 'SENT'))
            limit 1`,
    values: [organizationId, depositId, customerId],
  })
  return rows.length > 0
}

/** Reads all that money of a reversed deposit became: the deposit, transactions, conversions and disbursements. */
export async function readCauses(tx: Tx, { organizationId, depositId }: Reversal): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ causeId: string }>({
    name: 'read causes of a reversed deposit',
    text: `${causesOfDeposit} select causes.cause_id as "causeId" from causes`,
    values: [organizationId, depositId],
  })
  return new Set(rows.map(({ causeId }) => causeId))
}

/** True when the bank or chain took all of a deposit back, and nothing of it waits for a decision. */
export async function isAllReversed(tx: Tx, key: Pick<Deposit, 'organizationId' | 'depositId'>): Promise<boolean> {
  const deposit = await lockReversible(tx, key)
  return deposit.reversedAmount === deposit.amount && undecidedOf(deposit) === 0n
}

/** Reads the holding that a reversed deposit had arrived at. */
export async function readHolding(tx: Tx, { organizationId, depositId }: Reversal): Promise<string> {
  const [found] = await tx.query<{ heldAt: string }>({
    name: 'read holding of a deposit',
    text: 'select held_at as "heldAt" from svc.deposits where organization_id = $1 and deposit_id = $2',
    values: [organizationId, depositId],
  })
  if (!found) throw new Error(`deposit ${depositId} does not exist`)
  return found.heldAt
}
