import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/outbox/events.ts'
import type { Transaction } from '../transaction.ts'
import { type Approval, type ApprovalMove, approvalMoves } from './approval.ts'
import * as store from './store.ts'

type ApprovalKey = Pick<Approval, 'organizationId' | 'approvalId'>

/** Moves an approval by the state table and appends its event; undefined when a concurrent change came first. */
export async function moveApproval(tx: Tx, key: ApprovalKey, move: ApprovalMove): Promise<Approval | undefined> {
  const { organizationId, approvalId } = key
  const moved = await store.moveApproval(tx, { organizationId, approvalId }, move)
  if (!moved) return undefined
  await appendEvent(tx, {
    organizationId,
    type: 'approval.decided',
    resourceId: approvalId,
    resourceVersion: moved.version,
    data: JSON.parse(moved.shown) as object,
  })
  return moved
}

/** Ends the open approval of a transaction that has ended. Lock order everywhere: transaction first, approval second. */
export async function cancelApproval(
  tx: Tx,
  { organizationId }: Pick<Transaction, 'organizationId'>,
  approvalId: string,
): Promise<void> {
  await moveApproval(tx, { organizationId, approvalId }, approvalMoves.cancel)
}
