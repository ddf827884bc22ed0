import { randomUUID } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder, hasErrorCode } from '../../db/embedded/files.ts'
import type { BankExchange, IncomingFile } from '../../transactions/bank-files/exchange.ts'

const ownerOnly = { file: 0o600, folder: 0o700 }
const unfinished = /^\.|\.(tmp|part|filepart|writing|partial)$/i

/**
 * Exchanges files with banks through folders. Every write is flushed before it counts. A file that is uploaded under its
 * final name is complete when nothing has changed it for `settleMs`.
 */
export function createFolderExchange(root: string, { settleMs }: { settleMs: number }): BankExchange {
  const folders = {
    outgoing: path.join(root, 'outgoing'),
    // Beside outgoing/: a transfer agent that looks into subfolders must not see it.
    staging: path.join(root, 'staging'),
    incoming: path.join(root, 'incoming'),
    archive: path.join(root, 'archive'),
    quarantine: path.join(root, 'quarantine'),
  }
  let ready: Promise<void> | undefined
  const prepare = () => {
    ready ??= createAll(Object.values(folders)).catch((error: unknown) => {
      ready = undefined
      throw error
    })
    return ready
  }
  return { ...createOutgoing(folders, prepare), ...createIncoming(folders, prepare, settleMs) }
}

type Folders = Record<'outgoing' | 'staging' | 'incoming' | 'archive' | 'quarantine', string>
type Outgoing = Pick<BankExchange, 'stage' | 'discard' | 'release' | 'withdraw' | 'isWithdrawn'>

function createOutgoing({ outgoing, staging, archive }: Folders, prepare: () => Promise<void>): Outgoing {
  const withdrawnAs = (name: string) => path.join(archive, `withdrawn-${plain(name)}`)
  return {
    stage: async (content) => {
      await prepare()
      const name = randomUUID()
      await writeThrough(path.join(staging, name), content)
      await flushFolder(staging)
      return name
    },
    discard: async (stagingName) => rm(path.join(staging, plain(stagingName)), { force: true }),
    release: async (stagingName, name) => {
      await prepare()
      return move(path.join(staging, plain(stagingName)), path.join(outgoing, plain(name)))
    },
    withdraw: async (stagingName, name) => {
      await prepare()
      return move(path.join(staging, plain(stagingName)), withdrawnAs(name))
    },
    isWithdrawn: async (name) => (await unlessMissing(stat(withdrawnAs(name)))) !== undefined,
  }
}

function createIncoming(
  { incoming, archive, quarantine }: Folders,
  prepare: () => Promise<void>,
  settleMs: number,
): Omit<BankExchange, keyof Outgoing> {
  let seen = new Map<string, string>()
  return {
    listIncoming: async () => {
      await prepare()
      const now = new Map<string, string>()
      const found: IncomingFile[] = []
      for (const entry of await readdir(incoming, { withFileTypes: true })) {
        if (!entry.isFile() || unfinished.test(entry.name)) continue
        const stats = await unlessMissing(stat(path.join(incoming, entry.name)))
        if (!stats) continue
        const mark = `${stats.ino} ${stats.size} ${stats.mtimeMs}`
        now.set(entry.name, mark)
        const isOld = Date.now() - stats.mtimeMs >= settleMs
        found.push({ name: entry.name, size: stats.size, isSettled: isOld && seen.get(entry.name) === mark })
      }
      seen = now
      return found
    },
    openIncoming: async (name) => {
      const file = path.join(incoming, plain(name))
      const handle = await unlessMissing(open(file, 'r'))
      return handle && { chunks: readChunks(handle), close: () => handle.close() }
    },
    archive: async (name, archivedAs) => {
      await move(path.join(incoming, plain(name)), path.join(archive, plain(archivedAs)))
    },
    quarantine: async (name, keptAs, reason) => {
      const reasonFile = path.join(quarantine, `${plain(keptAs)}.reason`)
      await rm(reasonFile, { force: true })
      await writeThrough(reasonFile, Buffer.from(`${reason}\n`))
      await move(path.join(incoming, plain(name)), path.join(quarantine, plain(keptAs)))
    },
    isQuarantined: async (keptAs) => (await unlessMissing(stat(path.join(quarantine, plain(keptAs))))) !== undefined,
    restore: async (keptAs, name) => {
      const kept = path.join(quarantine, plain(keptAs))
      // A link, unlike a rename, replaces no file that the bank has just delivered.
      const isRestored = await unlessMissing(link(kept, path.join(incoming, plain(name))).then(() => true))
      if (!isRestored) return false
      await flushFolder(incoming)
      await rm(kept, { force: true })
      await rm(`${kept}.reason`, { force: true })
      await flushFolder(quarantine)
      return true
    },
  }
}

const chunkBytes = 64 * 1024

async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let isEnded = false; !isEnded; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes)
    isEnded = bytesRead === 0
    if (!isEnded) yield buffer.subarray(0, bytesRead)
  }
}

/** Refuses a name that leads out of its folder. */
function plain(name: string): string {
  if (name === '' || name !== path.basename(name) || name === '..')
    throw new TypeError('a bank file needs a plain name')
  return name
}

async function createAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: ownerOnly.folder })
}

async function writeThrough(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', ownerOnly.file)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Moves a file and flushes both folders; false when it is not there. */
async function move(from: string, to: string): Promise<boolean> {
  const isMoved = await unlessMissing(rename(from, to).then(() => true))
  if (!isMoved) return false
  await flushFolder(path.dirname(to))
  await flushFolder(path.dirname(from))
  return true
}

async function unlessMissing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}
