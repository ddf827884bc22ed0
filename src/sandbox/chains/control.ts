import type { Network } from '../../catalog/currencies.ts'
import type { FaultKind } from './faults.ts'

export type ChainStatus = {
  network: Network
  rpcUrl: string
  head: { number: number; hash: string; time: number }
  finalized: number
  finalityLag: number
  isPaused: boolean
  pending: number
  faults: { kind: FaultKind; calls: number }[]
}

export type ReorgOptions = {
  /** The number of blocks that are replaced. The new branch is one block longer. */
  depth: number
  /** `true` forgets the transactions of the replaced blocks, a list of hashes forgets these. */
  drop?: boolean | string[]
  /** The block of the new branch that includes the transactions again. */
  place?: 'first' | 'last'
  /** Replaces final blocks too, which no healthy network does. */
  force?: boolean
}

/** A gift of the faucet. `amount` is in the smallest unit. With `from`, that address sends it. */
export type Gift = { key: string; address: string; currency: string; amount: string; from?: string }

/** The receipt of a gift: the transaction, and the place of the transfer's log among the transaction's logs. */
export type GiftReceipt = {
  transactionHash: string
  position: number | null
  isMined: boolean
  /** True if an earlier request with this key was served. */
  isRepeated: boolean
}

/** An act of a token's owner. */
export type OwnerAct = { key: string; currency: string } & (
  | { act: 'blacklist' | 'unBlacklist'; account: string }
  | { act: 'burn'; account: string; amount: string }
  | { act: 'pause' | 'unpause' }
)

/** `calls` is the number of calls that fail; `milliseconds` is the time of a slow one. */
export type FaultRequest = { kind: FaultKind; calls: number; milliseconds?: number; key?: string }

/** The business clock: real time plus an offset, or a fixed time. */
export type ClockSetting = { offsetMs: number } | { frozenAtMs: number }

/** The levers of the local chains. A repeated request with the same key changes nothing. */
export type ChainControl = {
  status(): Promise<ChainStatus[]>
  mine(network: Network, request: { blocks: number; key?: string }): Promise<ChainStatus>
  reorg(network: Network, request: ReorgOptions & { key?: string }): Promise<ChainStatus>
  pause(network: Network): Promise<ChainStatus>
  resume(network: Network): Promise<ChainStatus>
  fees(network: Network, request: { multiplier: number }): Promise<ChainStatus>
  fault(network: Network, request: FaultRequest): Promise<ChainStatus>
  clearFaults(network: Network): Promise<ChainStatus>
  faucet(network: Network, gift: Gift): Promise<GiftReceipt>
  administer(network: Network, act: OwnerAct): Promise<GiftReceipt>
  setClock(clock: ClockSetting): Promise<void>
}

/** The local chains of one process. */
export type LocalChains = { control: ChainControl; rpcUrls: RpcUrls; close(): Promise<void> }

/** The addresses of the local nodes. */
export type RpcUrls = Partial<Record<Network, string>>

/** The place and the clock of the local chains of one process. */
export type LocalChainsOptions = {
  /** The port on 127.0.0.1; the next free one if `mayMove`; 0 for any. */
  port: number
  mayMove: boolean
  /** The folder of the journals; without one the chains begin anew with each process. */
  folder: string | undefined
  /** The number of blocks, or of slots, between the head and the newest final block. */
  finalityLag: number
  clock: ClockSetting
  /** Called when a chain may differ from its journal: the process must end. */
  onLost(error: unknown): void
  /** Called when a network has a new block, or has lost one. */
  onNews?(network: Network): void
}
