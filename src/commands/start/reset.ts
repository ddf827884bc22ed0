import { readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Config } from '../../config.ts'
import { removeCluster } from '../../db/embedded/remove.ts'
import type { Logger } from '../../http/log.ts'
import { sandboxKeyPrefix } from '../../lib/settings/keys.ts'
import { readLocalNodes } from '../processes/local-nodes.ts'
import { lockDataFolder } from './data-folder.ts'

/** Everything that a sandbox keeps in its data folder beside the database. Other files stay. */
const sandboxFiles = ['chains', 'bank', 'blobs', 'signer', 'master.key', 'dev.env', 'database.json', 'locks']

/**
 * Deletes the sandbox of the data folder, so that the next start creates a new one. Otherwise the sandbox's business
 * time never goes back.
 */
export async function runReset(
  config: Config,
  log: Pick<Logger, 'info'>,
  print: (line: string) => void,
  { isConfirmed }: { isConfirmed: boolean },
): Promise<number> {
  const { dataFolder } = config
  await requireSandbox(config)
  await requireStopped(dataFolder)
  print(`This deletes the sandbox in ${dataFolder}: its database, documents, keys, chains, bank files and clock.`)
  if (!isConfirmed && !(await ask('Type "reset" to delete it: '))) {
    print('\nNothing was deleted. "svc reset --yes" does not ask.')
    return 1
  }
  const lock = await lockDataFolder(dataFolder)
  try {
    await removeCluster(path.join(dataFolder, 'postgres'), (message) => log.info(message))
    for (const name of sandboxFiles) await rm(path.join(dataFolder, name), { recursive: true, force: true })
  } finally {
    await lock.release()
  }
  print('The sandbox is deleted. The next "npm start" or "svc dev" creates a new one, with a new API key.')
  return 0
}

async function requireSandbox({ environment, databaseUrl, dataFolder }: Config): Promise<void> {
  if (environment === 'production')
    throw new Error('"svc reset" is for the sandbox only. It deletes nothing in production.')
  if (databaseUrl !== undefined)
    throw new Error(
      '"svc reset" deletes the sandbox of a data folder, not the database of DATABASE_URL. ' +
        'Drop and create that database, run "svc migrate", and unset DATABASE_URL for "svc reset".',
    )
  const key = await readFile(path.join(dataFolder, 'master.key'), 'utf8').catch(() => undefined)
  // A shell may lack the settings of a production whose documents are here. It has neither of these.
  const isSandbox = key?.startsWith(sandboxKeyPrefix) || (await isFolder(path.join(dataFolder, 'postgres')))
  if (!isSandbox)
    throw new Error(`${dataFolder} holds no sandbox: it has no database and no key of one. Nothing was deleted.`)
  // A sandbox marks the keys that it creates. A damaged one is no reason to keep the sandbox; another's key is.
  const isForeign = key !== undefined && !key.startsWith(sandboxKeyPrefix) && /^[\w+/]{43}=\s*$/.test(key)
  if (isForeign) throw new Error(`${dataFolder} holds a master key that no sandbox created. Svc does not delete it.`)
}

function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Refuses while local chains of this folder listen. A running database is found by its own lock. */
async function requireStopped(dataFolder: string): Promise<void> {
  for (const family of ['evm', 'solana']) {
    for (const address of Object.values(await readLocalNodes(dataFolder, family)))
      if (await isListening(new URL(address)))
        throw new Error(`The sandbox in ${dataFolder} is running (${address} answers). Stop it first.`)
  }
}

function isListening({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    return (await Promise.race([terminal.question(question), ended])).trim() === 'reset'
  } finally {
    terminal.close()
  }
}
