import { afterAll } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { startChainsProcess } from '../../../src/commands/processes/chains-process.ts'
import type { ChainControl } from '../../../src/sandbox/chains/control.ts'
import { makeFolder } from '../runner/folder.ts'
import { compileCache } from '../runner/process.ts'

export type TestChains = {
  control: ChainControl
  rpcUrls: Record<EvmNetwork, string>
  /** The settings that point a service under test at these chains. */
  settings: Record<string, string>
  /** The folder with the journals. */
  folder: string
  kill(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the five local chains in a process of their own, as `svc dev` does, until the test file ends. Pass the folder
 * of earlier chains to start those again. For reorganizations: `finalityBlocks: 65`, then `control.pause(network)` and
 * `control.mine(network, { blocks })`, so that blocks do not become final by themselves.
 */
export async function startLocalChains(
  options: { folder?: string; finalityBlocks?: number } = {},
): Promise<TestChains> {
  const made = options.folder === undefined ? await makeFolder('svc chains ') : undefined
  const folder = options.folder ?? made?.folder ?? ''
  const { PATH = '', HOME = '' } = process.env
  const log = { warn: () => {}, error: () => {} }
  const { child, control, rpcUrls, stop } = await startChainsProcess(log, {
    PATH,
    HOME,
    ...compileCache,
    SVC_DATA_DIR: folder,
    SVC_SANDBOX_CHAINS_PORT: '0',
    SVC_SANDBOX_FINALITY_BLOCKS: String(options.finalityBlocks ?? 2),
    SVC_LOG_LEVEL: 'warn',
  })
  afterAll(async () => {
    await stop()
    await made?.remove()
  })
  const settings = Object.fromEntries(
    Object.entries(rpcUrls).map(([network, url]) => [`SVC_${network}_RPC_URLS`, url] as const),
  )
  const kill = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      child().once('exit', () => resolve())
      child().kill(signal)
    })
  return { control, rpcUrls, settings, folder, kill, stop }
}
