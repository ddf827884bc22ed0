import type { Tx } from '../../db/database.ts'
import { requireFence } from '../../db/work.ts'
import { newId } from '../../lib/ids.ts'
import { emitTransactions } from '../change.ts'
import { type ClaimedTransaction, recordStep } from '../change-store.ts'
import { type ApprovalRule, unmetRules } from './approval.ts'
import * as store from './store.ts'

/**
 * Holds a transaction that is about to be executed for the approvals that rules demand of it now, and that it does not
 * have. False when it has them all. The policy may have changed since the transaction was created.
 */
export async function awaitApproval(
  tx: Tx,
  transaction: ClaimedTransaction,
  demanded: readonly (ApprovalRule & { expiresAt: string })[],
): Promise<boolean> {
  const { organizationId, transactionId, apiKeyId: makerApiKeyId } = transaction
  const met = transaction.approvalId === null ? [] : await store.listApprovedRules(tx, transaction)
  const rules = unmetRules(demanded, met)
  const [first] = rules.map(({ expiresAt }) => expiresAt).sort()
  if (first === undefined) return false
  const approvalId = newId()
  const held = await store.holdTransaction(tx, transaction, { approvalId, expiresAt: first })
  requireFence(held ? [held] : [])
  await store.openApproval(tx, { organizationId, transactionId, approvalId, rules, makerApiKeyId })
  await recordStep(tx, transaction, 'APPROVAL_OPENED', { approvalId })
  if (held) await emitTransactions(tx, [held])
  return true
}
