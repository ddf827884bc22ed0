/** Everything needed to mine a block again with the same hash. */
export type JournalBlock = {
  number: number
  hash: string
  time: number
  mixHash: string
  baseFee: string
  transactions: string[]
}

export type JournalEntry =
  | { kind: 'block'; block: JournalBlock }
  /** A reorganization: the blocks above this number no longer count. */
  | { kind: 'revert'; to: number }
  /** A control request that took effect, so that its repetition does not. */
  | { kind: 'done'; key: string }
  /** The state of the miner: `multiplier` is in thousandths of the usual fees. */
  | { kind: 'miner'; isPaused: boolean; multiplier: number }
