import { newId, platformOrganizationId } from '../../lib/ids.ts'
import { listBankAccounts } from './bank-account-store.ts'
import { type BankAccountDeps, createBankAccountService } from './bank-accounts.ts'
import {
  type Movement,
  readMovement,
  readRebalance,
  type TreasuryAct,
  type WrittenMovement,
  type WrittenRebalance,
} from './movement.ts'
import { type Overview, readOverview } from './overview.ts'
import { hasDualControl, insertDualControl } from './proposal-store.ts'
import { createProposalService, type ProposalDeps } from './proposals.ts'
import { recordMovement } from './record.ts'

export type TreasuryService = ReturnType<typeof createTreasuryService>

/** PROPOSED: nothing is recorded until another person approves it. */
export type Submitted = { result: 'RECORDED' } | { result: 'PROPOSED'; proposalId: string }

/** Manages our own bank accounts, and the operator's own money there. */
export function createTreasuryService(deps: ProposalDeps & BankAccountDeps) {
  const { database, audit, actor } = deps
  const proposals = createProposalService(deps)

  async function recordOrPropose(movement: Movement): Promise<Submitted> {
    if (await hasDualControl(database)) return { result: 'PROPOSED', proposalId: await proposals.propose(movement) }
    await database.inTx((tx) => recordMovement(deps, tx, movement, { id: newId(), actor }))
    return { result: 'RECORDED' }
  }

  const submit = async (act: Exclude<TreasuryAct, 'REBALANCE'>, written: WrittenMovement): Promise<Submitted> =>
    recordOrPropose(readMovement(act, written, await listBankAccounts(database)))

  return {
    ...createBankAccountService(deps),

    /** Records own money that the operator has put into a holding. Payouts may use it at once. */
    fund: (written: WrittenMovement): Promise<Submitted> => submit('FUND', written),

    /** Records own money that the operator has taken out; never more than payouts could use. */
    withdraw: (written: WrittenMovement): Promise<Submitted> => submit('WITHDRAW', written),

    /** Owes our reserve tokens of our treasury, which leave like a payout. */
    send: (written: Omit<WrittenMovement, 'holding'>): Promise<Submitted> =>
      submit('SEND', { ...written, holding: 'TREASURY' }),

    /** Records what a bank or network has charged, also when nothing is available: the money is gone. */
    chargeFee: (written: WrittenMovement): Promise<Submitted> => submit('FEE', written),

    /** Records a charge that the bank or network has refunded; never more than was charged at the holding. */
    refundFee: (written: WrittenMovement): Promise<Submitted> => submit('FEE_REFUND', written),

    /** Records own money that the operator has moved to another holding; never more than payouts could use. */
    rebalance: async (written: WrittenRebalance): Promise<Submitted> =>
      recordOrPropose(readRebalance(written, await listBankAccounts(database))),

    /** Requires two persons for each movement of own money, in every process from now on. */
    requireTwoPersons: (): Promise<void> =>
      database.inTx(async (tx) => {
        if (!(await insertDualControl(tx))) return
        const act = { actor, action: 'treasury.dual_control_required', subjectId: platformOrganizationId }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      }),

    approve: proposals.approve,
    refuse: proposals.refuse,

    /** Reads what we hold, owe and may use, by organization, at one moment; with the proposals that are open. */
    readOverview: (organizationId?: string): Promise<Overview> => readOverview(deps, organizationId),
  }
}
