import type { Asset, FiatRail } from '../../../catalog/currencies.ts'
import type { PaymentMethod } from '../../../catalog/payment-methods.ts'
import type { Transitions } from '../../../lib/transitions.ts'
import type { SenderMatch } from '../../screening/screening.ts'

/** The states of a transfer at its observer. Bank entries are FINAL from the start. */
export type SightingState = 'SEEN' | 'FINAL' | 'ORPHANED'

/** The moves of a sighting, by what the observer reports. */
export const sightingMoves = {
  /** It is in a block that is not final, the same one or another. */
  include: { from: ['SEEN', 'ORPHANED'], to: 'SEEN' },
  finalize: { from: ['SEEN', 'ORPHANED'], to: 'FINAL' },
  /** Its block is no longer part of the chain. */
  orphan: { from: ['SEEN'], to: 'ORPHANED' },
  /** The chain has dropped a block that it called final: an alarm, and a halt of payouts. Another block may have it. */
  doubt: { from: ['FINAL'], to: 'SEEN' },
  /** The same, and no other block has it: the deposit is reversed. */
  contradict: { from: ['FINAL'], to: 'ORPHANED' },
} as const satisfies Transitions<SightingState>

export type Block = { number: bigint; hash: string }

/** A recorded transfer of a chain, with its block. */
export type PlacedSighting = SightingKey & {
  blockNumber: bigint
  blockHash: string
  asset: string
  address: string | null
  state: SightingState
  hasDeposit: boolean
}

/** Incoming money as a bank or chain reports it. The amount is in smallest units. */
export type Sighting = {
  method: PaymentMethod
  /** The scope of `externalId`: an account at a bank. Empty on chains, where the id is globally unique. */
  book: string
  /** The bank's or chain's own id. On a chain: the transaction and the place of the transfer in it. */
  externalId: string
  asset: Asset
  amount: string
  message: string | null
  address: string | null
  virtualAccountId: string | null
  senderAccountId: string | null
  /** A keyed hash of the text and the sender's name, which are not stored. Null on chains. */
  detailsHash: Buffer | null
  /** The address that sent tokens, which is screened when the deposit is created; null for banks. */
  fromAddress: string | null
  /** Further addresses whose tokens moved in the same transaction. They are screened as the sender is. */
  otherSenders: readonly string[]
  /** The watch-list entries that the sender matches. */
  senderMatches: readonly SenderMatch[]
  /** The sealed name of a sender that no current list was compared with; else null. */
  sealedSender: Buffer | null
  /** The sender has another name than the owner of the account that its transaction awaits money from. */
  isSenderMismatch: boolean
  /** The rail that the bank names, for answers alone; null when it names none, and on chains. */
  rail: FiatRail | null
  /** The time of the block, or when the bank booked the entry. */
  observedAt: Date
}

/** A sighting as a watcher of a bank or chain reports it. */
export type NewSighting = Omit<Sighting, 'observedAt' | 'isSenderMismatch' | 'otherSenders' | 'rail'> & {
  isSenderMismatch?: boolean
  rail?: FiatRail | null
  otherSenders?: readonly string[]
  state: 'SEEN' | 'FINAL'
  /** Null for banks. */
  block: Block | null
  /**
   * In business time. A later time than the report counts as the time of the report: the observer's clock is wrong.
   * Null when the observer tells a date only, or nothing: the time of the report counts.
   */
  observedAt: Date | null
}

/** The result of screening a sender that a bank names. */
export type ScreenedSender = Pick<Sighting, 'senderMatches' | 'sealedSender'>

export type SightingKey = Pick<Sighting, 'method' | 'book' | 'externalId'>

/**
 * The outcome of a report. REPEATED: the same entry was reported before. QUARANTINED: another entry has the reference,
 * and the operator of the deployment decides.
 */
export const sightingStatuses = ['RECORDED', 'REPEATED', 'QUARANTINED'] as const
export type SightingStatus = (typeof sightingStatuses)[number]

/**
 * MOVED: the report changed the state or the block of a known transfer. CONTRADICTED: the chain has dropped a block that
 * it had called final. IGNORED: nothing was recorded, because no money moved, or because the report is not final and
 * contradicts a known one.
 */
export type ReportOutcome = SightingStatus | 'MOVED' | 'CONTRADICTED' | 'IGNORED'
