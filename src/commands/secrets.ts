import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Config, sandboxKeyPrefix } from '../config.ts'
import type { OrganizationService } from '../organizations/service.ts'

/** The setting, or, in a sandbox, a key of its own that stays in the data folder. Production always has the setting. */
export async function loadMasterKey(config: Config): Promise<Buffer> {
  const text = config.masterKey ?? (await ensureSandboxKey(config.dataFolder))
  return Buffer.from(text.replace(sandboxKeyPrefix, ''), 'base64')
}

async function ensureSandboxKey(dataFolder: string): Promise<string> {
  const file = path.join(dataFolder, 'master.key')
  const existing = await readIfThere(file)
  if (existing) return existing.trim()
  await mkdir(dataFolder, { recursive: true })
  const made = sandboxKeyPrefix + randomBytes(32).toString('base64')
  try {
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' })
    return made
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    return (await readFile(file, 'utf8')).trim() // another process was first
  }
}

/** Keeps the local key in dev.env, so that scripts find the running service; makes a new one when it no longer works. */
export async function writeDevEnv(
  dataFolder: string,
  baseUrl: string,
  organizations: OrganizationService,
): Promise<string> {
  const file = path.join(dataFolder, 'dev.env')
  const known = /^SVC_API_KEY=(\S+)$/m.exec((await readIfThere(file)) ?? '')?.[1] ?? ''
  const apiKey = (await organizations.authenticate(known))
    ? known
    : (await organizations.createFullKey('Local development')).apiKey
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `SVC_BASE_URL=${baseUrl}\nSVC_API_KEY=${apiKey}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
  return apiKey
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
