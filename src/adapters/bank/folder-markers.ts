import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder, hasErrorCode, unlessMissing } from '../../db/embedded/files.ts'
import type { FolderIdentity } from '../../transactions/bank-files/exchange.ts'

export type MarkedFolder = { path: string; marker: string }

/** Agents and operators see no hidden marker. That of staging/ is seen, so that it goes when a person empties the folder. */
export const markerOf = { seen: 'svc-folder-id', hidden: '.svc-folder-id' }

/**
 * Marks the folders of a deployment with its id once, and finds out later whether they are still the same: a volume may
 * be away, and a person may have emptied or recreated a folder.
 */
export function createFolderMarkers(folders: readonly MarkedFolder[], identity: FolderIdentity) {
  let marked: string | undefined
  /** The markers that were read last, by path. One that is unchanged is not read again: idle workers look all the time. */
  const known = new Map<string, { version: string; id: string }>()

  async function readId(): Promise<string> {
    if (marked !== undefined) return marked
    const { folderId, isMarked } = await identity.read()
    if (!isMarked) {
      for (const folder of folders) await mark(folder, folderId)
      if ((await findProblem(folderId)) === undefined) await identity.recordMarked()
      else return folderId
    }
    marked = folderId
    return folderId
  }

  async function readKnown(folder: MarkedFolder): Promise<string | undefined> {
    const version = await readVersion(folder)
    const last = known.get(folder.path)
    if (version !== undefined && last?.version === version) return last.id
    known.delete(folder.path)
    const id = version === undefined ? undefined : await readMarker(folder)
    if (version !== undefined && id !== undefined) known.set(folder.path, { version, id })
    return id
  }

  async function findProblem(folderId: string): Promise<string | undefined> {
    const ids = await Promise.all(folders.map(readKnown))
    for (const [at, folder] of folders.entries()) {
      const found = ids[at]
      const name = path.basename(folder.path)
      if (found === undefined) return `${name}/ has no marker: it may not be the folder that Svc has used`
      if (found !== folderId) return `${name}/ has the marker of another deployment`
    }
    return undefined
  }

  return {
    findProblem: async (): Promise<string | undefined> => findProblem(await readId()),

    adopt: async (): Promise<void> => {
      const { folderId } = await identity.read()
      for (const folder of folders) {
        if ((await readMarker(folder)) === folderId) continue
        await rm(path.join(folder.path, folder.marker), { force: true })
        await mark(folder, folderId)
      }
      await identity.recordMarked()
    },
  }
}

/** Changes with the file of the marker and with its content. */
async function readVersion({ path: folder, marker }: MarkedFolder): Promise<string | undefined> {
  const found = await unlessMissing(stat(path.join(folder, marker), { bigint: true }), 'ENOTDIR')
  return found && `${found.dev}:${found.ino}:${found.ctimeNs}`
}

async function readMarker({ path: folder, marker }: MarkedFolder): Promise<string | undefined> {
  return (await unlessMissing(readFile(path.join(folder, marker), 'utf8'), 'ENOTDIR'))?.trim()
}

/** Writes a marker, complete at once, unless there is one. */
async function mark({ path: folder, marker }: MarkedFolder, folderId: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unfinished = path.join(folder, `.${randomUUID()}.tmp`)
  const handle = await open(unfinished, 'wx', 0o600)
  try {
    await handle.writeFile(`${folderId}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(unfinished, path.join(folder, marker))
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  } finally {
    await rm(unfinished, { force: true })
  }
  await flushFolder(folder)
}
