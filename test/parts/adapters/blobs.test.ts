import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolderBlobs } from '../../../src/adapters/blobs/folder-blobs.ts'
import { makeFolder } from '../../support/runner/folder.ts'

async function makeBlobs() {
  const { folder, remove } = await makeFolder()
  onTestFinished(remove)
  const root = path.join(folder, 'blobs')
  return { root, blobs: createFolderBlobs(root) }
}

const blobId = '01890a5d-ac96-774b-bcce-b302099a8057'

test('a blob lies in the folder of its last digits, readable only by the service', async () => {
  const { root, blobs } = await makeBlobs()
  await blobs.put(blobId, Buffer.from('sealed'))
  const modeOf = async (place: string) => (await stat(path.join(root, place))).mode & 0o777
  expect(await modeOf(`57/80/${blobId}`)).toBe(0o600)
  for (const folder of ['', '57', '57/80', 'unfinished']) expect(await modeOf(folder)).toBe(0o700)
})

test('a failed put leaves no file behind', async () => {
  const { root, blobs } = await makeBlobs()
  await mkdir(path.join(root, '57', '80', blobId), { recursive: true })
  await writeFile(path.join(root, '57', '80', blobId, 'in the way'), '')
  await expect(blobs.put(blobId, Buffer.from('sealed'))).rejects.toThrow()
  expect(await readdir(path.join(root, 'unfinished'))).toEqual([])
})

test('the list skips foreign files, and leftovers of a crash are removed after an hour', async () => {
  const { root, blobs } = await makeBlobs()
  await blobs.put(blobId, Buffer.from('sealed'))
  await writeFile(path.join(root, 'README'), '')
  await writeFile(path.join(root, '57', '.DS_Store'), '')
  await writeFile(path.join(root, '57', '80', 'notes.txt'), '')
  const [fresh, old] = [randomUUID(), randomUUID()]
  for (const name of [fresh, old]) await writeFile(path.join(root, 'unfinished', name), 'half')
  const longAgo = new Date(Date.now() - 3_700_000)
  await utimes(path.join(root, 'unfinished', old), longAgo, longAgo)
  const listed: unknown[] = []
  for await (const blob of blobs.list()) listed.push(blob)
  expect(listed).toEqual([{ blobId, storedAt: expect.any(Date) }])
  expect(await readdir(path.join(root, 'unfinished'))).toEqual([fresh])
})
