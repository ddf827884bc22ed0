import type { Transitions } from '../../lib/transitions.ts'
import type { Movement } from './movement.ts'

export type ProposalStatus = 'OPEN' | 'EXECUTED' | 'REFUSED'

/** A movement of own money that one person proposed. */
export type Proposal = Movement & {
  proposalId: string
  status: ProposalStatus
  proposedBy: string
  proposedAt: Date
  expiresAt: Date
  isExpired: boolean
  decidedBy: string | null
}

/** The decisions about a proposal. */
export const proposalMoves = {
  /** A second person agrees: Svc records the movement. */
  approve: { from: ['OPEN'], to: 'EXECUTED' },
  refuse: { from: ['OPEN'], to: 'REFUSED' },
} as const satisfies Transitions<ProposalStatus>

export const proposalDays = 7
