import type { Account } from './engine.ts'
import type { TransactionErr } from './engine-error.ts'
import type { Beat } from './slots.ts'

/** An amount in the smallest unit, as digits. */
type Digits = string

/** A transaction of the chain with everything that a node tells of it. */
export type Landed = {
  signature: string
  slot: number
  /** The bytes, in base64. */
  raw: string
  /** The addresses that lookup tables added to the transaction's own. */
  loaded: { writable: string[]; readonly: string[] }
  err: TransactionErr | null
  fee: Digits
  preBalances: Digits[]
  postBalances: Digits[]
  preTokens: TokenBalance[]
  postTokens: TokenBalance[]
  logs: string[]
  inner: { index: number; instructions: InnerInstruction[] }[]
  units: number
  returned?: { programId: string; data: [string, 'base64'] }
  /** The request of the sandbox that made it. */
  key?: string
}

export type TokenBalance = {
  accountIndex: number
  mint: string
  owner: string
  programId: string
  amount: Digits
  decimals: number
}

export type InnerInstruction = { programIdIndex: number; accounts: number[]; data: string; stackHeight: number }

/** An account after a transaction. One that no longer exists has no more than its address. */
export type AccountChange = [
  address: string,
  content?: [lamports: Digits, owner: string, data: string, executable: 0 | 1],
]

export type JournalEntry =
  | { kind: 'genesis'; seed: string }
  | { kind: 'beat'; beat: Beat; isPaused: boolean }
  | { kind: 'transaction'; landed: Landed; changes: AccountChange[] }
  /** A fork: the blocks above a slot no longer count, and the next block is in a later slot. */
  | { kind: 'fork'; after: number; next: number }
  /** A control request that took effect, so that its repetition does not. */
  | { kind: 'done'; key: string }
  /** The fees, in thousandths of the usual ones. */
  | { kind: 'fees'; multiplier: number }

export function writeChange(address: string, account: Account | undefined): AccountChange {
  if (!account) return [address]
  const { lamports, owner, data, isExecutable } = account
  return [address, [String(lamports), owner, Buffer.from(data).toString('base64'), isExecutable ? 1 : 0]]
}

export function readChange([, content]: AccountChange): Account | undefined {
  if (!content) return undefined
  const [lamports, owner, data, executable] = content
  return {
    lamports: BigInt(lamports),
    owner,
    data: Uint8Array.from(Buffer.from(data, 'base64')),
    isExecutable: executable === 1,
  }
}
