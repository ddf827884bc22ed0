import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import { confirmInTx, refuseInTx, type SettlementDeps } from '../settle.ts'
import { addLiquidity, takeLiquidity } from '../treasury/liquidity-store.ts'
import * as store from './manual-settlement-store.ts'
import { type Payout, payoutMoves } from './payout.ts'
import { readAttempts } from './preparation-store.ts'
import type { Rails } from './rail.ts'
import { completeInTx, requireHeld } from './settlement.ts'
import { type ClaimedPayout, recordAttempt } from './store.ts'

export type ManualSettlementDeps = SettlementDeps & {
  customers: Pick<CustomerService, 'open' | 'recordAct'>
  audit: Audit
  rails: Pick<Rails, 'of'>
}

export type ManualSettlement = {
  payoutId: string
  outcome: 'confirmed' | 'refused'
  /** The bank's or chain's own reference. */
  reference: string
  /** For reviewers of the customer; it may hold personal data. */
  reason: string
}

/**
 * BUSY: a worker is calling the rail about it. MAY_LEAVE: its bytes have not left, and could not be withdrawn; or a chain
 * may still execute them. KNOWN: its outcome is recorded, or it was not sent.
 */
export type SettleResult =
  | { result: 'SETTLED' | 'UNKNOWN_PAYOUT' | 'BUSY' | 'MAY_LEAVE' }
  | { result: 'KNOWN'; status: string }

const actor = 'command line'
const maxShown = 100
const stuckSeconds = 3_600
const withdrawMs = 10_000

/**
 * Lets the operator of the deployment record the outcome of a payout that the rail does not tell. Audited. The worker
 * goes on polling for some days, and reports a rail that contradicts the operator.
 */
export function createManualSettlementService(deps: ManualSettlementDeps) {
  const { database } = deps
  return {
    listStuck: () => store.listStuck(database, stuckSeconds, maxShown),
    listContradicted: () => store.listContradicted(database, maxShown),
    find: (payoutId: string) => store.findPayout(database, payoutId),

    settle: async (wanted: ManualSettlement): Promise<SettleResult> => {
      const found = await store.findPayout(database, wanted.payoutId)
      if (!found) return { result: 'UNKNOWN_PAYOUT' }
      const attempts = await readAttempts(database, [found])
      const isOver =
        wanted.outcome === 'confirmed' ? await areBytesSpent(deps, found) : await withdrawBytes(deps, found, attempts)
      if (!isOver) return { result: 'MAY_LEAVE' }
      const record = await createRecorder(deps, found)
      const isSettled = await database.inTx(async (tx) => {
        const isWithdrawn = canBeWithdrawn(found, wanted)
        if (isOvertaken(found, wanted)) await overtake(tx, found)
        const payout = await store.takePayout(tx, found, isWithdrawn ? payoutMoves.withdraw : payoutMoves.confirm)
        if (!payout) return false
        // Another attempt may have left since the bytes were withdrawn.
        if (wanted.outcome === 'refused') {
          const left = await readAttempts(tx, [payout])
          if (payout.attempts !== found.attempts || left.length !== attempts.length)
            throw new Error('Another attempt has just begun: try again.')
        }
        if (wanted.outcome === 'confirmed') await confirm(deps, tx, payout, wanted)
        else await refuseInTx(deps, tx, payout, 'settled_by_operator', { isWithdrawn })
        // No rail knows a payout that never started.
        if (!isWithdrawn) await store.watchSettled(tx, payout)
        const { outcome, reference, reason } = wanted
        await recordAttempt(tx, payout, 'SETTLED_BY_OPERATOR', { outcome, reference })
        const act = { actor, action: 'payout.settled', subjectId: payout.payoutId }
        await record(tx, { ...act, details: { outcome, reference }, reason })
        return true
      })
      if (isSettled) return { result: 'SETTLED' }
      const now = await store.findPayout(database, wanted.payoutId)
      const isOpen = now?.status === 'SENDING' || now?.status === 'SENT'
      return isOpen ? { result: 'BUSY' } : { result: 'KNOWN', status: now?.status ?? '' }
    },

    /** Ends the alarm about a rail that contradicts a recorded outcome; false when there is none. */
    acknowledge: async ({ payoutId, reason }: { payoutId: string; reason: string }): Promise<boolean> => {
      const found = await store.findPayout(database, payoutId)
      if (!found) return false
      const record = await createRecorder(deps, found)
      return database.inTx(async (tx) => {
        if (!(await store.acknowledge(tx, found))) return false
        const act = { actor, action: 'payout.contradiction_acknowledged', subjectId: payoutId }
        await record(tx, { ...act, reason })
        return true
      })
    },
  }
}

/** Keeps committed bytes from leaving after a refusal; false when they still may. */
async function withdrawBytes(
  { rails }: ManualSettlementDeps,
  payout: Payout,
  attempts: Awaited<ReturnType<typeof readAttempts>>,
): Promise<boolean> {
  const rail = rails.of(payout.method)
  if (!rail?.withdraw) return true
  // A rail that served the method before cannot be asked any more: the operator has asked the bank.
  const own = attempts.filter((attempt) => attempt.rail === rail.name)
  return rail.withdraw({ reference: payout.payoutId }, own, { signal: AbortSignal.timeout(withdrawMs) })
}

/** True unless bytes wait at a chain: a payout that is over is not looked after, so they might never be executed. */
async function areBytesSpent({ rails }: ManualSettlementDeps, { method, payoutId }: Payout): Promise<boolean> {
  const rail = rails.of(method)
  return rail?.isSpent?.({ reference: payoutId }, { signal: AbortSignal.timeout(withdrawMs) }) ?? true
}

async function confirm(deps: ManualSettlementDeps, tx: Tx, payout: ClaimedPayout, wanted: ManualSettlement) {
  const payment = { externalReference: wanted.reference, amount: BigInt(payout.amount), costs: [] }
  if (payout.purpose !== 'PAYOUT') return confirmInTx(deps, tx, { payout, payment })
  const [isHeld = false] = await completeInTx(deps, tx, [{ payout, payment }])
  requireHeld(isHeld)
}

/** True for a payout that the rail has paid, although we believe that it has not left. */
function isOvertaken({ status, isContradicted }: Payout, { outcome }: ManualSettlement): boolean {
  return outcome === 'confirmed' && status === 'WAITING' && isContradicted
}

/** The money has left: it takes liquidity like a start, and counts as a cost where there is too little. */
async function overtake(tx: Tx, payout: Payout): Promise<void> {
  const isTaken = await store.overtakePayout(tx, payoutMoves.overtake, payout)
  const { organizationId, asset, amount, paysFrom, needsLiquidity } = payout
  if (!isTaken || !needsLiquidity || paysFrom === null) return
  const isCovered = await takeLiquidity(tx, { organizationId, holding: paysFrom, asset }, BigInt(amount))
  if (isCovered) return
  await addLiquidity(tx, [{ organizationId, at: { holding: paysFrom }, asset, available: 0n, costs: BigInt(amount) }])
}

/**
 * True for money owed to a customer that waits for ever, such as for an account that cannot be read: after a refusal an
 * operator names another account; and for movements of our own money. A PAYOUT is rejected with its transaction, a
 * disbursement cancelled.
 */
function canBeWithdrawn({ status, purpose }: Payout, { outcome }: ManualSettlement): boolean {
  return outcome === 'refused' && status === 'WAITING' && !['PAYOUT', 'DISBURSEMENT'].includes(purpose)
}

type Act = { actor: string; action: string; subjectId: string; details?: object; reason: string }

/** Opens the customer, whose key seals the operator's reason. A movement of our own money has none. */
async function createRecorder({ customers, audit }: ManualSettlementDeps, payout: Payout) {
  const { organizationId, customerId } = payout
  if (customerId === null) {
    return (tx: Tx, { details, reason, ...act }: Act) =>
      audit.append(tx, { organizationId, ...act, details: { ...details, reason } })
  }
  const opened = await customers.open([organizationId], customerId)
  if (!opened) throw new Error(`customer ${customerId} does not exist`)
  return (tx: Tx, act: Act) => customers.recordAct(tx, opened, act)
}
