import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../config.ts'
import type { CredentialService } from '../credentials/service.ts'
import { sandboxKeyPrefix } from '../lib/settings/keys.ts'
import { isZeroKey } from '../lib/settings/safety.ts'
import { explainUnreadable } from './start/explain.ts'

export type MasterKeyTexts = { current: Buffer; previous: Buffer[] }

/** Loads the master keys from the setting or its file. A sandbox without either creates a key in its data folder. */
export async function loadMasterKeys(config: Config): Promise<MasterKeyTexts> {
  const { masterKey, masterKeyFile, previousMasterKeys, dataFolder } = config
  const place = keyPlace('SVC_MASTER_KEY', masterKeyFile, path.join(dataFolder, 'master.key'))
  const text = masterKey ?? (await readKey(place))
  return { current: checkKey(text, config, place), previous: previousMasterKeys.map(decodeKey) }
}

/** Loads the key that seals the seeds. Only the signer and the custody commands call it. */
export async function loadSignerKey(config: Config): Promise<Buffer> {
  const { signerKey, signerKeyFile, dataFolder } = config
  const place = keyPlace('SVC_SIGNER_KEY', signerKeyFile, path.join(dataFolder, 'signer', 'signer.key'))
  return checkKey(signerKey ?? (await readKey(place, 0o700)), config, place)
}

/** The file of a key, and its name in messages. Only the sandbox's own key is created when it is missing. */
type KeyPlace = { file: string; name: string; isOwn: boolean }

function keyPlace(setting: string, file: string | undefined, own: string): KeyPlace {
  if (file === undefined) return { file: own, name: `the key file ${own}`, isOwn: true }
  return { file, name: `${setting}_FILE (${file})`, isOwn: false }
}

async function readKey({ file, name, isOwn }: KeyPlace, folderMode?: number): Promise<string> {
  try {
    return isOwn ? await ensureSandboxKey(file, folderMode) : await readFile(file, 'utf8')
  } catch (error) {
    throw explainUnreadable(error as Error, name, file)
  }
}

function checkKey(text: string, { environment }: Config, { name, isOwn }: KeyPlace): Buffer {
  const key = decodeKey(text)
  const isSandboxKey = text.trim().startsWith(sandboxKeyPrefix)
  if (key.length === 32 && !isZeroKey(text, sandboxKeyPrefix) && !(isSandboxKey && environment === 'production'))
    return key
  const rule = `must hold 32 random bytes in base64${environment === 'production' ? ', and no key of a sandbox' : ''}`
  const remedy = isOwn
    ? 'Put its backup back: without this key the stored data cannot be read. "svc reset" starts an empty sandbox.'
    : 'Write the key that this deployment has used so far into it.'
  throw new Error(`${name.replace(/^t/, 'T')} is damaged: it ${rule}. ${remedy}`)
}

function decodeKey(text: string): Buffer {
  return Buffer.from(text.trim().replace(sandboxKeyPrefix, ''), 'base64')
}

async function ensureSandboxKey(file: string, folderMode = 0o777): Promise<string> {
  const existing = await readIfThere(file)
  if (existing !== undefined) return existing.trim()
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
