import { type EvmNetwork, evmNetworks } from '../../catalog/chain-ids.ts'
import { type Network, type TokenAsset, tokens } from '../../catalog/currencies.ts'

/** The name of a network's own coin in requests to the faucet. */
export const nativeCurrency = 'NATIVE'

export function isEvmNetwork(text: string): text is EvmNetwork {
  return (evmNetworks as readonly string[]).includes(text)
}

/** The tokens of a network: label and contract address. EVM addresses are in lower case. */
export function tokensOn(network: Network): { label: string; contract: string }[] {
  return (Object.keys(tokens) as TokenAsset[])
    .filter((asset) => asset.endsWith(`/${network}`))
    .map((asset) => ({
      label: asset.split('/')[0] ?? '',
      contract: writeContract(network, tokens[asset].testContract),
    }))
}

function writeContract(network: Network, contract: string): string {
  return isEvmNetwork(network) ? contract.toLowerCase() : contract
}
