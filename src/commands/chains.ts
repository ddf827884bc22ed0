import path from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { type Channel, createNewsSender, serveControl } from '../sandbox/chains/channel.ts'
import type { LocalChains } from '../sandbox/chains/control.ts'
import type { ChainFamily } from './processes/chains-process.ts'
import { publishLocalNodes, withdrawLocalNodes } from './processes/local-nodes.ts'
import type { Running } from './serve.ts'
import { lockChains } from './start/data-folder.ts'

/** The process that has started this one, if any. */
const parent: Channel = {
  // A parent that stops at this moment does not read it.
  send: (message) => void (process.connected && process.send?.(message as object, undefined, undefined, () => {})),
  onMessage: (listener) => void process.on('message', listener),
}

/**
 * Runs the sandbox's EVM networks, or SOLANA. A parent process controls them through its channel, and names the port when
 * it starts them again.
 */
export async function startChains(
  config: Config,
  log: Logger,
  family: ChainFamily,
  formerPort?: string,
): Promise<Running> {
  const lock = await lockChains(config.dataFolder, family)
  const chains = await openChains(config, log, family, formerPort)
  await publishLocalNodes(config.dataFolder, family, chains.rpcUrls)
  log.info({ rpcUrls: chains.rpcUrls }, 'the local chains are running')
  if (process.connected) {
    serveControl(chains.control, parent)
    parent.send({ rpcUrls: chains.rpcUrls })
  }
  return {
    stop: async () => {
      await withdrawLocalNodes(config.dataFolder, family, chains.rpcUrls)
      await chains.close()
      await lock.release()
    },
  }
}

// Each process loads only the runtime of its own chains.
async function openChains(
  { localChains: { ports, finalityBlocks, slotMs }, dataFolder }: Config,
  log: Logger,
  family: ChainFamily,
  formerPort: string | undefined,
): Promise<LocalChains> {
  const { number, isExplicit } = ports[family]
  const options = {
    port: formerPort === undefined ? number : Number(formerPort),
    mayMove: formerPort === undefined && !isExplicit,
    folder: path.join(dataFolder, 'chains'),
    finalityLag: finalityBlocks,
    clock: { offsetMs: 0 },
    onNews: createNewsSender(parent),
    onLost: (error: unknown) => {
      log.error({ err: error }, 'a local chain differs from its journal: the process ends and begins from the journal')
      process.exit(1)
    },
  }
  if (family === 'evm') return (await import('../sandbox/chains/evm/world.ts')).openEvmChains(options)
  return (await import('../sandbox/chains/solana/world.ts')).openSolana({ ...options, slotMs })
}
