import path from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { serveControl } from '../sandbox/chains/channel.ts'
import { openLocalChains } from '../sandbox/chains/world.ts'
import type { Running } from './serve.ts'

/**
 * Runs the sandbox's EVM networks. A parent process controls them through its channel, and names the port when it starts
 * them again.
 */
export async function startChains(config: Config, log: Logger, formerPort?: string): Promise<Running> {
  const { port, finalityBlocks } = config.localChains
  const chains = await openLocalChains({
    port: formerPort === undefined ? port.number : Number(formerPort),
    mayMove: formerPort === undefined && !port.isExplicit,
    folder: path.join(config.dataFolder, 'chains'),
    finalityLag: finalityBlocks,
    clock: { offsetMs: 0 },
    onLost: (error) => {
      log.error({ err: error }, 'a local chain differs from its journal: the process ends and begins from the journal')
      process.exit(1)
    },
  })
  log.info({ rpcUrls: chains.rpcUrls }, 'the local chains are running')
  if (process.connected) {
    serveControl(chains.control, {
      send: (message) => process.connected && process.send?.(message as object),
      onMessage: (listener) => process.on('message', listener),
    })
    process.send?.({ rpcUrls: chains.rpcUrls })
  }
  return { stop: chains.close }
}
