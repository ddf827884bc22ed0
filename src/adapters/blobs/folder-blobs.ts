import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { BlobStore, StoredBlob } from '../../customers/blobs.ts'
import { flushFolder, unlessMissing } from '../../db/embedded/files.ts'
import { isUuid } from '../../lib/ids.ts'

const ownerOnly = { file: 0o600, folder: 0o700 }
// No write takes this long: an older file was left behind by a process that died.
const abandonedAfterMs = 3_600_000

/**
 * Stores blobs as files: `<folder>/ef/cd/<blob id>`. The folders are the last four digits of the id: the first ones of a
 * UUIDv7 are a time and would fill one folder after the other.
 */
export function createFolderBlobs(folder: string): BlobStore {
  const root = path.resolve(folder)
  const unfinished = path.join(root, 'unfinished')

  function placeOf(blobId: string): { inner: string; file: string } {
    if (!isUuid(blobId)) throw new TypeError('The id of a blob must be a UUID')
    const name = blobId.toLowerCase()
    const inner = path.join(root, name.slice(-2), name.slice(-4, -2))
    return { inner, file: path.join(inner, name) }
  }

  async function put(blobId: string, sealed: Buffer): Promise<void> {
    const { inner, file } = placeOf(blobId)
    for (const each of [unfinished, inner]) await createFolders(each)
    const written = path.join(unfinished, randomUUID())
    try {
      await writeThrough(written, sealed)
      await rename(written, file)
    } catch (error) {
      await rm(written, { force: true })
      throw error
    }
    await flushFolder(inner)
  }

  async function get(blobId: string): Promise<Buffer | undefined> {
    return await unlessMissing(readFile(placeOf(blobId).file))
  }

  async function remove(blobId: string): Promise<void> {
    const { inner, file } = placeOf(blobId)
    await rm(file, { force: true })
    await unlessMissing(flushFolder(inner))
  }

  async function* list(): AsyncGenerator<StoredBlob> {
    await removeAbandoned(unfinished)
    for (const outer of await foldersIn(root)) {
      for (const inner of await foldersIn(outer)) {
        for (const blobId of (await namesIn(inner)).filter(isUuid)) {
          const stats = await unlessMissing(stat(path.join(inner, blobId)))
          if (stats) yield { blobId, storedAt: stats.mtime }
        }
      }
    }
  }

  return { put, get, remove, list }
}

/** Creates folders and flushes each parent: otherwise a power cut could remove a folder with its files. */
async function createFolders(folder: string): Promise<void> {
  const outermost = await mkdir(folder, { recursive: true, mode: ownerOnly.folder })
  if (outermost === undefined) return
  for (let made = folder; made.length >= outermost.length; made = path.dirname(made)) {
    await flushFolder(path.dirname(made))
  }
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

async function removeAbandoned(unfinished: string): Promise<void> {
  for (const name of await namesIn(unfinished)) {
    const file = path.join(unfinished, name)
    const stats = await unlessMissing(stat(file))
    if (stats && stats.mtimeMs < Date.now() - abandonedAfterMs) await rm(file, { force: true })
  }
}

/** Lists the folders of this store, whose names are two digits. */
async function foldersIn(folder: string): Promise<string[]> {
  const names = await namesIn(folder)
  return names.filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => path.join(folder, name))
}

async function namesIn(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? []
}
