import type { BankService } from '../../catalog/bank-limits.ts'
import type { FiatLabel } from '../../catalog/currencies.ts'
import type { Transitions } from '../../lib/transitions.ts'

export const outgoingStatuses = ['PREPARED', 'STAGED', 'RELEASED', 'LAPSED'] as const
export const incomingStatuses = ['RECEIVED', 'APPLIED', 'QUARANTINED', 'DISMISSED'] as const
export type OutgoingStatus = (typeof outgoingStatuses)[number]
export type IncomingStatus = (typeof incomingStatuses)[number]
export type BankFileStatus = OutgoingStatus | IncomingStatus

/** The life of a file that leaves. Only a STAGED file can be moved to the bank, and the move itself decides. */
export const outgoingMoves = {
  stage: { from: ['PREPARED'], to: 'STAGED' },
  release: { from: ['STAGED'], to: 'RELEASED' },
  /** It never left: its time is over, or another preparation took its place. */
  lapse: { from: ['PREPARED', 'STAGED'], to: 'LAPSED' },
} as const satisfies Transitions<OutgoingStatus>

/** The life of a file that a bank sent. */
/** The name of a file that is read again: no file of a bank has it. */
export function nameForRetry(name: string, random: string): string {
  return `retry-${random.replaceAll('-', '').slice(-12)}-${withoutRetry(name)}`
}

/** The name of a file in archive/ and quarantine/, the same for every retry. */
export function keptName(bankFileId: string, name: string): string {
  return `${bankFileId}-${withoutRetry(name)}`
}

const withoutRetry = (name: string) => name.replace(/^retry-[0-9a-f]{12}-/, '')

export const incomingMoves = {
  apply: { from: ['RECEIVED'], to: 'APPLIED' },
  quarantine: { from: ['RECEIVED'], to: 'QUARANTINED' },
  /** Its upload had only paused: the next scan registers the bytes that it has become. */
  drop: { from: ['RECEIVED'], to: 'DISMISSED' },
  /** An operator has mended the cause. */
  retry: { from: ['QUARANTINED'], to: 'RECEIVED' },
  dismiss: { from: ['QUARANTINED'], to: 'DISMISSED' },
} as const satisfies Transitions<IncomingStatus>

/** The bank's word about a whole file. DUPLICATE: the bank has it already, so its payments may be paid. */
export type BankFileAnswer = 'ACCEPTED' | 'PARTIAL' | 'PENDING' | 'REJECTED' | 'DUPLICATE'

/** The bank's word about one payment of a file. */
export type BankItemAnswer = 'ACCEPTED' | 'PENDING' | 'SETTLED' | 'REJECTED'

/** A file that leaves, as it is stored. */
export type OutgoingBankFile = {
  bankFileId: string
  status: OutgoingStatus
  /** The id of the batch, and of the message in the file. */
  messageId: string
  name: string
  bankAccountId: string
  service: BankService
  currency: FiatLabel
  stagingName: string | null
  notAfter: Date
  isOverdue: boolean
  bankStatus: BankFileAnswer | null
  bankReason: string | null
  /** The whole message with the bank's word is applied: none of it says anything else. */
  isAnswerWhole: boolean
}

/** A file as operators see it, without its content. */
export type ListedFile = {
  bankFileId: string
  direction: 'OUTGOING' | 'INCOMING'
  status: BankFileStatus
  name: string
  format: string | null
  messageId: string | null
  bankAccountId: string | null
  service: string | null
  executionDate: string | null
  currency: string | null
  itemCount: number
  total: string | null
  bankStatus: BankFileAnswer | null
  bankReason: string | null
  problemCode: string | null
  problem: string | null
  deliveries: number
  createdAt: Date
  changedAt: Date
}
