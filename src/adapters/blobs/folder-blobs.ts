import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { BlobStore } from '../../customers/blob-store.ts'
import { isUuid, newId } from '../../lib/ids.ts'

/** Files in a folder of this machine, or of a disk that several share. Two levels of folders keep each one small. */
export function makeFolderBlobs(folder: string): BlobStore {
  const placeOf = (blobId: string): string => {
    if (!isUuid(blobId)) throw new Error('a blob is named by a UUID')
    // The end of the id is random; its beginning is a time, and would put all of a day in one place.
    const name = blobId.toLowerCase()
    return path.join(folder, name.slice(-2), name.slice(-4, -2), name)
  }
  return {
    put: async (blobId, sealed) => {
      const place = placeOf(blobId)
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
      const draft = `${place}.${newId()}.draft`
      try {
        await writeDurably(draft, sealed)
        await rename(draft, place)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    get: async (blobId) => readFile(placeOf(blobId)).catch(undefinedWhenMissing),
    remove: (blobId) => rm(placeOf(blobId), { force: true }),
    list: () => listFiles(folder),
  }
}

/** On the disk before anything in the database says that it is there. */
async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function* listFiles(folder: string): AsyncIterable<{ blobId: string; storedAt: Date }> {
  const entries = await opendir(folder, { recursive: true }).catch(undefinedWhenMissing)
  if (!entries) return
  for await (const entry of entries) {
    if (!entry.isFile() || !isUuid(entry.name)) continue
    const stats = await stat(path.join(entry.parentPath, entry.name)).catch(undefinedWhenMissing)
    if (stats) yield { blobId: entry.name, storedAt: stats.mtime }
  }
}

function undefinedWhenMissing(error: { code?: string }): undefined {
  if (error.code !== 'ENOENT') throw error
}
