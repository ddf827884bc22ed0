import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { type Asset, chainOf, isFiat, labelOf } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { nativeCurrency } from '../../sandbox/chains/networks.ts'
import type { OutsideGift } from '../../transactions/liquidity.ts'
import { fundRelayer } from '../../transactions/treasury/gas.ts'
import type { Deps } from '../deps.ts'

/** The coins with which a relayer of the sandbox begins, in the smallest unit. */
export const sandboxCoins = 10n ** 22n

/** Gives the sandbox's treasury and relayers what the ledger says they have, from the faucets of the local chains. */
export function createChainFunding(
  { localChains, database }: Pick<Deps, 'localChains' | 'database'>,
  { custody, ledger }: { custody: CustodyService; ledger: LedgerService },
) {
  if (!localChains) return {}
  return {
    fundOutside: async ({ key, holding, asset, amount }: OutsideGift): Promise<void> => {
      const network = localNetworkOf(asset)
      if (holding !== 'TREASURY' || !network) return
      const address = await custody.findServiceAddress('EVM', 'TREASURY')
      if (address === undefined) throw new Error('the signer has published no treasury yet')
      await localChains.faucet(network, { key, address, currency: labelOf(asset), amount: String(amount) })
    },

    fundRelayer: async (network: EvmNetwork, address: string): Promise<void> => {
      const gift = { key: `relayer ${address}`, address, currency: nativeCurrency, amount: String(sandboxCoins) }
      await localChains.faucet(network, gift)
      await fundRelayer({ database, ledger }, { network, address, amount: sandboxCoins })
    },
  }
}

function localNetworkOf(asset: Asset): EvmNetwork | undefined {
  const network = isFiat(asset) ? undefined : chainOf(asset)
  return network !== undefined && kindOf(network) === 'EVM' ? (network as EvmNetwork) : undefined
}
