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

/** The name of a bank's file in the folders that only Svc uses: its id, and so much of its own name as fits. */
export function keptName(bankFileId: string, name: string): string {
  let kept = name
  while (Buffer.byteLength(kept) > longestName) kept = kept.slice(0, -1)
  return `${bankFileId}-${kept.replaceAll(/[/\\\uD800-\uDFFF]/g, '_')}`
}

/** Reads the name of a file in received/ back. */
export function readKeptName(keptAs: string): { bankFileId: string; name: string } {
  return { bankFileId: keptAs.slice(0, idLength), name: keptAs.slice(idLength + 1) }
}

const idLength = 36
/** A name may have 255 bytes. Ours has an id before it, and words such as "again" in the archive. */
const longestName = 150

/** The life of a file that a bank sent. */
export const incomingMoves = {
  apply: { from: ['RECEIVED'], to: 'APPLIED' },
  quarantine: { from: ['RECEIVED'], to: 'QUARANTINED' },
  /** Its upload had only paused: the next scan registers the bytes that it has become. */
  drop: { from: ['RECEIVED'], to: 'DISMISSED' },
  /** An operator has mended the cause, or dismissed it by mistake. */
  retry: { from: ['QUARANTINED', 'DISMISSED'], to: 'RECEIVED' },
  /** The bank sent the bytes of a dropped file after all. */
  revive: { from: ['DISMISSED'], to: 'RECEIVED' },
  dismiss: { from: ['QUARANTINED'], to: 'DISMISSED' },
} as const satisfies Transitions<IncomingStatus>

/**
 * The bank's word about a whole file. Its payments may be paid if the bank has it already (DUPLICATE), or accepts it after
 * a rejection (DISPUTED).
 */
export type BankFileAnswer = 'ACCEPTED' | 'PARTIAL' | 'PENDING' | 'REJECTED' | 'DUPLICATE' | 'DISPUTED'

/** The bank's word about one payment of a file. DISPUTED: both a rejection and an acceptance, so it may be paid. */
export type BankItemAnswer = 'ACCEPTED' | 'PENDING' | 'SETTLED' | 'REJECTED' | 'DISPUTED'

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
