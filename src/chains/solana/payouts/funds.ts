import type { TokenAsset } from '../../../catalog/currencies.ts'
import { scaleOf } from '../../../catalog/currencies.ts'
import { milliSol } from '../../../catalog/gas.ts'
import { nativeAssetOf } from '../../../catalog/native-coins.ts'
import type { CustodyService } from '../../../custody/service.ts'
import type { Database } from '../../../db/database.ts'
import { associatedAccountOf } from '../../../lib/solana/token-account.ts'
import type { LeastFunds } from '../../payouts/funds.ts'
import { type Funds, recordFunds } from '../../payouts/funds-store.ts'
import type { SolanaNode } from '../node.ts'
import { balanceIn } from '../scanner/read.ts'

type FundsDeps = {
  node: SolanaNode
  database: Database
  tokens: readonly { asset: TokenAsset; mint: string }[]
  custody: Pick<CustodyService, 'findServiceAddress' | 'listTreasuries'>
  isProduction: boolean
  least: LeastFunds
  /** Tells that a relayer or treasury has become low. */
  onLow(funds: Funds): void
}

/** Measures the coins of the relayer and the tokens of all treasuries in a final state of Solana. */
export async function measureSolanaFunds(deps: FundsDeps): Promise<void> {
  const { node, database, custody, tokens, least, isProduction } = deps
  const { network } = node
  const at = { commitment: 'finalized', minSlot: (await node.slots()).finalized } as const
  const funds: Funds[] = []
  const relayer = await custody.findServiceAddress('SOLANA', 'RELAYER')
  if (relayer !== undefined) {
    const [account] = await node.accounts([relayer], at)
    const balance = account?.lamports ?? 0n
    funds.push({
      network,
      asset: nativeAssetOf(network),
      holder: 'RELAYER',
      balance,
      least: BigInt(least.lowCoins) * milliSol,
      // The sandbox gives a relayer its coins with the first payout.
      isExpected: balance > 0n || isProduction,
    })
  }
  const treasuries = await custody.listTreasuries('SOLANA')
  for (const { asset, mint } of tokens) {
    const states = await node.accounts(
      treasuries.map((address) => associatedAccountOf(address, mint)),
      at,
    )
    const balance = treasuries.reduce((sum, owner, place) => sum + balanceIn({ owner }, mint, states[place]), 0n)
    const low = BigInt(least.lowTreasury) * 10n ** BigInt(scaleOf(asset))
    funds.push({ network, asset, holder: 'TREASURY', balance, least: low, isExpected: balance > 0n })
  }
  const isLow = new Set((await recordFunds(database, funds)).map(({ asset }) => asset))
  for (const each of funds) if (isLow.has(each.asset)) deps.onLow(each)
}
