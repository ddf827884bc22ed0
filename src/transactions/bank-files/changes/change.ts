import type { Transitions } from '../../../lib/transitions.ts'

/** NOTED: it corrects no account of ours, so there is nothing to decide. */
export const changeStatuses = ['OPEN', 'CONFIRMED', 'REFUSED', 'NOTED'] as const
export type ChangeStatus = (typeof changeStatuses)[number]

export const changeDecisions = ['CONFIRM', 'REFUSE'] as const
export type ChangeDecision = (typeof changeDecisions)[number]

/** Only an operator changes where money goes; both decisions are final. */
export const changeMoves = {
  confirm: { from: ['OPEN'], to: 'CONFIRMED' },
  refuse: { from: ['OPEN'], to: 'REFUSED' },
} as const satisfies Transitions<ChangeStatus>

/** A notification of change, with the payout that it is about and its account, where they are ours. */
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
  recordedAt: Date
  decidedAt: Date | null
}
