import type { TokenAsset } from '../../../catalog/currencies.ts'
import { associatedAccountOf } from '../../../lib/solana/token-account.ts'
import type { Oddity } from '../../scanner/scan.ts'
import type { Slots, SolanaNode } from '../node.ts'
import { oddityOf, type WatchedAccount } from './account.ts'

/** The most such accounts of one owner that one look reports, those with most tokens first. */
const mostAccounts = 10

/**
 * Finds our tokens in accounts of a wallet that are not the ones that follow from owner and mint. A sender can make such
 * an account without naming the owner, so no list of transactions of ours shows it; an operator decides about the tokens.
 */
export async function findElsewhere(
  { node, mints }: { node: SolanaNode; mints: ReadonlyMap<TokenAsset, string> },
  { owner, asset, receiver }: WatchedAccount,
  { finalized }: Slots,
): Promise<Oddity[]> {
  if (asset !== null || receiver === 'SERVICE') return []
  const usual = new Map([...mints.values()].map((mint) => [mint, associatedAccountOf(owner, mint)]))
  const found = (await node.tokenAccountsOf(owner, finalized))
    .filter(({ account, mint, amount }) => amount > 0n && usual.has(mint) && usual.get(mint) !== account)
    .toSorted((a, b) => (a.amount > b.amount ? -1 : 1))
  const oddities: Oddity[] = []
  for (const { account, mint, amount: value } of found.slice(0, mostAccounts)) {
    const range = { until: null, before: null, commitment: 'finalized', upToSlot: finalized, most: 1 } as const
    const { signatures } = await node.signaturesOf(account, range)
    const [newest] = await node.transactions(
      signatures.map(({ signature }) => signature),
      'finalized',
    )
    if (newest) oddities.push(oddityOf('OTHER_ACCOUNT', newest, { account, mint, owner, value }))
  }
  return oddities
}
