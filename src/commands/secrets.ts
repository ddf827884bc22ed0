import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../config.ts'
import type { CredentialService } from '../credentials/service.ts'
import { sandboxKeyPrefix } from '../lib/settings/keys.ts'
import { isZeroKey } from '../lib/settings/safety.ts'

export type MasterKeyTexts = { current: Buffer; previous: Buffer[] }

/** Loads the master keys from the setting or its file. A sandbox without either creates a key in its data folder. */
export async function loadMasterKeys(config: Config): Promise<MasterKeyTexts> {
  const { masterKey, masterKeyFile, previousMasterKeys } = config
  const text =
    masterKey ??
    (masterKeyFile
      ? await readFile(masterKeyFile, 'utf8')
      : await ensureSandboxKey(path.join(config.dataFolder, 'master.key')))
  return { current: checkKey(text, config, 'SVC_MASTER_KEY_FILE'), previous: previousMasterKeys.map(decodeKey) }
}

/** Loads the key that seals the seeds. Only the signer and the custody commands call it. */
export async function loadSignerKey(config: Config): Promise<Buffer> {
  const { signerKey, signerKeyFile, dataFolder } = config
  const text =
    signerKey ??
    (signerKeyFile
      ? await readFile(signerKeyFile, 'utf8')
      : await ensureSandboxKey(path.join(dataFolder, 'signer', 'signer.key'), 0o700))
  return checkKey(text, config, 'SVC_SIGNER_KEY_FILE')
}

function checkKey(text: string, { environment }: Config, setting: string): Buffer {
  const key = decodeKey(text)
  const isSandboxKey = text.trim().startsWith(sandboxKeyPrefix)
  if (key.length === 32 && !isZeroKey(text, sandboxKeyPrefix) && !(isSandboxKey && environment === 'production'))
    return key
  throw new Error(`${setting} must hold 32 random bytes in base64, and in production no key that a sandbox created.`)
}

function decodeKey(text: string): Buffer {
  return Buffer.from(text.trim().replace(sandboxKeyPrefix, ''), 'base64')
}

async function ensureSandboxKey(file: string, folderMode = 0o777): Promise<string> {
  const existing = await readIfThere(file)
  if (existing) return existing.trim()
  await mkdir(path.dirname(file), { recursive: true, mode: folderMode })
  const created = sandboxKeyPrefix + randomBytes(32).toString('base64')
  try {
    await writeFile(file, `${created}\n`, { mode: 0o600, flag: 'wx' })
    return created
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    return (await readFile(file, 'utf8')).trim() // another process was first
  }
}

const devEnv = (dataFolder: string) => path.join(dataFolder, 'dev.env')

/** Returns the API key of dev.env, or creates one when there is none or it no longer works. */
export async function ensureDevKey(dataFolder: string, credentials: CredentialService): Promise<string> {
  const text = (await readIfThere(devEnv(dataFolder))) ?? ''
  const known = /^SVC_API_KEY=(\S+)$/m.exec(text)?.[1] ?? ''
  if (await credentials.authenticate(known, '127.0.0.1')) return known
  return (await credentials.createFullKey('Local development')).apiKey
}

/** Writes the address and API key of the running service to dev.env, for scripts. */
export async function writeDevEnv(dataFolder: string, baseUrl: string, apiKey: string): Promise<void> {
  const draft = `${devEnv(dataFolder)}.${process.pid}`
  await writeFile(draft, `SVC_BASE_URL=${baseUrl}\nSVC_API_KEY=${apiKey}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, devEnv(dataFolder))
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
