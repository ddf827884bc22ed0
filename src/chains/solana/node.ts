/**
 * The port to the nodes of Solana. As on EVM networks, an adapter asks several nodes, and an answer is the one on which
 * as many of them agree as the quorum demands; a missing answer throws a `NodeError`, and is never taken for an empty
 * one. Addresses and signatures are base58, quantities are `bigint`.
 */
export type SolanaNode = {
  network: 'SOLANA'
  /** Reads the newest slots that the quorum has reached. A node may be behind: they can fall. */
  slots(): Promise<Slots>
  /**
   * Lists the newest transactions that name an address: those between `until` and `before`, up to a slot that the nodes
   * must have reached. An empty list is no proof: compare the balance.
   */
  signaturesOf(address: string, range: SignatureRange): Promise<SignatureList>
  /** Reads transactions in their order; one that the nodes do not have at this commitment is undefined. */
  transactions(signatures: readonly string[], commitment: Commitment): Promise<(SolanaTransaction | undefined)[]>
  /** Reads accounts in a state that is not older than a slot; one that does not exist is undefined. */
  accounts(addresses: readonly string[], at: StateRange): Promise<(SolanaAccount | undefined)[]>
  /** Lists the accounts of the Token program that belong to an owner, in a final state not older than a slot. */
  tokenAccountsOf(owner: string, minSlot: bigint): Promise<OwnedTokens[]>
  /** Tells how transactions stand, in their order, from the whole history of the nodes. */
  statuses(signatures: readonly string[]): Promise<TransactionStatus[]>
  /** Asks every node; tells in their order whether any of them has a transaction in a block. */
  areKnown(signatures: readonly string[]): Promise<boolean[]>
  /** True when most nodes have a transaction in a final block, where it failed, and no node tells that it succeeded. */
  hasFailed(signature: string): Promise<boolean>
  /**
   * Proves that a transaction can never be executed: at one node, a final block is higher than the last one that takes
   * its blockhash, which is no longer valid, and afterwards the whole history of the same node knows neither the
   * transaction nor a successful one with its reference. Undefined while that is not so.
   */
  findDeath(transaction: {
    signature: string
    blockhash: string
    lastValidBlockHeight: bigint
    reference: string
  }): Promise<Death | undefined>
  latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }>
  /** Reads the highest block that is final. */
  finalHeight(): Promise<bigint>
  /** Reads what recent transactions that wrote these accounts paid for priority, in millionths of a lamport per unit. */
  priorityFees(accounts: readonly string[]): Promise<bigint[]>
  /** Hands a signed transaction to every node. An error after the bytes left is UNKNOWN: they may arrive all the same. */
  send(transaction: Buffer): Promise<SolanaSendOutcome>
}

/** `confirmed`: two thirds of the stake voted for the block, and it can still be dropped. `finalized`: it cannot. */
export type Commitment = 'confirmed' | 'finalized'

export type Slots = { confirmed: bigint; finalized: bigint }

export type SignatureRange = {
  /** The transaction after which the list begins; null for the first one ever. */
  until: string | null
  /** The transaction before which the list ends; null for the newest one. */
  before: string | null
  commitment: Commitment
  upToSlot: bigint
  /** The most transactions to list: an account may be flooded. */
  most: number
}

export type StateRange = { commitment: Commitment; minSlot: bigint }

/** Transactions, oldest first. `isAll` is false when older ones lie between them and `until`. */
export type SignatureList = { signatures: SignatureInfo[]; isAll: boolean }

export type SignatureInfo = { signature: string; slot: bigint; isFailed: boolean }

export type SolanaTransaction = {
  signature: string
  slot: bigint
  /** In seconds since 1970; null when the nodes do not know it. */
  time: bigint | null
  /** The error in the node's own words; null when the transaction succeeded. */
  error: string | null
  /** In lamports, without rent. */
  fee: bigint
  /** The account that paid the fee, and how its coins changed: the fee, and rent that it paid for others. */
  feePayer: string
  feePayerChange: bigint
  /** Every account that the transaction names. */
  accounts: readonly string[]
  /** The change of the coins of each of them, in lamports. */
  coinChanges: readonly bigint[]
  balances: readonly BalanceChange[]
  /** The transfers that the Token program executed, in the order of the instructions. */
  transfers: readonly TokenMove[]
}

/** A transfer between two token accounts. The authority signed for it: the owner of the source, or its delegate. */
export type TokenMove = { source: string; destination: string; authority: string; amount: bigint }

/** A token account that a transaction names, with its balance before and after: 0 where it does not exist. */
export type BalanceChange = {
  account: string
  mint: string
  owner: string
  /** The program of the mint. */
  program: string
  before: bigint
  after: bigint
}

export type SolanaAccount = { program: string; lamports: bigint; data: Buffer }

/** The tokens in one account of an owner. */
export type OwnedTokens = { account: string; mint: string; amount: bigint }

/** WAITING: in a block that is not final. UNKNOWN: the nodes do not have it now. */
export type TransactionStatus =
  | { state: 'UNKNOWN' | 'WAITING' }
  | { state: 'FINAL'; slot: bigint; error: string | null }

export type Death = { height: bigint; slot: bigint }

export type SolanaSendOutcome = { outcome: 'ACCEPTED' } | { outcome: 'REFUSED' | 'UNKNOWN'; message: string }
