import { createHash } from 'node:crypto'
import { writeSolanaAddress } from '../addresses/solana-address.ts'
import { type Instruction, type Message, writeMessage } from './message.ts'
import { programs, signatureFee } from './programs.ts'
import { associatedAccountOf } from './token-account.ts'

/** A transfer of tokens from one owner to another, whose fee a third account pays. */
export type TokenTransferFacts = {
  relayer: string
  /** The owner whose tokens leave, who signs. */
  from: string
  /** The owner who receives them. */
  to: string
  mint: string
  decimals: number
  amount: bigint
  /** A key that names the obligation. It makes the transaction findable, and changes nothing else. */
  reference: string
  blockhash: string
  /** In millionths of a lamport per unit of computation. */
  computeUnitPrice: bigint
  /** True when the relayer pays for the receiver's token account, if it is missing. */
  createsAccount: boolean
}

/** Enough for a new token account whose address takes many tries, and a transfer to it. */
export const computeUnitLimit = 120_000

/** The most that the network takes for a transfer beside rent, in lamports: two signatures, and the priority. */
export function feeOf(computeUnitPrice: bigint): bigint {
  const millionths = computeUnitPrice * BigInt(computeUnitLimit)
  return 2n * signatureFee + (millionths + 999_999n) / 1_000_000n
}

/** Names an obligation on chain, the same for each of its attempts. */
export function referenceKeyOf(obligationId: string): string {
  return writeSolanaAddress(createHash('sha256').update(`svc payout ${obligationId}`).digest())
}

/**
 * Tells whether the relayer pays for a missing token account. What goes back to its sender carries no fee, and a sender
 * that closes its account each time would earn the rent of the next one.
 */
export function createsAccountFor(purpose: string): boolean {
  return purpose !== 'RETURN' && purpose !== 'REFUND'
}

/**
 * Writes the message of a transfer. Without \`createsAccount\` it fails when the receiver has no token account.
 * The token program checks mint and decimals against its own record.
 */
export function writeTransferMessage(facts: TokenTransferFacts): { bytes: Buffer; signers: string[] } {
  const { relayer, from, to, mint, decimals, amount, reference, blockhash, computeUnitPrice, createsAccount } = facts
  const [source, destination] = [associatedAccountOf(from, mint), associatedAccountOf(to, mint)]
  const transfer: Instruction = {
    program: programs.token,
    accounts: [
      { address: source, isWritable: true },
      { address: mint },
      { address: destination, isWritable: true },
      { address: from, isSigner: true },
      { address: reference },
    ],
    // 12: TransferChecked
    data: Buffer.concat([Buffer.of(12), writeU64(amount), Buffer.of(decimals)]),
  }
  const message: Message = {
    feePayer: relayer,
    blockhash,
    instructions: [
      ...writeBudget(computeUnitPrice),
      ...(createsAccount ? [createAccount(relayer, to, mint)] : []),
      transfer,
    ],
  }
  return writeMessage(message)
}

function createAccount(relayer: string, owner: string, mint: string): Instruction {
  return {
    program: programs.associatedToken,
    accounts: [
      { address: relayer, isSigner: true, isWritable: true },
      { address: associatedAccountOf(owner, mint), isWritable: true },
      { address: owner },
      { address: mint },
      { address: programs.system },
      { address: programs.token },
    ],
    // 1: CreateIdempotent, which succeeds when the account exists.
    data: Buffer.of(1),
  }
}

function writeBudget(computeUnitPrice: bigint): Instruction[] {
  const limit = Buffer.alloc(5)
  limit[0] = 2
  limit.writeUInt32LE(computeUnitLimit, 1)
  const price = Buffer.concat([Buffer.of(3), writeU64(computeUnitPrice)])
  return [limit, price].map((data) => ({ program: programs.computeBudget, accounts: [], data }))
}

function writeU64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
