import { chainOf, type Environment, scaleOf, tokenAssets } from '../../catalog/currencies.ts'
import { milliCoin } from '../../catalog/gas.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database } from '../../db/database.ts'
import { readFinalHead } from './final-head.ts'
import { type Funds, recordFunds } from './funds-store.ts'
import { readTokenBalance } from './preparation.ts'
import type { PayingNetwork } from './relayer.ts'

/** The least funds of a network: coins in thousandths, tokens in whole units. */
export type LeastFunds = { lowCoins: number; lowTreasury: number }

type FundsDeps = Pick<PayingNetwork, 'node' | 'finality'> & {
  database: Database
  environment: Environment
  custody: Pick<CustodyService, 'findServiceAddress' | 'listTreasuries'>
  least: LeastFunds
  /** Tells that a relayer or treasury has become low. */
  onLow(funds: Funds): void
}

/** Measures the coins of the relayer and the tokens of all treasuries at a final block of the network. */
export async function measureFunds(deps: FundsDeps): Promise<void> {
  const { node, database, custody, environment, least } = deps
  const { network } = node
  const block = await readFinalHead(node, deps.finality)
  const funds: Funds[] = []
  const relayer = await custody.findServiceAddress('EVM', 'RELAYER')
  if (relayer !== undefined) {
    const balance = await node.balanceAt(relayer, block)
    funds.push({
      network,
      asset: nativeAssetOf(network),
      holder: 'RELAYER',
      balance,
      least: BigInt(least.lowCoins) * milliCoin,
      // The sandbox gives a relayer its coins with the first payout.
      isExpected: balance > 0n || environment === 'production',
    })
  }
  const treasuries = await custody.listTreasuries('EVM')
  for (const asset of tokenAssets.filter((each) => chainOf(each) === network)) {
    const { contract } = tokenDomainOf(environment, asset)
    const balances = await Promise.all(treasuries.map((each) => readTokenBalance(node, contract, each, block)))
    const balance = balances.reduce((sum, each) => sum + each, 0n)
    const unit = 10n ** BigInt(scaleOf(asset))
    const low = BigInt(least.lowTreasury) * unit
    funds.push({ network, asset, holder: 'TREASURY', balance, least: low, isExpected: balance > 0n })
  }
  const isLow = new Set((await recordFunds(database, funds)).map(({ asset }) => asset))
  for (const each of funds) if (isLow.has(each.asset)) deps.onLow(each)
}
