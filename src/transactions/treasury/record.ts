import type { Audit } from '../../db/audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import { referenceOf } from '../../ledger/posting.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { requirePosted } from '../change.ts'
import * as liquidity from './liquidity-store.ts'
import { actions, type Movement, postingOf, showMovement } from './movement.ts'

export type RecordDeps = {
  ledger: LedgerService
  audit: Audit
  /** Owes our reserve tokens of our treasury; the payout has the id. Throws when there is no reserve. */
  send(tx: Tx, movement: Movement, id: string): Promise<void>
}

/** `id` identifies the movement for ever; `approval` names the persons, where two are required. */
export type Recording = { id: string; actor: string; approval?: { proposalId: string; proposedBy: string } }

/** Records a movement of own money: audit entry, posting and liquidity. Throws when the money is not there. */
export async function recordMovement(
  { ledger, audit, send }: RecordDeps,
  tx: Tx,
  movement: Movement,
  { id, actor, approval }: Recording,
): Promise<void> {
  const { organizationId } = movement
  const action = actions[movement.act]
  const reference = referenceOf({ type: 'operator', id }, action)
  const details = { ...showMovement(movement), ...approval }
  await audit.append(tx, { organizationId, actor, action, subjectId: reference, details })
  // A payout moves the tokens, takes the liquidity when it starts, and is posted when it is confirmed.
  if (movement.act === 'SEND') return send(tx, movement, id)
  requirePosted(await ledger.post(tx, [{ organizationId, reference, ...postingOf(movement) }]))
  // Last, so that the rows are locked briefly.
  const problem = await changeLiquidity(tx, movement)
  if (problem) throw new Error(problem)
}

/** Changes the liquidity of a movement; answers why it cannot be. */
async function changeLiquidity(tx: Tx, movement: Movement): Promise<string | undefined> {
  const { act, organizationId, holding, asset, amount, to } = movement
  const key = { organizationId, holding, asset }
  const added = { organizationId, at: { holding }, asset }
  const tooLittle = 'Less than this amount is available: the rest is owed, or payouts on their way have taken it.'
  if (to) {
    const target = { organizationId, holding: to.holding, asset: to.asset }
    const isMoved = await liquidity.moveLiquidity(tx, { from: key, to: target, amount, received: to.received })
    return isMoved ? undefined : tooLittle
  }
  if (act === 'WITHDRAW') return (await liquidity.takeLiquidity(tx, key, amount)) ? undefined : tooLittle
  if (act === 'FEE_REFUND') {
    const isRefunded = await liquidity.refundCosts(tx, key, amount)
    return isRefunded ? undefined : `Less than this amount was charged at ${holding} in ${asset}: check the amount.`
  }
  // The bank has taken a fee already, whether liquidity is there or not.
  await liquidity.addLiquidity(tx, [
    act === 'FEE' ? { ...added, available: 0n, costs: amount } : { ...added, available: amount },
  ])
  return undefined
}
