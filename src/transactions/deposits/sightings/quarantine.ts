import type { Transitions } from '../../../lib/transitions.ts'

export type QuarantineStatus = 'OPEN' | 'ACCEPTED' | 'DISMISSED'

/** The decisions of the deployment's operator about an entry whose reference another entry has. */
export const quarantineMoves = {
  /** The entry is money of its own. */
  accept: { from: ['OPEN'], to: 'ACCEPTED' },
  /** The bank has corrected or withdrawn it. */
  dismiss: { from: ['OPEN'], to: 'DISMISSED' },
} as const satisfies Transitions<QuarantineStatus>
