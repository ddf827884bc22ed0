import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { constants, type FileHandle, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder, unlessMissing } from '../../db/embedded/files.ts'
import { isUuid } from '../../lib/ids.ts'
import type { BankExchange, FolderIdentity, IncomingFile } from '../../transactions/bank-files/exchange.ts'
import { createFolderMarkers, markerOf } from './folder-markers.ts'

const ownerOnly = 0o600
const unfinished = /^\.|\.(tmp|part|filepart|writing|partial)$/i

/**
 * Exchanges files with banks through folders. Every write is flushed before it counts. A file that is uploaded under its
 * final name is complete when nothing has changed it for `settleMs`.
 */
export function createFolderExchange(
  root: string,
  { settleMs, identity }: { settleMs: number; identity: FolderIdentity },
): BankExchange {
  const folders = {
    outgoing: path.join(root, 'outgoing'),
    // Beside outgoing/: a transfer agent that looks into subfolders must not see it.
    staging: path.join(root, 'staging'),
    incoming: path.join(root, 'incoming'),
    // Only Svc sees it: a bank may deliver the next file under the same name while one is read.
    received: path.join(root, 'received'),
    archive: path.join(root, 'archive'),
    quarantine: path.join(root, 'quarantine'),
  }
  const { findProblem, adopt } = createFolderMarkers(
    Object.values(folders).map((folder) => ({
      path: folder,
      marker: folder === folders.staging ? markerOf.seen : markerOf.hidden,
    })),
    identity,
  )
  /** Acts on the folders of this deployment alone. That a file is missing counts if they are still there afterwards. */
  const guard: Guard = async (act) => {
    const before = await findProblem()
    if (before !== undefined) throw new Error(before)
    const result = await act()
    const after = result ? undefined : await findProblem()
    if (after !== undefined) throw new Error(after)
    return result
  }
  return { findProblem, adopt, ...createOutgoing(folders, guard), ...createIncoming(folders, guard, settleMs) }
}

type Guard = <Result>(act: () => Promise<Result>) => Promise<Result>
type Folders = Record<'outgoing' | 'staging' | 'incoming' | 'received' | 'archive' | 'quarantine', string>
type Outgoing = Pick<BankExchange, 'stage' | 'discard' | 'release' | 'withdraw' | 'isWithdrawn' | 'listStaged'>

function createOutgoing({ outgoing, staging, archive }: Folders, guard: Guard): Outgoing {
  const staged = (name: string) => path.join(staging, plain(name))
  const withdrawnAs = (name: string) => path.join(archive, `withdrawn-${plain(name)}`)
  return {
    stage: (content) =>
      guard(async () => {
        const name = randomUUID()
        await writeThrough(staged(name), content)
        await flushFolder(staging)
        return name
      }),
    discard: async (stagingName) => rm(staged(stagingName), { force: true }),
    release: (stagingName, name) => guard(() => move(staged(stagingName), path.join(outgoing, plain(name)))),
    withdraw: (stagingName, name) => guard(() => move(staged(stagingName), withdrawnAs(name))),
    isWithdrawn: (name) => guard(() => isThere(withdrawnAs(name))),
    listStaged: (unchangedMs) =>
      guard(async () => {
        const names: string[] = []
        for (const name of await readdir(staging)) {
          const stats = name === markerOf.seen ? undefined : await unlessMissing(stat(staged(name)))
          if (stats?.isFile() && Date.now() - stats.mtimeMs >= unchangedMs) names.push(name)
        }
        return names
      }),
  }
}

function createIncoming(
  { incoming, received, archive, quarantine }: Folders,
  guard: Guard,
  settleMs: number,
): Omit<BankExchange, keyof Outgoing | 'findProblem' | 'adopt'> {
  let seen = new Map<string, Listed>()
  const taken = (keptAs: string) => path.join(received, plain(keptAs))
  return {
    hasIncoming: async () => {
      const [arrived = [], kept = []] = await Promise.all(
        [incoming, received].map((each) => unlessMissing(readdir(each))),
      )
      return arrived.some((name) => !unfinished.test(name)) || kept.some(isKept)
    },
    listIncoming: () =>
      guard(async () => {
        const now = new Map<string, Listed>()
        const found: (IncomingFile & { writtenMs: number })[] = []
        for (const entry of await readdir(incoming, { withFileTypes: true, encoding: 'buffer' })) {
          const name = shownName(entry.name)
          if (unfinished.test(name)) continue
          const file = Buffer.concat([Buffer.from(`${incoming}${path.sep}`), entry.name])
          const stats = await unlessMissing(lstat(file))
          if (!stats) continue
          const mark = `${stats.ino} ${stats.size} ${stats.mtimeMs}`
          const before = seen.get(name)
          const sinceMs = before?.mark === mark ? before.sinceMs : performance.now()
          now.set(name, { file, mark, sinceMs })
          // The clock of a bank may be ahead of ours, and its time may stay on the file.
          const isOld = Date.now() - stats.mtimeMs >= settleMs || performance.now() - sinceMs >= settleMs
          const isSettled = isOld && before?.mark === mark
          found.push({ name, size: stats.size, isSettled, isPlain: stats.isFile(), writtenMs: stats.mtimeMs })
        }
        seen = now
        // The order in which the bank wrote them.
        found.sort((one, two) => one.writtenMs - two.writtenMs || (one.name < two.name ? -1 : 1))
        return found.map(({ writtenMs: _, ...file }) => file)
      }),
    take: (name, keptAs) =>
      guard(async () => {
        const listed = seen.get(name)
        return listed !== undefined && move(listed.file, taken(keptAs))
      }),
    listTaken: () => guard(async () => (await readdir(received)).filter(isKept).sort()),
    openTaken: async (keptAs) => {
      const handle = await guard(() => unlessMissing(open(taken(keptAs), readNoLink)))
      return handle && { chunks: readChunks(handle), close: () => handle.close() }
    },
    rename: (keptAs, newlyKeptAs) => guard(() => move(taken(keptAs), taken(newlyKeptAs))),
    archive: async (keptAs, archivedAs) => {
      await guard(() => move(taken(keptAs), path.join(archive, plain(archivedAs))))
    },
    quarantine: async (keptAs, reason) => {
      await guard(async () => {
        const reasonFile = path.join(quarantine, `${plain(keptAs)}.reason`)
        await rm(reasonFile, { force: true })
        await writeThrough(reasonFile, Buffer.from(`${reason}\n`))
        return move(taken(keptAs), path.join(quarantine, plain(keptAs)))
      })
    },
    isQuarantined: (keptAs) => guard(() => isThere(path.join(quarantine, plain(keptAs)))),
    restore: (keptAs) =>
      guard(async () => {
        const kept = path.join(quarantine, plain(keptAs))
        if (!(await move(kept, taken(keptAs)))) return false
        await rm(`${kept}.reason`, { force: true })
        return true
      }),
  }
}

/** A file of incoming/ with its name in bytes, because a bank need not write UTF-8. */
type Listed = { file: Buffer; mark: string; sinceMs: number }

/** Tells a file that Svc has taken from the marker of its folder. */
const isKept = (name: string) => isUuid(name.slice(0, 36))

const readNoLink = constants.O_RDONLY | constants.O_NOFOLLOW

/** Decodes the name of a file: as UTF-8, or else as Latin-1, and without control characters. */
function shownName(bytes: Buffer): string {
  const name = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')
  return name.replaceAll(/\p{C}/gu, '?')
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

async function writeThrough(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', ownerOnly)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Moves a file and flushes both folders; false when it is not there. */
async function move(from: string | Buffer, to: string): Promise<boolean> {
  const isMoved = await unlessMissing(rename(from, to).then(() => true))
  if (!isMoved) return false
  await flushFolder(path.dirname(to))
  await flushFolder(path.dirname(from.toString()))
  return true
}

async function isThere(file: string): Promise<boolean> {
  return (await unlessMissing(stat(file))) !== undefined
}
