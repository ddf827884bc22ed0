import { type FileHandle, mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'

export type Journal<Entry> = {
  /** The entries of an earlier process, oldest first. */
  entries: Entry[]
  /** Resolves when the entries are on the disk. */
  append(entries: readonly Entry[]): Promise<void>
  close(): Promise<void>
}

/** A journal that forgets, for chains that live as long as their process. */
export const noJournal: Journal<never> = { entries: [], append: async () => {}, close: async () => {} }

/**
 * Opens the journal of a chain. Each line carries a checksum: a line that a crash tore, and everything behind it, is cut
 * off. No client has seen such a block, because a block counts only once its line is on the disk.
 */
export async function openJournal<Entry>(file: string): Promise<Journal<Entry>> {
  await mkdir(path.dirname(file), { recursive: true })
  const handle = await open(file, 'a+')
  const { entries, intactBytes, totalBytes } = parse<Entry>(await handle.readFile())
  if (intactBytes < totalBytes) await handle.truncate(intactBytes)
  return {
    entries,
    append: (added) => append(handle, added),
    close: () => handle.close(),
  }
}

async function append(handle: FileHandle, entries: readonly unknown[]): Promise<void> {
  if (entries.length === 0) return
  const lines = entries.map((entry) => {
    const text = JSON.stringify(entry)
    return `${checksumOf(text)} ${text}\n`
  })
  await handle.appendFile(lines.join(''))
  await handle.datasync()
}

function parse<Entry>(bytes: Buffer): { entries: Entry[]; intactBytes: number; totalBytes: number } {
  const entries: Entry[] = []
  let start = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    const line = bytes.toString('utf8', start, end)
    const text = line.slice(9)
    if (line.slice(0, 8) !== checksumOf(text)) break
    entries.push(JSON.parse(text))
    start = end + 1
  }
  return { entries, intactBytes: start, totalBytes: bytes.length }
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
