import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createFolderBlobs } from '../../src/adapters/blobs/folder-blobs.ts'
import type { BlobStore, StoredBlob } from '../../src/customers/blobs.ts'
import { makeFolder } from '../support/runner/folder.ts'

/** An empty store. A second connection stands for another process, or for the same one after a restart. */
type Place = { connect(): BlobStore; remove(): Promise<void> }

const kinds: Record<string, () => Promise<Place>> = {
  'a folder': async () => {
    const { folder, remove } = await makeFolder()
    return { connect: () => createFolderBlobs(folder), remove }
  },
  'a folder that does not exist yet': async () => {
    const { folder, remove } = await makeFolder()
    return { connect: () => createFolderBlobs(`${folder}/data/blobs`), remove }
  },
}

async function listAll(blobs: BlobStore): Promise<StoredBlob[]> {
  const listed: StoredBlob[] = []
  for await (const blob of blobs.list()) listed.push(blob)
  return listed
}

describe.each(Object.entries(kinds))('%s', (_kind, makePlace) => {
  let place: Place
  beforeAll(async () => {
    place = await makePlace()
    return place.remove
  })

  async function makeEmpty(): Promise<Place> {
    const made = await makePlace()
    onTestFinished(made.remove)
    return made
  }

  test('every process can read a stored blob', async () => {
    const blobId = randomUUID()
    const bytes = randomBytes(100_000)
    await place.connect().put(blobId, bytes)
    expect((await place.connect().get(blobId))?.equals(bytes)).toBe(true)
  })

  test.each([0, 1, 10_485_789])('%i bytes are read back unchanged', async (length) => {
    const blobs = place.connect()
    const [blobId, bytes] = [randomUUID(), randomBytes(length)]
    await blobs.put(blobId, bytes)
    expect((await blobs.get(blobId))?.equals(bytes)).toBe(true)
  })

  test('a blob that was never stored is not found', async () => {
    expect(await place.connect().get(randomUUID())).toBeUndefined()
  })

  test('a removed blob is gone, and removing it again succeeds', async () => {
    const blobs = place.connect()
    const blobId = randomUUID()
    await blobs.put(blobId, randomBytes(9))
    await blobs.remove(blobId)
    expect(await blobs.get(blobId)).toBeUndefined()
    await blobs.remove(blobId)
    await blobs.remove(randomUUID())
  })

  test('storing under the same id replaces the blob', async () => {
    const blobs = place.connect()
    const blobId = randomUUID()
    await blobs.put(blobId, Buffer.from('a long first version'))
    await blobs.put(blobId, Buffer.from('second'))
    expect(String(await blobs.get(blobId))).toBe('second')
  })

  test('a reader sees one complete version during concurrent writes', async () => {
    const blobs = place.connect()
    const blobId = randomUUID()
    const versions = Array.from({ length: 8 }, (_, at) => Buffer.alloc(300_000, at))
    await blobs.put(blobId, versions[0]!)
    const writing = versions.map((version) => place.connect().put(blobId, version))
    const reading = Array.from({ length: 40 }, () => place.connect().get(blobId))
    for (const read of await Promise.all(reading)) {
      expect(versions.some((version) => read?.equals(version))).toBe(true)
    }
    await Promise.all(writing)
  })

  test('ids are case-insensitive', async () => {
    const blobs = place.connect()
    const blobId = 'abcdefab-cdef-4abc-8def-abcdefabcdef'
    await blobs.put(blobId.toUpperCase(), Buffer.from('x'))
    expect(String(await blobs.get(blobId))).toBe('x')
    await blobs.remove(blobId.toUpperCase())
    expect(await blobs.get(blobId)).toBeUndefined()
  })

  test('the list names every blob once, with the time it was stored', async () => {
    const blobs = (await makeEmpty()).connect()
    expect(await listAll(blobs)).toEqual([])
    const start = Date.now()
    const ids = Array.from({ length: 30 }, () => randomUUID())
    await Promise.all(ids.map((blobId) => blobs.put(blobId, randomBytes(9))))
    await blobs.remove(ids[0]!)
    const listed = await listAll(blobs)
    expect(listed.map(({ blobId }) => blobId).sort()).toEqual(ids.slice(1).sort())
    // Clocks of file systems and stores are coarse.
    for (const { storedAt } of listed) expect(Math.abs(storedAt.getTime() - start)).toBeLessThan(60_000)
  })

  test('blobs may change while they are being listed', async () => {
    const blobs = (await makeEmpty()).connect()
    const ids = Array.from({ length: 20 }, () => randomUUID())
    for (const blobId of ids) await blobs.put(blobId, randomBytes(9))
    const seen: StoredBlob[] = []
    for await (const blob of blobs.list()) {
      if (seen.push(blob) === 1) await Promise.all(ids.map((blobId) => blobs.remove(blobId)))
    }
    expect(seen.length).toBeGreaterThan(0)
    expect(await listAll(blobs)).toEqual([])
  })

  test.each([
    '',
    'passport',
    '../../etc/passwd',
    '..',
    `${randomUUID()}/..`,
    `${randomUUID()}\n`,
    `${randomUUID()}.tmp`,
  ])('every operation refuses the id %j', async (blobId) => {
    const blobs = place.connect()
    await expect(blobs.put(blobId, Buffer.from('x'))).rejects.toThrow('must be a UUID')
    await expect(blobs.get(blobId)).rejects.toThrow('must be a UUID')
    await expect(blobs.remove(blobId)).rejects.toThrow('must be a UUID')
  })
})
