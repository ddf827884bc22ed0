import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { chooseDatabaseUser, type DatabaseUser, firstClosedFolder, weAreRoot } from './database-user.ts'
import { createPrivateFolder, flushFolder, hasCode, randomName, shortNameOf, statsOf } from './files.ts'

/** Names the socket file `.s.PGSQL.5432`. Nothing listens on TCP. */
export const socketPort = 5432

/** Operating systems cut socket paths at 104 (macOS) or 108 (Linux) bytes. */
const longestSocketPath = 90

/**
 * Not TMPDIR, which differs from session to session: the folder made here also holds the lock
 * that a second Svc must find.
 */
const sharedTemporaryFolder = '/tmp'

/** Where one cluster lives. `home` holds the data folder, the log and, if its path is short, the sockets. */
export type Place = {
  home: string
  dataFolder: string
  user: DatabaseUser
  /** To be written once the cluster exists: it tells the next start that the cluster lies elsewhere. */
  pointerFile: string | null
}

const pointerName = 'location.json'

export async function choosePlace(folder: string, systemFolder: string): Promise<Place> {
  const created = await mkdir(folder, { recursive: true })
  const asked = await realpath(folder)
  // A strict umask would close the folder we have just made to the database user.
  if (created !== undefined && weAreRoot()) await chmod(asked, 0o711)
  const pointerFile = join(asked, pointerName)

  const recorded = await readPointer(pointerFile)
  if (recorded !== null) return recordedPlace(recorded, pointerFile)

  const dataFolder = join(asked, 'data')
  const existing = await statsOf(dataFolder)
  const user = chooseDatabaseUser(dataFolder, existing)
  const closed = await firstClosedFolder(asked, user)
  if (closed === null) return { home: asked, dataFolder, user, pointerFile: null }

  // Starting an empty database beside a full one would look like losing it.
  if (existing !== null) {
    throw new Error(
      `The database in ${dataFolder} must run as user id ${user.uid}, which cannot enter ${closed}. ` +
        `Allow it (chmod o+x ${closed}), or move the database to a folder that everybody can enter.`,
    )
  }
  return systemPlace(asked, systemFolder, pointerFile)
}

async function recordedPlace(home: string, pointerFile: string): Promise<Place> {
  const dataFolder = join(home, 'data')
  const existing = await statsOf(dataFolder)
  if (existing === null) {
    throw new Error(
      `${pointerFile} says that the database lies in ${home}, but it is not there any more. ` +
        'Put it back, or delete that file to begin with an empty database.',
    )
  }
  return { home, dataFolder, user: chooseDatabaseUser(dataFolder, existing), pointerFile: null }
}

async function systemPlace(asked: string, systemFolder: string, pointerFile: string): Promise<Place> {
  const home = join(await openSystemFolder(systemFolder), shortNameOf(asked))
  await mkdir(home, { recursive: true })
  await chmod(home, 0o711)
  const dataFolder = join(home, 'data')
  const user = chooseDatabaseUser(dataFolder, await statsOf(dataFolder))
  const closed = await firstClosedFolder(home, user)
  if (closed !== null)
    throw new Error(`No place for the database: user id ${user.uid} can enter neither ${asked} nor ${closed}.`)
  return { home, dataFolder, user, pointerFile }
}

/** A folder of root's that everybody can enter and nobody else can write to. */
export async function openSystemFolder(systemFolder: string): Promise<string> {
  if ((await mkdir(systemFolder, { recursive: true })) !== undefined) await chmod(systemFolder, 0o755)
  const found = await statsOf(systemFolder)
  if (found === null || !found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${systemFolder} must be a folder of root's that nobody else can write to.`)
  }
  return realpath(systemFolder)
}

async function readPointer(pointerFile: string): Promise<string | null> {
  let text: string
  try {
    text = await readFile(pointerFile, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && 'home' in content && typeof content.home === 'string') {
      return content.home
    }
  } catch {
    // answered below, like any other content that we did not write
  }
  throw new Error(`${pointerFile} should say where the database lies, as {"home": "/…"}, but cannot be read.`)
}

export async function writePointer(place: Place): Promise<void> {
  if (place.pointerFile === null) return
  const unfinished = `${place.pointerFile}.${randomName()}`
  await writeFile(unfinished, `${JSON.stringify({ home: place.home })}\n`, { flush: true })
  await rename(unfinished, place.pointerFile)
  await flushFolder(dirname(place.pointerFile))
}

/** The folder of the server's socket and of our own lock. */
export async function openSocketFolder(place: Place): Promise<string> {
  const beside = join(place.home, 'socket')
  const isShort = Buffer.byteLength(join(beside, `.s.PGSQL.${socketPort}`)) <= longestSocketPath
  const chosen = isShort ? beside : join(await realpath(sharedTemporaryFolder), `svc-${shortNameOf(place.home)}`)
  await createPrivateFolder(chosen, place.user)
  return chosen
}
