import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import { startRound } from '../../db/fair-claims.ts'
import { advanceDue } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Page, PageRequest, Pages } from '../../lib/pages.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { emitTransactions } from '../change.ts'
import { lockTransaction, recordStep } from '../change-store.ts'
import type { Transaction } from '../transaction.ts'
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalStatus,
  approvalMoves,
  isApproved,
  isApprover,
} from './approval.ts'
import { moveApproval } from './change.ts'
import { endTransaction } from './end.ts'
import { listApproving, readDecider } from './key-store.ts'
import * as store from './store.ts'

export type ApprovalDeps = {
  database: Database
  pages: Pages
  ledger: LedgerService
  audit: Audit
  customers: Pick<CustomerService, 'open' | 'recordAct'>
  onFailure(error: unknown): void
  onPoint(point: string): void
}

export type DecisionRequest = { decision: ApprovalDecision; reason: string }
/** An approval that the caller wants to decide, and the customer with whom the reason is sealed. */
export type ApprovalToDecide = { approval: Approval; customer: OpenCustomer; wanted: DecisionRequest }

export type ApprovalService = ReturnType<typeof createApprovalService>

const minute = 60

/** Lists approvals, records the decisions of keys about them, and ends those whose time is over. */
export function createApprovalService(deps: ApprovalDeps) {
  const { database, pages } = deps
  const round = startRound()
  return {
    list: (
      caller: Caller,
      filter: { status?: ApprovalStatus; transactionId?: string },
      request: PageRequest,
    ): Promise<Page<Approval>> =>
      pages.read(
        { list: 'approvals', filters: { for: caller.organizationId, ...filter } },
        request,
        (slice) => store.listApprovals(database, caller.organizationIds, filter, slice),
        ({ approvalId }) => approvalId,
      ),

    read: async (caller: Caller, approvalId: string): Promise<Approval> => {
      const found = await store.findApproval(database, caller.organizationIds, approvalId)
      if (!found) throw notFound()
      return found
    },

    /** Finds the approval, then checks the body. */
    openToDecide: async (
      caller: Caller,
      approvalId: string,
      readBody: () => DecisionRequest,
    ): Promise<ApprovalToDecide> => {
      const approval = await store.findApproval(database, caller.organizationIds, approvalId)
      if (!approval) throw notFound()
      if (approval.status !== 'OPEN') throw alreadyDecided(approval.status)
      const wanted = readBody()
      const customer = await deps.customers.open([approval.organizationId], approval.customerId)
      if (!customer) throw notFound()
      return { approval, customer, wanted }
    },

    decide: (tx: Tx, caller: Caller, found: ApprovalToDecide): Promise<Approval> => decide(deps, tx, caller, found),

    count: (): Promise<number> => store.countOpen(database),

    due: store.dueApprovals,
    expireDue: (limit: number, leaseMs: number): Promise<number> =>
      advanceDue({
        claim: () => store.claimApprovals(database, { limit, leaseMs }, round),
        advance: (approval) => expire(deps, approval),
        postpone: (approval) => store.postponeApproval(database, approval, minute),
        onFailure: deps.onFailure,
        onClaimed: () => deps.onPoint('approvals claimed'),
        onAdvanced: () => deps.onPoint('approval advanced'),
      }),
  }
}

/**
 * Records the decision of one key. One refusal ends the transaction; enough approvals let it go on. The lock of the
 * transaction lets one decision follow the other; keys are locked after it.
 */
async function decide(
  deps: ApprovalDeps,
  tx: Tx,
  caller: Caller,
  { approval: found, customer, wanted: { decision, reason } }: ApprovalToDecide,
): Promise<Approval> {
  const transaction = await lockTransaction(tx, found)
  const approval = await store.readHeldApproval(tx, found)
  if (!transaction || !approval) throw notFound()
  if (approval.status !== 'OPEN') throw alreadyDecided(approval.status)
  if (approval.isOver) throw alreadyDecided('EXPIRED')
  await requireDecider(tx, caller, approval)
  const { organizationId, approvalId } = approval
  const { apiKeyId, organizationId: keyOrganizationId } = caller
  if (!(await store.insertDecision(tx, { organizationId, approvalId, apiKeyId, keyOrganizationId, decision })))
    throw decidedByThisKey()
  const act = { actor: `api_key:${apiKeyId}`, action: 'approval.decided', subjectId: approvalId }
  await deps.customers.recordAct(tx, customer, { ...act, details: { decision }, reason })
  if (decision === 'REFUSE') await end(deps, tx, transaction, approval, 'REFUSED')
  else if (isApproved(approval, await listApproving(tx, approval))) await approve(tx, transaction, approval)
  const decided = await store.findApproval(tx, [organizationId], approvalId)
  if (!decided) throw new Error(`approval ${approvalId} is gone`)
  return decided
}

/** Refuses a key that has no say: the maker's and its kin, one that is not listed, and one that has decided. */
async function requireDecider(tx: Tx, { organizationId, apiKeyId }: Caller, approval: Approval): Promise<void> {
  const decider = await readDecider(tx, approval, { organizationId, apiKeyId })
  if (!decider.isLive) {
    const headers = { 'www-authenticate': 'Bearer' }
    throw new Refusal('UNAUTHORIZED', 'The key of this request has been revoked', { headers })
  }
  if (!isApprover(approval, decider.names))
    throw new Refusal('FORBIDDEN', 'The policy names other keys as approvers of this transaction')
  if (decider.isMaker)
    throw new Refusal(
      'FORBIDDEN',
      'The key that made the transaction, the keys that it has led to and those that led to it cannot decide about it',
    )
  if (decider.hasDecided) throw decidedByThisKey()
  if (decider.isRelated)
    throw new Refusal('CONFLICT', 'A key that led to yours, or that yours led to, has approved: ask another person')
}

async function approve(tx: Tx, transaction: Transaction, approval: Approval): Promise<void> {
  if (!(await moveApproval(tx, approval, approvalMoves.approve))) throw alreadyDecided('decided')
  await recordStep(tx, transaction, 'APPROVED', { approvalId: approval.approvalId })
  const released = await store.releaseTransaction(tx, transaction)
  if (!released) throw new Error(`transaction ${transaction.transactionId} was not held for its open approval`)
  await emitTransactions(tx, [released])
}

async function end(
  deps: ApprovalDeps,
  tx: Tx,
  transaction: Transaction,
  approval: Approval,
  how: 'REFUSED' | 'EXPIRED',
): Promise<void> {
  const isRefused = how === 'REFUSED'
  if (!(await moveApproval(tx, approval, isRefused ? approvalMoves.refuse : approvalMoves.expire)))
    throw alreadyDecided('decided')
  await recordStep(tx, transaction, `APPROVAL_${how}`, { approvalId: approval.approvalId })
  await endTransaction(deps, tx, transaction, isRefused ? 'approval_refused' : 'approval_expired')
}

/** Expires an approval whose time is over, and ends its transaction. A decision that came first wins. */
async function expire(deps: ApprovalDeps, claimed: store.ClaimedApproval): Promise<void> {
  await deps.database.inTx(async (tx) => {
    const transaction = await lockTransaction(tx, claimed)
    const approval = await store.readHeldApproval(tx, claimed)
    if (!transaction || approval?.status !== 'OPEN' || !approval.isOver) return
    const { organizationId, approvalId: subjectId } = approval
    await end(deps, tx, transaction, approval, 'EXPIRED')
    await deps.audit.append(tx, { organizationId, actor: 'worker', action: 'approval.expired', subjectId })
    deps.onPoint('expired approval about to be committed')
  })
}

function alreadyDecided(status: string): Refusal {
  return new Refusal('CONFLICT', `The approval is ${status}: only an OPEN one can be decided`)
}

function decidedByThisKey(): Refusal {
  return new Refusal('CONFLICT', 'This key has decided about the approval already')
}
