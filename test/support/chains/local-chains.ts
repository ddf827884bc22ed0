import { afterAll } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { type ChainFamily, startChainsProcess } from '../../../src/commands/processes/chains-process.ts'
import type { ChainControl } from '../../../src/sandbox/chains/control.ts'
import { makeFolder } from '../runner/folder.ts'
import { compileCache } from '../runner/process.ts'

export type TestChains<Network extends string = EvmNetwork> = {
  control: ChainControl
  rpcUrls: Record<Network, string>
  /** The settings that point a service under test at these chains. */
  settings: Record<string, string>
  /** The folder with the journals. */
  folder: string
  /** The process of the chains. */
  pid(): number | undefined
  kill(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

type ChainOptions = { folder?: string; finalityBlocks?: number }

/**
 * Starts the five local chains in a process of their own, as `svc dev` does, until the test file ends. Pass the folder
 * of earlier chains to start those again. For reorganizations: `finalityBlocks: 65`, then `control.pause(network)` and
 * `control.mine(network, { blocks })`, so that blocks do not become final by themselves.
 */
export function startLocalChains(options: ChainOptions = {}): Promise<TestChains> {
  return start('evm', options, {})
}

/** Starts the local chain of SOLANA in the same way. A slot takes `slotMs`, and a blockhash is valid for 150 slots. */
export function startLocalSolana(options: ChainOptions & { slotMs?: number } = {}): Promise<TestChains<'SOLANA'>> {
  return start('solana', options, { SVC_SANDBOX_SLOT_MS: String(options.slotMs ?? 100) })
}

async function start<Network extends string>(
  family: ChainFamily,
  options: ChainOptions,
  more: Record<string, string>,
): Promise<TestChains<Network>> {
  const made = options.folder === undefined ? await makeFolder('svc chains ') : undefined
  const folder = options.folder ?? made?.folder ?? ''
  const { PATH = '', HOME = '' } = process.env
  const log = { warn: () => {}, error: () => {} }
  const { child, control, rpcUrls, stop } = await startChainsProcess(family, log, {
    PATH,
    HOME,
    ...compileCache,
    ...more,
    SVC_DATA_DIR: folder,
    SVC_SANDBOX_CHAINS_PORT: '0',
    SVC_SANDBOX_SOLANA_PORT: '0',
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
  return { control, rpcUrls: rpcUrls as Record<Network, string>, settings, folder, pid: () => child().pid, kill, stop }
}
