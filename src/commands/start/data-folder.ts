import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type OwnerLock, takeOwnership } from '../../db/embedded/owner-lock.ts'
import { openSocketFolder } from '../../db/embedded/place.ts'
import { explainFailure } from './explain.ts'

/** Creates the data folder if needed, and refuses to start when this process cannot write to it. */
export async function requireDataFolder(dataFolder: string): Promise<void> {
  try {
    await requireFolder(dataFolder, `The data folder ${dataFolder}`)
  } catch (error) {
    throw new Error(`${(error as Error).message} SVC_DATA_DIR names another folder.`, { cause: error })
  }
}

/** Creates a folder if needed, and refuses to start when this process cannot write to it. */
export async function requireFolder(folder: string, name: string, mode = 0o777): Promise<void> {
  // Processes of several machines share a folder, and in containers all of them have the same number.
  const probe = path.join(folder, `write-probe-${randomUUID()}`)
  try {
    // Some file systems never answer the recursive form for a folder that they cannot create.
    await access(path.dirname(folder), constants.F_OK).then(
      () => mkdir(folder, { mode }).catch(unlessThere),
      () => mkdir(folder, { recursive: true, mode }),
    )
    await writeFile(probe, 'x'.repeat(4_096))
    await rm(probe, { force: true })
  } catch (error) {
    await rm(probe, { force: true }).catch(() => {})
    throw new Error(`${name} cannot be used. ${explainFailure(error)}`, { cause: error })
  }
}

/** Takes a data folder for the one sandbox that may run on it. */
export function lockDataFolder(dataFolder: string): Promise<OwnerLock> {
  return lockPart(dataFolder, 'sandbox', `The data folder ${dataFolder}`)
}

/** A service that was killed leaves its chains behind for a moment: they end by themselves. */
const endOfChainsMs = 10_000

/** Takes the journals of some local chains, which two processes must never write. */
export function lockChains(dataFolder: string, family: string): Promise<OwnerLock> {
  const owned = `The journal of the local ${family} chains in ${dataFolder}`
  return lockPart(dataFolder, family, owned, endOfChainsMs)
}

async function lockPart(dataFolder: string, part: string, owned: string, patienceMs?: number): Promise<OwnerLock> {
  const home = path.join(dataFolder, 'locks', part)
  await mkdir(home, { recursive: true })
  const user = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1, isCurrentUser: true }
  return takeOwnership(await openSocketFolder({ home: await realpath(home), user }), owned, patienceMs)
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
