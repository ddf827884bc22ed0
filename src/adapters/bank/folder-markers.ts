import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder, hasErrorCode } from '../../db/embedded/files.ts'
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

  async function findProblem(folderId: string): Promise<string | undefined> {
    for (const folder of folders) {
      const found = await readMarker(folder)
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

async function readMarker({ path: folder, marker }: MarkedFolder): Promise<string | undefined> {
  try {
    return (await readFile(path.join(folder, marker), 'utf8')).trim()
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
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
