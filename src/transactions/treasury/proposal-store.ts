import type { Queryable, Tx } from '../../db/database.ts'
import type { Move } from '../../lib/transitions.ts'
import type { Movement } from './movement.ts'
import { type Proposal, type ProposalStatus, proposalDays } from './proposal.ts'

/** Records that the deployment requires two persons; false when it was recorded before. */
export async function insertDualControl(tx: Tx): Promise<boolean> {
  const inserted = await tx.query({
    name: 'require dual control',
    text: 'insert into svc.dual_control (only_row) values (true) on conflict do nothing returning only_row',
  })
  return inserted.length > 0
}

export async function hasDualControl(database: Queryable): Promise<boolean> {
  const rows = await database.query({ name: 'is dual control required', text: 'select only_row from svc.dual_control' })
  return rows.length > 0
}

export async function insertProposal(
  tx: Tx,
  proposalId: string,
  { act, organizationId, holding, asset, amount, to, reason }: Movement,
  proposedBy: string,
): Promise<void> {
  await tx.query({
    name: 'insert treasury proposal',
    text: `insert into svc.treasury_proposals (organization_id, proposal_id, act, holding, asset, amount, to_holding,
                  to_asset, received, reason, proposed_by, proposed_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, svc.now())`,
    values: [
      organizationId,
      proposalId,
      act,
      holding,
      asset,
      amount,
      to?.holding ?? null,
      to?.asset ?? null,
      to?.received ?? null,
      reason,
      proposedBy,
    ],
  })
}

const columns = `proposal.organization_id as "organizationId", proposal.proposal_id as "proposalId", proposal.act,
  proposal.holding, proposal.asset, proposal.amount, proposal.to_holding as "toHolding", proposal.to_asset as "toAsset",
  proposal.received, proposal.reason, proposal.proposed_by as "proposedBy", proposal.proposed_at as "proposedAt",
  proposal.proposed_at + interval '${proposalDays} days' as "expiresAt",
  proposal.proposed_at + interval '${proposalDays} days' <= svc.now() as "isExpired", proposal.status,
  proposal.decided_by as "decidedBy"`

type ProposalRow = Omit<Proposal, 'amount' | 'to'> & {
  amount: string
  toHolding: string | null
  toAsset: Proposal['asset'] | null
  received: string | null
}

function toProposal({ amount, toHolding, toAsset, received, ...proposal }: ProposalRow): Proposal {
  const isRebalance = toHolding !== null && toAsset !== null && received !== null
  const to = isRebalance ? { holding: toHolding, asset: toAsset, received: BigInt(received) } : null
  return { ...proposal, amount: BigInt(amount), to }
}

export async function findProposal(database: Queryable, proposalId: string): Promise<Proposal | undefined> {
  const [found] = await database.query<ProposalRow>({
    name: 'find treasury proposal',
    text: `select ${columns} from svc.treasury_proposals as proposal where proposal.proposal_id = $1`,
    values: [proposalId],
  })
  return found && toProposal(found)
}

/** Lists the proposals that wait for a decision, oldest first; those of all organizations without an id. */
export async function listProposals(database: Queryable, organizationId: string | undefined): Promise<Proposal[]> {
  const rows = await database.query<ProposalRow>({
    name: 'list treasury proposals',
    text: `select ${columns} from svc.treasury_proposals as proposal
            where proposal.organization_id = coalesce($1, proposal.organization_id) and proposal.status = 'OPEN'
              and proposal.proposed_at > svc.now() - interval '${proposalDays} days'
            order by proposal.proposed_at, proposal.proposal_id`,
    values: [organizationId ?? null],
  })
  return rows.map(toProposal)
}

export type Decision = { by: string; refusalReason?: string }

/** Decides about a proposal, once; false when it is decided or expired. */
export async function decideProposal(
  tx: Tx,
  { organizationId, proposalId }: Pick<Proposal, 'organizationId' | 'proposalId'>,
  { from, to }: Move<ProposalStatus>,
  { by, refusalReason }: Decision,
): Promise<boolean> {
  const decided = await tx.query({
    name: 'decide treasury proposal',
    text: `update svc.treasury_proposals set status = $3, decided_by = $5, decided_at = svc.now(), refusal_reason = $6
            where organization_id = $1 and proposal_id = $2 and status = any($4)
              and proposed_at > svc.now() - interval '${proposalDays} days' returning proposal_id`,
    values: [organizationId, proposalId, to, from, by, refusalReason ?? null],
  })
  return decided.length > 0
}
