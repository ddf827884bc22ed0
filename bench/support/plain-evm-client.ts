import { setTimeout } from 'node:timers/promises'
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { EvmNetwork } from '../../src/catalog/chain-ids.ts'
import { tokens } from '../../src/catalog/currencies.ts'
import { newId } from '../../src/lib/ids.ts'
import type { ChainControl } from '../../src/sandbox/chains/control.ts'

const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)'])
const gas = 100_000n
const pollMs = 20

/** An outside reference that has no code of Svc. */
export type PlainClient = {
  /** Signs transfers, then answers the seconds from the first broadcast until all are final. */
  transferAll(receiver: string, count: number): Promise<number>
}

/** A client that knows only viem and a node: it broadcasts transfers that it has signed, with nonces that it counts. */
export async function openPlainEvmClient(
  network: EvmNetwork,
  rpcUrl: string,
  control: ChainControl,
): Promise<PlainClient> {
  const account = privateKeyToAccount(generatePrivateKey())
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), pollingInterval: pollMs })
  for (const [currency, amount] of [
    ['NATIVE', 10n ** 21n],
    ['USDC', 10n ** 12n],
  ] as const)
    await control.faucet(network, { key: newId(), address: account.address, currency, amount: String(amount) })
  const chainId = await client.getChainId()
  const to = tokens[`USDC/${network}`].testContract as Hex
  let nonce = await client.getTransactionCount({ address: account.address })

  /** Waits until the block of every transaction is final, and requires that each has succeeded. */
  const awaitFinal = async (hashes: readonly Hex[]): Promise<void> => {
    const receipts = await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
    if (receipts.some(({ status }) => status !== 'success')) throw new Error('a transfer of the reference reverted')
    const isFinal = async () => {
      const { number } = await client.getBlock({ blockTag: 'finalized' })
      return receipts.every(({ blockNumber }) => blockNumber <= number)
    }
    while (!(await isFinal())) await setTimeout(pollMs)
  }
  return {
    transferAll: async (receiver, count) => {
      const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
      const data = encodeFunctionData({ abi, functionName: 'transfer', args: [receiver as Hex, 1_000_000n] })
      const fees = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas }
      const signed: Hex[] = []
      for (let made = 0; made < count; made += 1) {
        const transaction = { type: 'eip1559', chainId, nonce, to, data, gas, ...fees } as const
        signed.push(await account.signTransaction(transaction))
        nonce += 1
      }
      const started = performance.now()
      const hashes = await Promise.all(
        signed.map((serializedTransaction) => client.sendRawTransaction({ serializedTransaction })),
      )
      await awaitFinal(hashes)
      return (performance.now() - started) / 1_000
    },
  }
}
