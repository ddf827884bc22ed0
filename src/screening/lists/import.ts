import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { bumpRevision } from '../../db/revisions.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import type { ListedEntry } from '../screening.ts'
import { ListProblem } from './csv.ts'
import { createListReader, type ListFile, listFiles } from './sdn.ts'
import * as store from './store.ts'

export type ImportOptions = { actor: string; mayShrink?: boolean }
export type ImportOutcome = { isNew: boolean; list: store.WatchList }

const compress = promisify(gzip)
// Entries whose numbers share their thousands share a chunk, so an added entry changes one chunk only.
const numbersPerChunk = 1_000
const chunksPerStatement = 20
const maxLineLength = 1_000_000
const linesPerStep = 500

/** Imports a folder of published files as the current list, as a whole. Throws, and changes nothing, on any fault. */
export async function importList(
  { database, audit }: { database: Database; audit: Audit },
  folder: string,
  { actor, mayShrink = false }: ImportOptions,
): Promise<ImportOutcome> {
  const entries = await readFolder(folder)
  if (entries.length === 0) throw new Error(`sdn.csv in ${folder} has no entries. Nothing was imported.`)
  const chunks = await packEntries(entries)
  const counts = countAll(entries)
  const contentHash = hashOf(Buffer.concat(chunks.map(({ hash }) => hash)))
  const isNew = await database.inTx(async (tx) => {
    await store.lockImports(tx)
    const current = await store.findCurrentList(tx)
    const isKnown = current?.contentHash.equals(contentHash) ?? false
    const version = isKnown ? (current?.version ?? 1) : (current?.version ?? 0) + 1
    if (!isKnown) {
      if (current && !mayShrink) requireSimilarSize(current, counts)
      for (let at = 0; at < chunks.length; at += chunksPerStatement)
        await store.insertChunks(tx, chunks.slice(at, at + chunksPerStatement))
      await store.insertList(tx, {
        ...counts,
        version,
        contentHash,
        chunkHashes: chunks.map(({ hash }) => hash),
      })
    }
    await store.insertImport(tx, newId(), version)
    await audit.append(tx, {
      organizationId: platformOrganizationId,
      actor,
      action: isKnown ? 'watch_list.confirmed' : 'watch_list.imported',
      subjectId: String(version),
      details: { ...counts, contentHash: contentHash.toString('hex'), ...(mayShrink ? { forced: true } : {}) },
    })
    await bumpRevision(tx, 'watch list')
    return !isKnown
  })
  const list = await store.findCurrentList(database)
  if (!list) throw new Error('the imported list is not in the database')
  return { isNew, list }
}

type Counts = Pick<store.WatchList, 'entryCount' | 'nameCount' | 'addressCount'>

function countAll(entries: readonly ListedEntry[]): Counts {
  return {
    entryCount: entries.length,
    nameCount: entries.reduce((sum, { names }) => sum + names.length, 0),
    addressCount: entries.reduce((sum, { addresses }) => sum + addresses.length, 0),
  }
}

/** Refuses a list of less than half the size: an interrupted download would silently stop screening for the rest. */
function requireSimilarSize(current: Counts, wanted: Counts): void {
  const words = { entryCount: 'entries', nameCount: 'names', addressCount: 'addresses' } as const
  for (const [count, word] of Object.entries(words) as [keyof Counts, string][]) {
    if (wanted[count] * 2 >= current[count]) continue
    const change = `${wanted[count]} ${word} instead of ${current[count]}`
    throw new Error(`This list has ${change}. To import it all the same, use --force. Nothing was imported.`)
  }
}

async function packEntries(entries: readonly ListedEntry[]): Promise<store.Chunk[]> {
  const groups = Map.groupBy(entries, ({ number }) => Math.floor(Number(number) / numbersPerChunk))
  const chunks: store.Chunk[] = []
  for (const group of groups.values()) {
    const text = Buffer.from(JSON.stringify(group))
    chunks.push({ hash: hashOf(text), entries: await compress(text) })
  }
  return chunks
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

async function readFolder(folder: string): Promise<ListedEntry[]> {
  const present = await readdir(folder)
  const reader = createListReader()
  for (const [file, { isRequired }] of Object.entries(listFiles) as [ListFile, { isRequired: boolean }][]) {
    // As published they are SDN.CSV and ALT.CSV.
    const name = present.find((each) => each.toLowerCase() === file)
    if (name) await readLines(path.join(folder, name), file, (number, line) => reader.readLine(file, number, line))
    else if (isRequired) throw new Error(`There is no ${file} in ${folder}. Nothing was imported.`)
  }
  return reader.finish()
}

/** Reads a file line by line and lets other work of this process run after every 500 lines. */
async function readLines(place: string, file: ListFile, onLine: (number: number, line: string) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const takeLine = async (bytes: Buffer) => {
    number += 1
    // The lists were published in Latin-1 for years, and are in UTF-8 now.
    onLine(number, bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'))
    if (number % linesPerStep === 0) await yieldEventLoop()
  }
  for await (const part of createReadStream(place) as AsyncIterable<Buffer>) {
    let text = rest.length > 0 ? Buffer.concat([rest, part]) : part
    for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10)) {
      await takeLine(text.subarray(0, end))
      text = text.subarray(end + 1)
    }
    if (text.length > maxLineLength) throw new ListProblem(file, number + 1, `exceeds ${maxLineLength} bytes`)
    rest = text
  }
  if (rest.length > 0) await takeLine(rest)
}
