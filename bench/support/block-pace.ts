import type { Network } from '../../src/catalog/currencies.ts'
import type { ChainControl } from '../../src/sandbox/chains/control.ts'

/** The usual time between two blocks of a network, in milliseconds. */
const blockMs: Readonly<Record<Network, number>> = {
  ARBITRUM: 250,
  BASE: 2_000,
  ETHEREUM: 12_000,
  OPTIMISM: 2_000,
  POLYGON: 2_000,
  SOLANA: 400,
}

/** Lets a local chain make one block after each block time of its network, and none in between. */
export async function startPace(control: ChainControl, network: Network) {
  const { finalityLag } = await control.pause(network)
  let mining = Promise.resolve()
  const timer = setInterval(() => {
    mining = mining.then(async () => void (await control.mine(network, { blocks: 1 })))
  }, blockMs[network])
  return {
    description: `a block every ${blockMs[network] / 1_000} s, final ${finalityLag} blocks later`,
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await mining
      await control.resume(network)
    },
  }
}
