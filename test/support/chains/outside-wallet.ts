import { createPublicClient, createWalletClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { chainIds, type EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { type TokenAsset, tokens } from '../../../src/catalog/currencies.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { TestChains } from './local-chains.ts'

export const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
])

export type OutsideWallet = Awaited<ReturnType<typeof openOutsideWallet>>

export function contractOf(network: EvmNetwork, currency = 'USDC'): Hex {
  return tokens[`${currency}/${network}` as TokenAsset].testContract as Hex
}

/** A wallet of a stranger with coins and tokens, and an independent client that reads the chain. */
export async function openOutsideWallet({ control, rpcUrls }: TestChains, network: EvmNetwork, currency = 'USDC') {
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  const url = rpcUrls[network]
  const transport = http(url)
  const chain = {
    id: chainIds.sandbox[network],
    name: network,
    nativeCurrency: { name: 'coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  }
  const client = createPublicClient({ transport, pollingInterval: 20 })
  const wallet = createWalletClient({ account, chain, transport })
  await control.faucet(network, { key: newId(), address, currency: 'NATIVE', amount: String(10n ** 20n) })
  await control.faucet(network, { key: newId(), address, currency, amount: String(10n ** 12n) })
  const token = contractOf(network, currency)
  // Fixed, so that a transaction which will fail leaves all the same.
  const gas = 500_000n
  return {
    address,
    client,
    wallet,
    token,
    /** Calls a contract; returns the transaction's hash. */
    send: (to: Hex, data: Hex, value = 0n): Promise<Hex> => wallet.sendTransaction({ to, data, value, gas }),
    transfer: (to: string, units: bigint, contract: Hex = token): Promise<Hex> =>
      wallet.writeContract({
        address: contract,
        abi: tokenAbi,
        functionName: 'transfer',
        args: [to as Hex, units],
        gas,
      }),
    /** Signs a transfer that anyone can send, more than once. */
    signTransfer: async (to: string, units: bigint): Promise<Hex> => {
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to as Hex, units] })
      return wallet.signTransaction(await wallet.prepareTransactionRequest({ to: token, data, gas }))
    },
    approve: (spender: string, units: bigint): Promise<Hex> =>
      wallet.writeContract({
        address: token,
        abi: tokenAbi,
        functionName: 'approve',
        args: [spender as Hex, units],
        gas,
      }),
    deploy: async (bytecode: Hex): Promise<Hex> => {
      const hash = await wallet.sendTransaction({ data: bytecode, gas: 5_000_000n } as never)
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      return contractAddress as Hex
    },
    balanceOf: (of: string): Promise<bigint> =>
      client.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [of as Hex] }),
    receipt: (hash: Hex) => client.waitForTransactionReceipt({ hash }),
  }
}
