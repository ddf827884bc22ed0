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

export function withdrawLocalNodes(dataFolder: string, family: string): Promise<void> {
  return rm(fileOf(dataFolder, family), { force: true })
}

/** The settings with the chains that `svc dev` runs on this data folder now, for an operator's command. */
export async function withRunningNodes(config: Config): Promise<Config> {
  if (config.environment === 'production') return config
  const [evm, solana] = await Promise.all([readNodes(config, 'evm'), readNodes(config, 'solana')])
  return withLocalNodes(config, { ...evm, ...solana })
}

async function readNodes({ dataFolder }: Config, family: string): Promise<RpcUrls> {
  try {
    return JSON.parse(await readFile(fileOf(dataFolder, family), 'utf8')) as RpcUrls
  } catch {
    return {}
  }
}
