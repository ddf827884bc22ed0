import { chainOf, isFiat, labelOf, type Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { nativeCurrency } from '../../sandbox/chains/networks.ts'
import type { OutsideGift } from '../../transactions/liquidity.ts'
import { fundRelayer } from '../../transactions/treasury/gas.ts'
import type { Deps } from '../deps.ts'

/** The coins with which a relayer of the sandbox begins, in the smallest unit: ten thousand. */
export const sandboxCoins = 10n ** 22n
const sandboxSol = 10n ** 13n

/** Gives the sandbox's treasury and relayers what the ledger says they have, from the faucets of the local chains. */
export function createChainFunding(
  { localChains, database, config }: Pick<Deps, 'localChains' | 'database' | 'config'>,
  { custody, ledger }: { custody: CustodyService; ledger: LedgerService },
) {
  if (!localChains) return {}
  return {
    fundOutside: async ({ key, holding, asset, amount }: OutsideGift): Promise<void> => {
      const network = isFiat(asset) ? undefined : chainOf(asset)
      // A network without nodes is simulated in memory.
      if (holding !== 'TREASURY' || !network || config.chains.networks[network].rpcUrls.length === 0) return
      const address = await custody.findServiceAddress(kindOf(network), 'TREASURY')
      if (address === undefined) throw new Error('the signer has published no treasury yet')
      await localChains.faucet(network, {
        key,
        address,
        currency: labelOf(asset),
        amount: String(amount),
      })
    },

    fundRelayer: async (network: Network, address: string): Promise<void> => {
      const amount = network === 'SOLANA' ? sandboxSol : sandboxCoins
      const gift = { key: `relayer ${address}`, address, currency: nativeCurrency, amount: String(amount) }
      await localChains.faucet(network, gift)
      await fundRelayer({ database, ledger }, { network, address, amount })
    },
  }
}
