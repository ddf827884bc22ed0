import { RpcError } from '../../rpc-error.ts'
import type { Commitment, SolanaChain } from '../chain.ts'
import type { Account } from '../engine.ts'
import type { Landed } from '../journal-entry.ts'
import { badParams, commitmentOf, optionalNumber, type Settings } from './params.ts'

export const apiVersion = '3.1.5'

/** The chain as one call sees it: a node that is behind sees an earlier slot. */
export class View {
  readonly chain: SolanaChain
  readonly #behind: number

  constructor(chain: SolanaChain, behind = 0) {
    this.chain = chain
    this.#behind = behind
  }

  slot(commitment: Commitment): number {
    return this.chain.slotOf(commitment, this.#behind)
  }

  /** The slot of the commitment in the settings, which must have reached the least slot that the caller accepts. */
  slotFor(settings: Settings): number {
    const slot = this.slot(commitmentOf(settings))
    const least = optionalNumber(settings, 'minContextSlot')
    if (least !== undefined && slot < least) {
      throw new RpcError('Minimum context slot has not been reached', -32_016, { contextSlot: slot })
    }
    return slot
  }

  context(slot: number): { apiVersion: string; slot: number } {
    return { apiVersion, slot }
  }

  account(address: string, slot: number): Account | undefined {
    return this.chain.state.accountAt(address, slot)
  }

  /** Finds a transaction that landed up to a slot. */
  find(signature: string, slot: number): Landed | undefined {
    const landed = this.chain.state.find(signature)
    return landed && landed.slot <= slot ? landed : undefined
  }

  confirmationOf(slot: number): Commitment {
    if (slot <= this.slot('finalized')) return 'finalized'
    return slot <= this.slot('confirmed') ? 'confirmed' : 'processed'
  }

  /** Checks that a slot has a block that a majority has voted for. */
  requireBlock(slot: number, commitment: Commitment): void {
    if (slot > this.slot(commitment)) throw new RpcError(`Block not available for slot ${slot}`, -32_004)
    if (this.chain.slots.has(slot)) return
    const isRecent = slot > this.slot('finalized') - 1_000
    throw isRecent
      ? new RpcError(`Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`, -32_007)
      : new RpcError(`Slot ${slot} was skipped, or missing in long-term storage`, -32_009)
  }
}

export type Method = (view: View, params: readonly unknown[]) => unknown

export function requireUpTo(count: number, most: number, what: string): void {
  if (count > most) throw badParams(`Too many ${what} provided; max ${most}`)
}
