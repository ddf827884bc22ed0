import type { Queryable, Tx } from '../../db/database.ts'
import { type ClaimRound, claimFairly, type SharedWorkTable } from '../../db/fair-claims.ts'
import type { ClaimOptions } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import type { PageSlice } from '../../lib/pages.ts'
import type { Move } from '../../lib/transitions.ts'
import type { Transaction, TransactionLabel } from '../transaction.ts'
import type { Deposit, DepositStatus } from './deposit.ts'
import { shownRecall } from './recalls/shown-store.ts'

const deposits: SharedWorkTable = {
  table: 'svc.deposits',
  key: ['organization_id', 'deposit_id'],
  dueBy: 'business time',
  sharedBy: 'organization_id',
}

export type ClaimedDeposit = Deposit & { fence: string }

// Suggestions are for operators, who still have to decide. An organization sees those of its own.
const suggestions = `case when deposit.status = 'UNMATCHED' then array(
    select jsonb_build_object('organizationId', suggested_organization_id, 'customerId', suggested_customer_id,
           'transactionId', suggested_transaction_id)
      from svc.deposit_suggestions as suggested
     where suggested.book = deposit.book and suggested.external_id = deposit.external_id
       and deposit.organization_id in ('${platformOrganizationId}', suggested.suggested_organization_id)
     order by rank, suggested_transaction_id) else '{}' end`

export const columns = `deposit.organization_id as "organizationId", deposit.deposit_id as "depositId", deposit.method, deposit.rail,
  deposit.book, deposit.external_id as "externalId", deposit.asset, deposit.amount, deposit.held_at as "heldAt", deposit.status,
  deposit.applied_amount as "appliedAmount", deposit.reversed_amount as "reversedAmount",
  deposit.covered_amount as "coveredAmount", deposit.labels, deposit.version, deposit.customer_id as "customerId",
  deposit.payment_account_id as "paymentAccountId", deposit.transaction_id as "transactionId", deposit.message,
  deposit.address, deposit.is_sender_blocked as "isSenderBlocked", deposit.seen_at as "seenAt",
  deposit.is_sender_mismatch as "isSenderMismatch", ${suggestions} as suggestions, ${shownRecall} as recall,
  deposit.created_at as "createdAt", deposit.updated_at as "updatedAt"`

export type NewDeposit = Omit<
  Deposit,
  | ('version' | 'createdAt' | 'updatedAt' | 'appliedAmount' | 'reversedAmount' | 'coveredAmount' | 'heldAt')
  | ('suggestions' | 'recall')
> & {
  appliedAmount: bigint
  recheckInSeconds: number | null
}

/** Inserts a deposit; undefined when it exists already. */
export async function insertDeposit(tx: Tx, deposit: NewDeposit): Promise<Deposit | undefined> {
  const [inserted] = await tx.query<Deposit>({
    name: 'insert deposit',
    text: `insert into svc.deposits as deposit (organization_id, deposit_id, method, book, external_id, asset, amount, status,
                  applied_amount, labels, customer_id, payment_account_id, transaction_id, message, address,
                  is_sender_blocked, seen_at, created_at, updated_at, due_at, held_at, is_sender_mismatch, rail)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                  date_trunc('milliseconds', svc.now()), date_trunc('milliseconds', svc.now()),
                  svc.now() + $18 * interval '1 second',
                  case when $6::text like '%/%' then 'CUSTODY' else svc.holding_of($6, $3) end, $19, $20)
               on conflict (organization_id, method, book, external_id) do nothing
        returning ${columns}`,
    values: [
      deposit.organizationId,
      deposit.depositId,
      deposit.method,
      deposit.book,
      deposit.externalId,
      deposit.asset,
      deposit.amount,
      deposit.status,
      deposit.appliedAmount,
      deposit.labels,
      deposit.customerId,
      deposit.paymentAccountId,
      deposit.transactionId,
      deposit.message,
      deposit.address,
      deposit.isSenderBlocked,
      deposit.seenAt,
      deposit.recheckInSeconds,
      deposit.isSenderMismatch,
      deposit.rail,
    ],
  })
  return inserted
}

/** A deposit; with a fence or version, only while no other worker or operator has changed it. */
type DepositKey = Pick<Deposit, 'organizationId' | 'depositId'> &
  Partial<Pick<Deposit, 'version' | 'status' | 'transactionId'>> & { fence?: string }
export type DepositChange = {
  labels?: readonly TransactionLabel[]
  appliedAmount?: bigint
  transactionId?: string
}

/** Changes a deposit in one guarded update, with the guard from the state table. */
export async function changeDeposit(
  tx: Tx,
  { organizationId, depositId, fence, version }: DepositKey,
  { from, to }: Move<DepositStatus>,
  { labels = [], appliedAmount = 0n, transactionId }: DepositChange = {},
): Promise<Deposit | undefined> {
  const [changed] = await tx.query<Deposit>({
    name: 'change deposit',
    text: `update svc.deposits as deposit
              set status = $3, version = version + 1, applied_amount = applied_amount + $6, due_at = null,
                  lease_until = null, updated_at = date_trunc('milliseconds', svc.now()),
                  transaction_id = coalesce($7, transaction_id),
                  labels = (select coalesce(array_agg(distinct label), '{}') from unnest(labels || $5::text[]) as label)
            where organization_id = $1 and deposit_id = $2 and status = any($4) and ($8::bigint is null or fence = $8)
              and ($9::integer is null or version = $9)
        returning ${columns}`,
    values: [
      organizationId,
      depositId,
      to,
      from,
      labels,
      appliedAmount,
      transactionId ?? null,
      fence ?? null,
      version ?? null,
    ],
  })
  return changed
}

/**
 * Counts a new return to its deposit, or a refused one off it. The update locks the deposit until the database
 * transaction ends, and the constraint `deposits_spent_once` refuses what the deposit no longer has.
 */
export async function countReturn(
  tx: Tx,
  { organizationId, depositId }: Pick<DepositKey, 'organizationId' | 'depositId'>,
  amount: bigint,
): Promise<void> {
  const counted = await tx.query({
    name: 'count return of deposit',
    text: `update svc.deposits set returned_amount = returned_amount + $3
            where organization_id = $1 and deposit_id = $2 returning deposit_id`,
    values: [organizationId, depositId, amount],
  })
  if (counted.length === 0) throw new Error(`deposit ${depositId} does not exist`)
}

/** Locks a deposit, and tells whether its returned amount is the sum of its live returns. */
export async function isReturnCounted(
  tx: Tx,
  { organizationId, depositId }: Pick<DepositKey, 'organizationId' | 'depositId'>,
): Promise<boolean> {
  const values = [organizationId, depositId]
  const [deposit] = await tx.query<{ returnedAmount: string }>({
    name: 'lock deposit of a return',
    text: `select returned_amount as "returnedAmount" from svc.deposits
            where organization_id = $1 and deposit_id = $2 for no key update`,
    values,
  })
  const [live] = await tx.query<{ amount: string }>({
    name: 'sum live returns of a deposit',
    text: `select coalesce(sum(amount), 0) as amount from svc.payouts
            where organization_id = $1 and deposit_id = $2 and purpose = 'RETURN' and status <> 'REFUSED'`,
    values,
  })
  return deposit !== undefined && deposit.returnedAmount === live?.amount
}

export const dueDeposits = dueIn(deposits)

/** Claims HELD deposits that are due for a re-check. */
export async function claimDeposits(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
  round: ClaimRound,
): Promise<ClaimedDeposit[]> {
  const claimed = await claimFairly<{ organization_id: string; deposit_id: string }>(database, deposits, options, round)
  if (claimed.length === 0) return []
  return database.query<ClaimedDeposit>({
    name: 'read claimed deposits',
    text: `select ${columns}, deposit.fence::text as fence
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as claimed (organization_id, deposit_id, fence)
             join svc.deposits as deposit on deposit.organization_id = claimed.organization_id
              and deposit.deposit_id = claimed.deposit_id and deposit.fence = claimed.fence`,
    values: [
      claimed.map(({ organization_id }) => organization_id),
      claimed.map(({ deposit_id }) => deposit_id),
      claimed.map(({ fence }) => fence),
    ],
  })
}

/** Postpones a deposit while it is HELD. An operator, or a commit whose reply was lost, may have settled it. */
export async function postponeDeposit(
  database: Queryable,
  { organizationId, depositId, fence }: ClaimedDeposit,
  seconds: number,
): Promise<void> {
  await database.query({
    name: 'postpone deposit',
    text: `update svc.deposits set due_at = svc.now() + $4 * interval '1 second', lease_until = null
            where organization_id = $1 and deposit_id = $2 and fence = $3 and status = 'HELD'`,
    values: [organizationId, depositId, fence, seconds],
  })
}

export async function findDeposit(
  database: Queryable,
  organizationIds: readonly string[],
  depositId: string,
): Promise<Deposit | undefined> {
  const [found] = await database.query<Deposit>({
    name: 'find deposit',
    text: `select ${columns} from svc.deposits as deposit
            where deposit.organization_id = any($1) and deposit.deposit_id = $2`,
    values: [organizationIds, depositId],
  })
  return found
}

export type DepositFilter = {
  status?: DepositStatus
  customerId?: string
  paymentAccountId?: string
  transactionId?: string
}

/**
 * Lists deposits, newest first. Each combination of filters is its own statement, so that each uses its index. One
 * organization's page is read in index order. For many organizations, only the ids are read until the page is known.
 */
export async function listDeposits(
  database: Queryable,
  organizationIds: readonly string[],
  { status, customerId, paymentAccountId, transactionId }: DepositFilter,
  slice: PageSlice,
): Promise<Deposit[]> {
  const [first, ...others] = organizationIds
  if (first === undefined) return []
  const isOne = others.length === 0
  const filters = [
    { name: 'status', column: 'status', value: status },
    { name: 'customer', column: 'customer_id', value: customerId },
    { name: 'account', column: 'payment_account_id', value: paymentAccountId },
    { name: 'transaction', column: 'transaction_id', value: transactionId },
  ].filter(({ value }) => value !== undefined)
  const wanted = filters.map(({ column }, at) => `and deposit.${column} = $${at + 4}`).join(' ')
  const after = `deposit.deposit_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`
  const ofOne = `select ${columns} from svc.deposits as deposit
                  where deposit.organization_id = $1 and ${after} ${wanted}
                  order by deposit.deposit_id desc limit $3`
  const ofMany = `
    select ${columns}
      from (select mine.organization_id, ids.deposit_id from unnest($1::uuid[]) as mine (organization_id)
             cross join lateral (
               select deposit.deposit_id from svc.deposits as deposit
                where deposit.organization_id = mine.organization_id and ${after} ${wanted}
                order by deposit.deposit_id desc limit $3) as ids order by ids.deposit_id desc limit $3) as page
      join svc.deposits as deposit
        on deposit.organization_id = page.organization_id and deposit.deposit_id = page.deposit_id
     order by deposit.deposit_id desc`
  return database.query<Deposit>({
    name: ['list deposits', isOne ? 'of one' : '', ...filters.map(({ name }) => name)].join(' '),
    text: isOne ? ofOne : ofMany,
    values: [isOne ? first : organizationIds, slice.after ?? null, slice.limit, ...filters.map(({ value }) => value)],
  })
}

/** True when a deposit arrived in time for this transaction and is HELD. */
export async function isDepositHeld(
  tx: Tx,
  { organizationId, transactionId, expiresAt }: Pick<Transaction, 'organizationId' | 'transactionId' | 'expiresAt'>,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'is deposit of a transaction held',
    text: `select deposit_id from svc.deposits
            where organization_id = $1 and transaction_id = $2 and status = 'HELD' and seen_at < $3 limit 1`,
    values: [organizationId, transactionId, expiresAt],
  })
  return rows.length > 0
}

export type ReceivingAccount = { type: string; status: string }

/** Reads the account that received or sent a deposit, and locks it against deletion. */
export async function lockAccount(
  tx: Tx,
  organizationId: string,
  paymentAccountId: string | null,
): Promise<ReceivingAccount | undefined> {
  if (paymentAccountId === null) return undefined
  const [found] = await tx.query<ReceivingAccount>({
    name: 'lock account of a deposit',
    text: `select payment_account_type as type, status from svc.payment_accounts
            where organization_id = $1 and payment_account_id = $2 for share`,
    values: [organizationId, paymentAccountId],
  })
  return found
}
