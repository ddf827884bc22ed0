import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Network } from '../../catalog/currencies.ts'
import type { Config } from '../../config.ts'
import { withLocalNodes } from './chains-process.ts'

type RpcUrls = Partial<Record<Network, string>>

const fileOf = (dataFolder: string, family: string) => path.join(dataFolder, 'chains', `${family}-nodes.json`)

/** Tells commands of other processes where the local chains of this data folder listen. */
export async function publishLocalNodes(dataFolder: string, family: string, rpcUrls: RpcUrls): Promise<void> {
  await writeFile(fileOf(dataFolder, family), JSON.stringify(rpcUrls), { mode: 0o600 })
}

/** Withdraws what `publishLocalNodes` wrote, unless another process has published its own nodes since. */
export async function withdrawLocalNodes(dataFolder: string, family: string, rpcUrls: RpcUrls): Promise<void> {
  const published = await readLocalNodes(dataFolder, family)
  if (JSON.stringify(published) === JSON.stringify(rpcUrls)) await rm(fileOf(dataFolder, family), { force: true })
}

/** The settings with the chains that `svc dev` runs on this data folder now, for an operator's command. */
export async function withRunningNodes(config: Config): Promise<Config> {
  if (config.environment === 'production') return config
  const [evm, solana] = await Promise.all([
    readLocalNodes(config.dataFolder, 'evm'),
    readLocalNodes(config.dataFolder, 'solana'),
  ])
  return withLocalNodes(config, { ...evm, ...solana })
}

export async function readLocalNodes(dataFolder: string, family: string): Promise<RpcUrls> {
  try {
    return JSON.parse(await readFile(fileOf(dataFolder, family), 'utf8')) as RpcUrls
  } catch {
    return {}
  }
}
