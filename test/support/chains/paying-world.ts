import { createPublicClient, type Hex, http } from 'viem'
import { afterAll } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { createAccount, externalWalletOf, serviceWalletOf } from '../money/payment-accounts.ts'
import { makeActive } from '../money/quotes.ts'
import { startWithWorkers } from '../money/transactions.ts'
import { makeEvmAddress } from '../money/wallet-addresses.ts'
import { eventually } from '../runner/eventually.ts'
import { startLocalChains } from './local-chains.ts'
import { contractOf, tokenAbi } from './outside-wallet.ts'

export type PayingWorld = Awaited<ReturnType<typeof startPaying>>

/** The service with workers that pay on local chains, a customer, and a client of the chains that is not ours. */
export async function startPaying(
  options: { settings?: Record<string, string>; finalityBlocks?: number; country?: string } = {},
) {
  const { finalityBlocks } = options
  const chains = await startLocalChains(finalityBlocks === undefined ? {} : { finalityBlocks })
  const settings = { ...chains.settings, ...options.settings }
  const api = await startWithWorkers(settings, undefined, chains)
  afterAll(api.stop)
  const { customerId, organizationId } = await makeActive(api, options.country ?? 'US')
  const rows = <Row extends object>(text: string, values: unknown[] = []) =>
    api.app.database.query<Row>({ text, values })
  const clientOf = (network: EvmNetwork) => createPublicClient({ transport: http(chains.rpcUrls[network]) })
  const balanceOf = (network: EvmNetwork, address: string, currency = 'USDC'): Promise<bigint> =>
    clientOf(network).readContract({
      address: contractOf(network, currency),
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [address as Hex],
    })
  return {
    api,
    chains,
    settings,
    customerId,
    organizationId,
    rows,
    clientOf,
    balanceOf,
    /** Waits for a state of the world while the scanners look at once. */
    until: <Result>(check: () => Promise<Result> | Result): Promise<Result> =>
      eventually(() => {
        api.app.chains.wake()
        return check()
      }),
    makeWallet: async () => {
      const { paymentAccountId, svcCryptoWallet } = await createAccount(api, serviceWalletOf(customerId))
      return { wallet: paymentAccountId, address: svcCryptoWallet?.address.address ?? '' }
    },
    makeExternal: async (chain: EvmNetwork, currency = 'USDC') => {
      const address = makeEvmAddress()
      const { paymentAccountId } = await createAccount(api, externalWalletOf(customerId, { chain, currency, address }))
      return { external: paymentAccountId, address }
    },
  }
}
