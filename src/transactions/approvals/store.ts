import type { Queryable, Tx } from '../../db/database.ts'
import { type ClaimRound, claimFairly, type SharedWorkTable } from '../../db/fair-claims.ts'
import type { ClaimOptions } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import { eventApiVersion } from '../../lib/event-types.ts'
import type { PageSlice } from '../../lib/pages.ts'
import { shownColumns } from '../store.ts'
import type { ShownTransaction, Transaction } from '../transaction.ts'
import type { Approval, ApprovalDecision, ApprovalMove, ApprovalRule, ApprovalStatus } from './approval.ts'

type ApprovalKey = Pick<Approval, 'organizationId' | 'approvalId'>

const columns = `approval.organization_id as "organizationId", approval.approval_id as "approvalId",
  approval.transaction_id as "transactionId", approval.rules, approval.maker_api_key_id as "makerApiKeyId",
  approval.status, approval.version, approval.expires_at as "expiresAt",
  (select transaction.customer_id from svc.transactions as transaction
    where transaction.organization_id = approval.organization_id
      and transaction.transaction_id = approval.transaction_id) as "customerId",
  svc.show_approval(approval) as shown`

const approvals: SharedWorkTable = {
  table: 'svc.approvals',
  key: ['organization_id', 'approval_id'],
  dueBy: 'business time',
  sharedBy: 'organization_id',
}

export const dueApprovals = dueIn(approvals)

export type ClaimedApproval = Approval & { fence: string }

/** Claims approvals whose time is over. */
export async function claimApprovals(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
  round: ClaimRound,
): Promise<ClaimedApproval[]> {
  const claimed = await claimFairly<{ organization_id: string; approval_id: string }>(
    database,
    approvals,
    options,
    round,
  )
  if (claimed.length === 0) return []
  return database.query<ClaimedApproval>({
    name: 'read claimed approvals',
    text: `select ${columns}, claimed.fence::text as fence
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as claimed (organization_id, approval_id, fence)
             join svc.approvals as approval on approval.organization_id = claimed.organization_id
              and approval.approval_id = claimed.approval_id and approval.fence = claimed.fence`,
    values: [
      claimed.map(({ organization_id }) => organization_id),
      claimed.map(({ approval_id }) => approval_id),
      claimed.map(({ fence }) => fence),
    ],
  })
}

/** Postpones an approval while this worker holds its lease. */
export async function postponeApproval(
  database: Queryable,
  { organizationId, approvalId, fence }: ClaimedApproval,
  seconds: number,
): Promise<void> {
  await database.query({
    name: 'postpone approval',
    text: `update svc.approvals set due_at = svc.now() + $4 * interval '1 second', lease_until = null
            where organization_id = $1 and approval_id = $2 and fence = $3 and lease_until is not null
              and status = 'OPEN'`,
    values: [organizationId, approvalId, fence, seconds],
  })
}

export async function findApproval(
  database: Queryable,
  organizationIds: readonly string[],
  approvalId: string,
): Promise<Approval | undefined> {
  const [found] = await database.query<Approval>({
    name: 'find approval',
    text: `select ${columns} from svc.approvals as approval
            where approval.organization_id = any($1) and approval.approval_id = $2`,
    values: [organizationIds, approvalId],
  })
  return found
}

/**
 * Reads the approval of a locked transaction, and tells whether its time is over. The lock of the transaction keeps other
 * decisions away: all that decides about an approval, counts its votes or ends it takes that lock first.
 */
export async function readHeldApproval(
  tx: Tx,
  { organizationId, approvalId }: ApprovalKey,
): Promise<(Approval & { isOver: boolean }) | undefined> {
  const [held] = await tx.query<Approval & { isOver: boolean }>({
    name: 'read approval of locked transaction',
    text: `select ${columns}, approval.expires_at <= svc.now() as "isOver" from svc.approvals as approval
            where approval.organization_id = $1 and approval.approval_id = $2`,
    values: [organizationId, approvalId],
  })
  return held
}

/** Lists approvals, newest first. */
export function listApprovals(
  database: Queryable,
  organizationIds: readonly string[],
  { status, transactionId }: { status?: ApprovalStatus; transactionId?: string },
  slice: PageSlice,
): Promise<Approval[]> {
  return database.query<Approval>({
    name: 'list approvals',
    text: `select ${columns} from svc.approvals as approval
            where approval.organization_id = any($1) and ($2::text is null or approval.status = $2)
              and ($3::uuid is null or approval.transaction_id = $3)
              and ($4::uuid is null or approval.approval_id < $4)
            order by approval.approval_id desc limit $5`,
    values: [organizationIds, status ?? null, transactionId ?? null, slice.after ?? null, slice.limit],
  })
}

/** Counts open approvals. */
export async function countOpen(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count open approvals',
    text: `select count(*)::int as count from svc.approvals where status = 'OPEN' and due_at is not null`,
  })
  return counted?.count ?? 0
}

export type NewApproval = {
  organizationId: string
  transactionId: string
  approvalId: string
  rules: readonly (ApprovalRule & { expiresAt: string })[]
  makerApiKeyId: string | null
}

/** Opens an approval with its event. The caller holds the transaction. */
export async function openApproval(tx: Tx, approval: NewApproval): Promise<void> {
  const { rules } = approval
  const each = <Value>(value: Value) => rules.map(() => value)
  await tx.query({
    name: 'open approval',
    text: `select svc.open_approvals($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      each(approval.organizationId),
      each(approval.transactionId),
      each(approval.approvalId),
      rules.map(({ expiresAt: _, ...demand }) => JSON.stringify(demand)),
      rules.map(({ expiresAt }) => expiresAt),
      each(approval.makerApiKeyId),
      eventApiVersion,
    ],
  })
}

/** Moves an approval in one update, guarded by the state table. Every end clears the work. */
export async function moveApproval(
  tx: Tx,
  { organizationId, approvalId }: ApprovalKey,
  { from, to }: ApprovalMove,
): Promise<Approval | undefined> {
  const [moved] = await tx.query<Approval>({
    name: 'move approval',
    text: `update svc.approvals as approval
              set status = $4, version = version + 1, decided_at = date_trunc('milliseconds', svc.now()), due_at = null,
                  lease_until = null, fence = fence + 1
            where approval.organization_id = $1 and approval.approval_id = $2 and approval.status = any($3)
        returning ${columns}`,
    values: [organizationId, approvalId, from, to],
  })
  return moved
}

export type NewDecision = ApprovalKey & { apiKeyId: string; keyOrganizationId: string; decision: ApprovalDecision }

/** Records the decision of a key; false when the key has decided already. */
export async function insertDecision(tx: Tx, decision: NewDecision): Promise<boolean> {
  const inserted = await tx.query({
    name: 'insert approval decision',
    text: `insert into svc.approval_decisions
             (organization_id, approval_id, api_key_id, key_organization_id, decision, decided_at)
           values ($1, $2, $3, $4, $5, date_trunc('milliseconds', svc.now()))
               on conflict (organization_id, approval_id, api_key_id) do nothing returning api_key_id`,
    values: [
      decision.organizationId,
      decision.approvalId,
      decision.apiKeyId,
      decision.keyOrganizationId,
      decision.decision,
    ],
  })
  return inserted.length > 0
}

/** Lists the rules whose approvals a transaction has. */
export async function listApprovedRules(
  tx: Tx,
  { organizationId, transactionId }: Pick<Transaction, 'organizationId' | 'transactionId'>,
): Promise<ApprovalRule[]> {
  const approved = await tx.query<{ rules: ApprovalRule[] }>({
    name: 'list approved rules of a transaction',
    text: `select rules from svc.approvals where organization_id = $1 and transaction_id = $2 and status = 'APPROVED'`,
    values: [organizationId, transactionId],
  })
  return approved.flatMap(({ rules }) => rules)
}

/** Holds a transaction until its approval: no worker finds it, and answers show it. */
export async function holdTransaction(
  tx: Tx,
  { organizationId, transactionId, fence }: Pick<Transaction, 'organizationId' | 'transactionId'> & { fence: string },
  { approvalId, expiresAt }: { approvalId: string; expiresAt: string },
): Promise<ShownTransaction | undefined> {
  const [held] = await tx.query<ShownTransaction>({
    name: 'hold transaction for approval',
    text: `update svc.transactions as transaction
              set version = version + 1, updated_at = date_trunc('milliseconds', svc.now()),
                  approval_id = $4, approval_expires_at = $5, due_at = null, lease_until = null
            where organization_id = $1 and transaction_id = $2 and fence = $3 and status in ('CREATED', 'PROCESSING')
        returning ${shownColumns}`,
    values: [organizationId, transactionId, fence, approvalId, expiresAt],
  })
  return held
}

/**
 * Ends the hold of a locked transaction. A worker finds it now if its money is there. The new fence stops a worker that
 * claimed it while it was held.
 */
export async function releaseTransaction(
  tx: Tx,
  { organizationId, transactionId }: Pick<Transaction, 'organizationId' | 'transactionId'>,
): Promise<ShownTransaction | undefined> {
  const [released] = await tx.query<ShownTransaction>({
    name: 'release transaction after approval',
    text: `update svc.transactions as transaction
              set version = version + 1, updated_at = date_trunc('milliseconds', svc.now()), approval_expires_at = null,
                  due_at = case step when 'AWAIT' then due_at else svc.now() end, lease_until = null, fence = fence + 1
            where organization_id = $1 and transaction_id = $2 and approval_expires_at is not null
        returning ${shownColumns}`,
    values: [organizationId, transactionId],
  })
  return released
}
