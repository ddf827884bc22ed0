import type { Transitions } from '../../../lib/transitions.ts'

/** NOTED: it corrects no coordinates, so there is nothing to decide. */
export const changeStatuses = ['OPEN', 'CONFIRMED', 'REFUSED', 'NOTED'] as const
export type ChangeStatus = (typeof changeStatuses)[number]

export const changeDecisions = ['CONFIRM', 'REFUSE'] as const
export type ChangeDecision = (typeof changeDecisions)[number]

/** Only an operator changes where money goes; both decisions are final. */
export const changeMoves = {
  confirm: { from: ['OPEN'], to: 'CONFIRMED' },
  refuse: { from: ['OPEN'], to: 'REFUSED' },
} as const satisfies Transitions<ChangeStatus>

/** A notification of change, with the payout that it is about and its account; null when no file of ours paid one. */
export type StoredChange = {
  bankChangeId: string
  changeId: string
  reference: string
  code: string
  isRefused: boolean
  status: ChangeStatus
  sealedCorrection: Buffer
  organizationId: string | null
  payoutId: string | null
  transactionId: string | null
  paymentAccountId: string | null
  /** The coordinates that the payout used: those that the bank corrects. */
  paidVersion: number | null
  recordedAt: Date
  decidedAt: Date | null
}
