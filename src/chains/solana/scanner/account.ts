import type { TokenAsset } from '../../../catalog/currencies.ts'
import { programs } from '../../../lib/solana/programs.ts'
import type { NewSighting } from '../../../transactions/deposits/sightings/sighting.ts'
import type { Oddity, OddityKind } from '../../scanner/scan.ts'
import type { BalanceChange, SolanaTransaction } from '../node.ts'

/** An account that the scanner watches, with its cursor. */
export type WatchedAccount = {
  account: string
  owner: string
  /** Null for the owner's own address. */
  asset: TokenAsset | null
  receiver: 'WALLET' | 'SERVICE'
  /** The last final transaction that is recorded; null before the first. */
  signature: string | null
  slot: bigint
  /** The balance after it. */
  balance: bigint
  /** The recorded transactions of its slot. */
  slotSignatures: readonly string[]
  /** The account could not be read lately, and its next try is not due. */
  isResting: boolean
}

/** The place in an account's transactions up to which they are recorded. */
export type Cursor = Pick<WatchedAccount, 'signature' | 'slot' | 'balance' | 'slotSignatures'>

/** A transaction that has credited a token account of ours, and those who sent the tokens. */
export type Credit = { transaction: SolanaTransaction; amount: bigint; from: string; others: readonly string[] }

/**
 * Lists those who sent tokens of a mint to an account of ours in a transaction: first the owners of the token accounts
 * that the transfers to it came from, the largest amount first. Then everyone else whose tokens of the mint moved or who
 * signed for such a transfer: within one transaction, a sender can let others appear in its place.
 */
export function sendersIn(
  { balances, transfers, feePayer }: SolanaTransaction,
  mint: string,
  account: string,
): string[] {
  const ofMint = balances.filter((each) => each.mint === mint && each.program === programs.token)
  const ownerOf = new Map(ofMint.map((each) => [each.account, each.owner]))
  const moved = transfers.filter(({ source }) => ownerOf.has(source))
  const direct = moved.filter(({ destination, source }) => destination === account && source !== account)
  const named = [
    ...byAmount(direct.map(({ source, amount }) => [ownerOf.get(source) as string, amount])),
    ...byAmount(ofMint.map(({ owner, before, after }) => [owner, before - after])),
    ...moved.flatMap(({ source, authority }) => [ownerOf.get(source) as string, authority]),
  ]
  const senders = [...new Set(named)]
  // Tokens that were minted have no former owner: the account that paid for the transaction stands for it.
  return senders.length > 0 ? senders : [feePayer]
}

/** Sums amounts by owner, and lists the owners of positive sums, the largest first. */
function byAmount(amounts: readonly (readonly [string, bigint])[]): string[] {
  const sums = new Map<string, bigint>()
  for (const [owner, amount] of amounts) sums.set(owner, (sums.get(owner) ?? 0n) + amount)
  const positive = [...sums].filter(([, sum]) => sum > 0n)
  return positive.toSorted(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1)).map(([owner]) => owner)
}

/** The name of a credit on its chain: the transaction, and the place of the token account among its accounts. */
export function externalIdOf({ signature, accounts }: SolanaTransaction, account: string): string {
  return `${signature}:${accounts.indexOf(account)}`
}

export function signatureIn(externalId: string): string {
  return externalId.split(':')[0] ?? ''
}

/** A slot has one block at most. Nodes name it by its number. */
export function blockOf({ slot }: Pick<SolanaTransaction, 'slot'>): { number: bigint; hash: string } {
  return { number: slot, hash: `slot ${slot}` }
}

export function sightingOf(
  { account, owner, asset }: WatchedAccount,
  { transaction, amount, from, others }: Credit,
  state: 'SEEN' | 'FINAL',
): NewSighting {
  return {
    method: 'SOLANA',
    book: '',
    externalId: externalIdOf(transaction, account),
    asset: asset as TokenAsset,
    amount: String(amount),
    message: null,
    address: owner,
    virtualAccountId: null,
    senderAccountId: null,
    detailsHash: null,
    fromAddress: from,
    otherSenders: others,
    senderMatches: [],
    sealedSender: null,
    state,
    block: blockOf(transaction),
    observedAt: timeOf(transaction),
  }
}

function timeOf({ time }: SolanaTransaction): Date | null {
  return time === null ? null : new Date(Number(time) * 1_000)
}

/**
 * Finds the tokens that a transaction brought to an owner of ours. In accounts that are not watched, these are tokens of
 * another mint or program, such as one that copies a name, or tokens in an account that does not follow from owner and mint.
 */
export function creditsOf(
  { owner }: Pick<WatchedAccount, 'owner'>,
  { balances, error }: SolanaTransaction,
): BalanceChange[] {
  if (error !== null) return []
  return balances.filter((each) => each.owner === owner && each.after > each.before)
}

export function oddityOf(
  kind: OddityKind,
  transaction: SolanaTransaction,
  { account, mint, owner, value }: { account: string; mint: string; owner: string; value: bigint },
): Oddity {
  return {
    kind,
    transactionHash: transaction.signature,
    position: transaction.accounts.indexOf(account),
    contract: mint,
    from: sendersIn(transaction, mint, account)[0] ?? transaction.feePayer,
    to: owner,
    value,
    blockNumber: transaction.slot,
    observedAt: timeOf(transaction) ?? new Date(0),
  }
}
