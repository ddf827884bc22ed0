import { programs } from '../../../lib/solana/programs.ts'
import { associatedAccountOf, readTokenAccount } from '../../../lib/solana/token-account.ts'
import { referenceKeyOf } from '../../../lib/solana/transfer.ts'
import type { SolanaNode, SolanaTransaction } from '../node.ts'
import * as deaths from './death-store.ts'
import type * as store from './store.ts'

/** True when a transaction moved exactly the tokens of a transfer, from its sender to its receiver. */
export function hasPaid(
  { mint, from, to, value }: Pick<store.Transfer, 'mint' | 'from' | 'to' | 'value'>,
  { error, balances }: SolanaTransaction,
): boolean {
  if (error !== null || mint === null || from === null || to === null || value === null) return false
  const gained = (owner: string) => {
    const account = associatedAccountOf(owner, mint)
    const found = balances.find((each) => each.account === account && each.mint === mint && each.owner === owner)
    return found ? found.after - found.before : 0n
  }
  return gained(to) === BigInt(value) && gained(from) === -BigInt(value)
}

/** Reads the end of a transfer from its final transaction. */
export function endingOf(transfer: store.Transfer, transaction: SolanaTransaction): store.Ending {
  const isSuccessful = hasPaid(transfer, transaction)
  if (transaction.error === null && !isSuccessful) {
    throw new Error(`transaction ${transaction.signature} succeeded, but has not moved the tokens of its payout`)
  }
  const { slot, fee, feePayer, feePayerChange, error } = transaction
  // Coins that left the relayer beside the fee are the rent of a new token account.
  const rent = feePayer === transfer.relayer ? -feePayerChange - fee : 0n
  return { transferId: transfer.transferId, slot, isSuccessful, failure: error, fee, rent: rent > 0n ? rent : 0n }
}

/** Proves that an open transfer can never be executed, and records the proof; false while it may be. */
export async function findDeath(
  { database, node }: { database: Parameters<typeof deaths.recordDeath>[0]; node: SolanaNode },
  transfer: store.Transfer,
): Promise<boolean> {
  const { transferId, reference, signature, blockhash } = transfer
  if (signature === null) return false
  const lastValidBlockHeight = BigInt(transfer.lastValidBlockHeight)
  const death = await node.findDeath({
    signature,
    blockhash,
    lastValidBlockHeight,
    reference: referenceKeyOf(reference),
  })
  if (!death) return false
  await deaths.recordDeath(database, transferId, death)
  return true
}

/**
 * Asks every node about transfers that count as dead: nodes can be wrong together. One that a node has in a block is open
 * again. Answers those.
 */
export async function findRevived(
  { database, node }: { database: Parameters<typeof deaths.reviveTransfers>[0]; node: SolanaNode },
  transfers: readonly store.Transfer[],
): Promise<store.Transfer[]> {
  const dead = transfers.filter(({ state }) => state === 'DEAD')
  if (dead.length === 0) return []
  const areKnown = await node.areKnown(dead.map(({ signature }) => signature as string))
  const revived = dead.filter((_, at) => areKnown[at])
  await deaths.reviveTransfers(database, revived)
  return revived
}

/** True for a transfer that no block will ever execute: proven dead, or failed in a final block. */
export function isOver({ state, isSuccessful }: Pick<store.Transfer, 'state' | 'isSuccessful'>): boolean {
  return state === 'DEAD' || (state === 'FINAL' && isSuccessful === false)
}

/**
 * Tells why a receiver can get no tokens, for good: the issuer has frozen its token account, or the account that follows
 * from owner and mint belongs to another owner now. Undefined when nothing stands in the way.
 */
export async function findRefusal(
  node: SolanaNode,
  { mint, to }: Pick<store.Transfer, 'mint' | 'to'>,
  minSlot: bigint,
): Promise<string | undefined> {
  if (mint === null || to === null) return undefined
  const [account] = await node.accounts([associatedAccountOf(to, mint)], { commitment: 'finalized', minSlot })
  if (!account || account.program === programs.system) return undefined
  const token = account.program === programs.token ? readTokenAccount(account.data) : undefined
  if (!token || token.owner !== to || token.mint !== mint) return 'destination_account_invalid'
  return token.isFrozen ? 'destination_blacklisted' : undefined
}
