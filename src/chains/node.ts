import type { EvmNetwork } from '../catalog/chain-ids.ts'
import type { Hex } from '../lib/chains/node-error.ts'

export { type Hex, NodeError, type NodeErrorKind } from '../lib/chains/node-error.ts'

/**
 * The port to the nodes of one EVM network. An adapter asks several nodes, so an answer is the one on which as many of
 * them agree as the quorum demands. Every method throws a `NodeError` when no answer reaches the quorum: a missing
 * answer is never taken for an empty one. Hashes and addresses are in lower case, quantities are `bigint`.
 */
export type ChainNode = {
  network: EvmNetwork
  /** The chain id that every node must report before its answers count. */
  chainId: number
  /** Reads the newest block that the quorum has under this tag. A node may be behind: the number can fall. */
  head(tag: BlockTag): Promise<BlockRef>
  /** Reads the newest block and the newest one under a tag, in one request. */
  heads(tag: BlockTag): Promise<{ latest: BlockRef; final: BlockRef }>
  /** Reads the block of this number in the chain of the nodes; undefined when they do not have it yet. */
  block(number: bigint): Promise<BlockRef | undefined>
  /** Reads consecutive blocks in one request; throws when the nodes do not have all of them. */
  blocks(from: bigint, count: number): Promise<BlockRef[]>
  /**
   * Reads every `Transfer` event of exactly this block, of every contract, in transactions that succeeded. The answer is
   * compared with the number of transactions and the bloom filter of the block's header, so a node that leaves out
   * receipts or logs is not believed.
   */
  transfersIn(block: BlockRef): Promise<TokenTransfer[]>
  /** Calls a contract in the state of one block; throws `NodeError` with kind `reverted` when it reverts. */
  call(call: ContractCall, block: BlockRef): Promise<Hex>
  /** Calls contracts in the state of one block, with one request to each node that is asked. */
  calls(calls: readonly ContractCall[], block: BlockRef): Promise<Hex[]>
  codeAt(address: string, block: BlockRef): Promise<Hex>
  /** Reads the native balance in the state of one block. */
  balanceAt(address: string, block: BlockRef): Promise<bigint>
  /** Reads the receipt of a transaction; undefined when it is in no block. Its block may still be replaced. */
  receipt(transactionHash: string): Promise<TransactionReceipt | undefined>
  /**
   * Reads the receipts of several transactions in one request. One on which the nodes do not agree yet is undefined, and
   * holds up no other.
   */
  receipts(transactionHashes: readonly string[]): Promise<(TransactionReceipt | undefined)[]>
  /** Tells which of these transactions a node knows: pending, or in a block. One request to each node. */
  known(transactionHashes: readonly string[]): Promise<ReadonlySet<string>>
  /** Reads events of one contract in a range of blocks. Narrow topics only: completeness is not proven, see `transfersIn`. */
  logs(filter: LogFilter): Promise<EventLog[]>
  /** Reads the highest count of transactions of an address that the quorum has reached: in blocks, or with those that wait in a node's pool. */
  transactionCount(address: string, at: 'latest' | 'pending'): Promise<bigint>
  /** Reads the number of transactions of an address in the state of one block. */
  transactionCountAt(address: string, block: BlockRef): Promise<bigint>
  feeHistory(blocks: number, percentile: number): Promise<FeeHistory>
  estimateGas(call: ContractCall & { from: string }): Promise<bigint>
  /**
   * Hands a signed transaction to every node, and answers when one has it. "Already known" counts as accepted. An error
   * after the bytes left is `unknown`: they may arrive all the same.
   */
  sendRaw(transaction: Hex): Promise<SendOutcome>
}

export type BlockTag = 'latest' | 'safe' | 'finalized'

/** A block. The timestamp is in seconds since 1970. */
export type BlockRef = { number: bigint; hash: string; parentHash: string; timestamp: bigint }

export type TokenTransfer = {
  transactionHash: string
  /** The place of the event among those of its own transaction, from 0. It does not move in a reorganization. */
  position: number
  contract: string
  from: string
  to: string
  /** Undefined when the event is not laid out as EIP-20 demands, such as that of a collectible (EIP-721). */
  value: bigint | undefined
}

export type ContractCall = { to: string; data: Hex; from?: string }

export type EventLog = {
  contract: string
  topics: readonly Hex[]
  data: Hex
  block: { number: bigint; hash: string }
  transactionHash: string
}

export type LogFilter = {
  contract: string
  topics: readonly (Hex | null)[]
  fromBlock: bigint
  toBlock: bigint
}

export type TransactionReceipt = {
  transactionHash: string
  block: { number: bigint; hash: string }
  from: string
  to: string | null
  isSuccessful: boolean
  gasUsed: bigint
  effectiveGasPrice: bigint
  /** The fee of the first layer, which OP networks charge beside the gas; 0 elsewhere. */
  layerOneFee: bigint
  logs: readonly Omit<EventLog, 'block' | 'transactionHash'>[]
}

export type FeeHistory = {
  /** The base fee of the next block, in wei. */
  nextBaseFee: bigint
  /** The tips of recent blocks at the asked percentile, oldest first. */
  tips: readonly bigint[]
}

/**
 * REFUSED: every node that answered refused the bytes, and none may have them. UNKNOWN: a node may have them. The reason
 * is the node's own text.
 */
export type SendOutcome =
  | { outcome: 'ACCEPTED' }
  | { outcome: 'REFUSED'; reason: SendRefusal; message: string }
  | { outcome: 'UNKNOWN'; message: string }

/** UNREACHED: no node got the bytes. */
export type SendRefusal = 'NONCE_TOO_LOW' | 'UNDERPRICED' | 'NO_FUNDS' | 'UNREACHED' | 'OTHER'
