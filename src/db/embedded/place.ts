import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { chooseDatabaseUser, type DatabaseUser, firstClosedFolder, isRunningAsRoot } from './database-user.ts'
import { createPrivateFolder, flushFolder, hasErrorCode, randomName, shortNameOf, statsOf } from './files.ts'

/** Names the socket file `.s.PGSQL.5432`. Nothing listens on TCP. */
export const socketPort = 5432

/** Operating systems limit socket paths to 104 (macOS) or 108 (Linux) bytes. */
const longestSocketPath = 90

/** A fixed folder instead of TMPDIR, which differs between logins: a second Svc must find the owner lock there. */
const sharedTemporaryFolder = '/tmp'

/** The folders of one cluster. `home` holds the data folder, the log and, if its path is short, the sockets. */
export type ClusterPlace = {
  home: string
  dataFolder: string
  user: DatabaseUser
  /** The file that tells the next start where the cluster is, when it is elsewhere. */
  pointerFile: string | null
}

const pointerName = 'location.json'

export async function chooseClusterPlace(folder: string, systemFolder: string): Promise<ClusterPlace> {
  const created = await mkdir(folder, { recursive: true })
  const asked = await realpath(folder)
  // Under a strict umask the database user could not enter the new folder.
  if (created !== undefined && isRunningAsRoot()) await chmod(asked, 0o711)
  const pointerFile = join(asked, pointerName)

  const recorded = await readPointer(pointerFile)
  if (recorded !== null) return recordedPlace(recorded, pointerFile)

  const dataFolder = join(asked, 'data')
  const existing = await statsOf(dataFolder)
  const user = chooseDatabaseUser(dataFolder, existing)
  const closed = await firstClosedFolder(asked, user)
  if (closed === null) return { home: asked, dataFolder, user, pointerFile: null }

  // An empty database beside the existing one would look like lost data.
  if (existing !== null) {
    throw new Error(
      `The database in ${dataFolder} must run as user id ${user.uid}, which cannot enter ${closed}. ` +
        `Allow it (chmod o+x ${closed}), or move the database to a folder that all users can enter.`,
    )
  }
  return systemPlace(asked, systemFolder, pointerFile)
}

async function recordedPlace(home: string, pointerFile: string): Promise<ClusterPlace> {
  const dataFolder = join(home, 'data')
  const existing = await statsOf(dataFolder)
  if (existing === null) {
    throw new Error(
      `${pointerFile} says that the database is in ${home}, but it is not there any more. ` +
        'Put it back, or delete that file to start with an empty database.',
    )
  }
  return { home, dataFolder, user: chooseDatabaseUser(dataFolder, existing), pointerFile: null }
}

async function systemPlace(asked: string, systemFolder: string, pointerFile: string): Promise<ClusterPlace> {
  const home = join(await openSystemFolder(systemFolder), shortNameOf(asked))
  await mkdir(home, { recursive: true })
  await chmod(home, 0o711)
  const dataFolder = join(home, 'data')
  const user = chooseDatabaseUser(dataFolder, await statsOf(dataFolder))
  const closed = await firstClosedFolder(home, user)
  if (closed !== null)
    throw new Error(
      `User id ${user.uid}, which runs the database, can enter neither ${asked} nor ${closed}. ` +
        'Choose a data folder that it can enter.',
    )
  return { home, dataFolder, user, pointerFile }
}

/** Opens a folder that root owns, all users can enter and only root can write to. */
export async function openSystemFolder(systemFolder: string): Promise<string> {
  if ((await mkdir(systemFolder, { recursive: true })) !== undefined) await chmod(systemFolder, 0o755)
  const found = await statsOf(systemFolder)
  if (found === null || !found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${systemFolder} must be a folder that root owns and only root can write to.`)
  }
  return realpath(systemFolder)
}

async function readPointer(pointerFile: string): Promise<string | null> {
  let text: string
  try {
    text = await readFile(pointerFile, 'utf8')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null
    throw error
  }
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && 'home' in content && typeof content.home === 'string') {
      return content.home
    }
  } catch {
    // The error below covers it, like any other content that Svc did not write.
  }
  throw new Error(`${pointerFile} must name the folder of the database as {"home": "/…"}, but cannot be read.`)
}

export async function writePointer(place: ClusterPlace): Promise<void> {
  if (place.pointerFile === null) return
  const unfinished = `${place.pointerFile}.${randomName()}`
  await writeFile(unfinished, `${JSON.stringify({ home: place.home })}\n`, { flush: true })
  await rename(unfinished, place.pointerFile)
  await flushFolder(dirname(place.pointerFile))
}

/** Opens the folder of the server's socket and of the owner lock; elsewhere, when its path is too long for a socket. */
export async function openSocketFolder(place: Pick<ClusterPlace, 'home' | 'user'>): Promise<string> {
  const beside = join(place.home, 'socket')
  const isShort = Buffer.byteLength(join(beside, `.s.PGSQL.${socketPort}`)) <= longestSocketPath
  const chosen = isShort ? beside : join(await realpath(sharedTemporaryFolder), `svc-${shortNameOf(place.home)}`)
  await createPrivateFolder(chosen, place.user)
  return chosen
}
