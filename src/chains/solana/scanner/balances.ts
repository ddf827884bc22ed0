import { NodeError } from '../../../lib/chains/node-error.ts'
import { programs } from '../../../lib/solana/programs.ts'
import type { SolanaTransaction } from '../node.ts'
import type { WatchedAccount } from './account.ts'

export type Change = { before: bigint; after: bigint }

const tokenPrograms: readonly string[] = [programs.token, programs.token2022]

/**
 * Reads the balances of one token account around a transaction, for the right owner, mint and program; undefined when
 * the transaction cannot have changed them. A failed one changes nothing but the coins of the account that paid its fee.
 * One without a token program among its accounts moves no tokens, and nodes list no balances for it: that is not 0.
 */
export function changeOf(
  { account, owner }: Pick<WatchedAccount, 'account' | 'owner'>,
  mint: string,
  { accounts, balances, error }: SolanaTransaction,
): Change | undefined {
  const found = balances.find(
    (each) => each.account === account && each.mint === mint && each.owner === owner && each.program === programs.token,
  )
  if (found && error !== null && found.before !== found.after) {
    throw new NodeError('incomplete', 'a node reports a failed transaction that moved tokens')
  }
  if (error !== null) return undefined
  return found ?? (accounts.some((each) => tokenPrograms.includes(each)) ? { before: 0n, after: 0n } : undefined)
}

/**
 * Lists the balances through which final transactions lead: each begins with the balance that the one before left.
 * Throws when there is no such order: then the nodes have left one out. Only those of one slot may change places, which
 * some nodes list in another order than that of their execution.
 */
export function chainBalances(
  watched: Pick<WatchedAccount, 'account' | 'owner' | 'balance'>,
  mint: string,
  transactions: readonly SolanaTransaction[],
): bigint[] {
  const balances = [watched.balance]
  const slots = new Map<bigint, Change[]>()
  for (const transaction of transactions) {
    const change = changeOf(watched, mint, transaction)
    if (change) slots.set(transaction.slot, [...(slots.get(transaction.slot) ?? []), change])
  }
  for (const [slot, changes] of slots) {
    const balance = balances.at(-1) as bigint
    const after = joinChanges(balance, changes)
    if (!after) {
      const why = `the transactions of ${watched.account} do not lead from its balance of ${balance} to slot ${slot}`
      throw new NodeError('incomplete', why)
    }
    balances.push(...after)
  }
  return balances
}

/**
 * Brings changes into an order in which each begins where the one before ended, and lists the balances after them;
 * undefined when there is none. It walks each change once, and back to a balance with changes that are left (Hierholzer).
 */
function joinChanges(start: bigint, changes: readonly Change[]): bigint[] | undefined {
  const left = new Map<bigint, bigint[]>()
  for (const { before, after } of changes.toReversed()) left.set(before, [...(left.get(before) ?? []), after])
  const walk = [start]
  const joined: bigint[] = []
  while (walk.length > 0) {
    const next = left.get(walk.at(-1) as bigint)?.pop()
    if (next === undefined) joined.push(walk.pop() as bigint)
    else walk.push(next)
  }
  joined.reverse()
  const found = joined.slice(1).map((after, at) => ({ before: joined[at] as bigint, after }))
  return namesOf(found) === namesOf(changes) ? joined.slice(1) : undefined
}

/** Writes changes in an order of their own, so that two lists of the same ones are equal. */
function namesOf(changes: readonly Change[]): string {
  return changes
    .map(({ before, after }) => `${before}-${after}`)
    .toSorted()
    .join()
}
