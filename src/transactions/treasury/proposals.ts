import type { Database, Queryable, Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import { UsageError } from '../../lib/settings.ts'
import { type Movement, showMovement } from './movement.ts'
import { type Proposal, proposalDays, proposalMoves } from './proposal.ts'
import * as store from './proposal-store.ts'
import { type RecordDeps, recordMovement } from './record.ts'

export type ProposalDeps = RecordDeps & {
  database: Database
  /** The name of the person who acts, as SVC_OPERATOR gives it. */
  operator: string | undefined
  actor: string
}

/** Keeps movements of own money that one person proposes until another person approves or refuses them. Audited. */
export function createProposalService(deps: ProposalDeps) {
  const { database, audit, actor } = deps
  return {
    propose: async (movement: Movement): Promise<string> => {
      const operator = requireOperator(deps)
      const proposalId = newId()
      await database.inTx(async (tx) => {
        await store.insertProposal(tx, proposalId, movement, operator)
        const details = { act: movement.act, ...showMovement(movement) }
        const { organizationId } = movement
        await audit.append(tx, { organizationId, actor, action: 'treasury.proposed', subjectId: proposalId, details })
      })
      return proposalId
    },

    /** Records the movement of a proposal, once, if the money is there now. Throws an error that says why not. */
    approve: async (proposalId: string): Promise<Movement> => {
      const operator = requireOperator(deps)
      const proposal = await requireProposal(database, proposalId)
      const { proposedBy } = proposal
      if (proposedBy === operator)
        throw new Error(`${operator} has proposed this movement: another person must approve it.`)
      await database.inTx(async (tx) => {
        const isDecided = await store.decideProposal(tx, proposal, proposalMoves.approve, { by: operator })
        if (!isDecided) throw new Error(await whyNotOpen(tx, proposalId))
        await recordMovement(deps, tx, proposal, { id: proposalId, actor, approval: { proposalId, proposedBy } })
      })
      return proposal
    },

    /** Ends a proposal; the person who made it may do so too. */
    refuse: async (proposalId: string, reason: string): Promise<void> => {
      const operator = requireOperator(deps)
      const proposal = await requireProposal(database, proposalId)
      await database.inTx(async (tx) => {
        const decision = { by: operator, refusalReason: reason }
        const isDecided = await store.decideProposal(tx, proposal, proposalMoves.refuse, decision)
        if (!isDecided) throw new Error(await whyNotOpen(tx, proposalId))
        const act = { actor, action: 'treasury.proposal_refused', subjectId: proposalId, details: { reason } }
        await audit.append(tx, { organizationId: proposal.organizationId, ...act })
      })
    },
  }
}

function requireOperator({ operator }: ProposalDeps): string {
  if (operator !== undefined) return operator
  throw new UsageError(
    'SVC_OPERATOR must name the person who runs this command, such as SVC_OPERATOR=ada: two persons are required.',
  )
}

async function requireProposal(database: Queryable, proposalId: string): Promise<Proposal> {
  const found = await store.findProposal(database, proposalId)
  if (!found) throw new Error(`There is no proposal ${proposalId}. "svc treasury show" lists the open ones.`)
  return found
}

async function whyNotOpen(tx: Tx, proposalId: string): Promise<string> {
  const { status, decidedBy } = await requireProposal(tx, proposalId)
  if (status === 'EXECUTED') return `Nothing was changed: ${decidedBy} has approved this proposal already.`
  if (status === 'REFUSED') return `Nothing was changed: ${decidedBy} has refused this proposal.`
  return `Nothing was changed: the proposal has expired after ${proposalDays} days. Propose the movement anew.`
}
