import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import { bumpRevision } from '../../db/revisions.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import type { ListedEntry } from '../screening.ts'
import { type ListName, listNames, lists, recognizeList } from './readers/lists.ts'
import type { ListFiles, UnreadPart } from './readers/reader.ts'
import * as store from './store.ts'

export type ImportOptions = {
  actor: string
  /** Accepts a list that shrank by more than half, or was published before the one in force. */
  isForced?: boolean
  /** Recognized by its files when absent. */
  list?: ListName
  /** The day of the publication, for files that do not tell it. */
  publishedAt?: Date
}
export type ImportOutcome = { isNew: boolean; list: store.WatchList; unread: UnreadPart[] }

type ImportDeps = { database: Database; audit: Audit }

const compress = promisify(gzip)
// Entries whose numbers share their thousands share a chunk, so an added entry changes one chunk only.
const numbersPerChunk = 1_000
const chunksPerStatement = 20

/** Imports published files as the current version of their list, whole. Throws, and changes nothing, on any fault. */
export async function importList(
  { database, audit }: ImportDeps,
  place: string,
  { actor, isForced = false, list: wanted, publishedAt: named }: ImportOptions,
): Promise<ImportOutcome> {
  const files = await findFiles(place)
  const list = wanted ?? recognizeList(files.names) ?? notRecognized(place)
  const { entries, unread, publishedAt = named ?? null } = await lists[list].read(files)
  if (entries.length === 0) throw new Error(`The list in ${place} has no entries. Nothing was imported.`)
  const chunks = await packEntries(entries)
  const counts = countAll(entries)
  const contentHash = hashOf(Buffer.concat(chunks.map(({ hash }) => hash)))
  const isNew = await database.inTx(async (tx) => {
    await store.lockImports(tx)
    const newest = await store.findNewestLists(tx)
    const current = newest.find((each) => each.list === list && !each.isRemoved)
    const isKnown = current?.contentHash.equals(contentHash) ?? false
    if (current && !isForced) requireNotOlder(current, publishedAt)
    const version = current && isKnown ? current.version : nextVersion(newest)
    if (!isKnown) {
      if (current && !isForced) requireSimilarSize(current, counts)
      for (let at = 0; at < chunks.length; at += chunksPerStatement)
        await store.insertChunks(tx, chunks.slice(at, at + chunksPerStatement))
      const chunkHashes = chunks.map(({ hash }) => hash)
      await store.insertList(tx, { ...counts, list, version, isRemoved: false, publishedAt, contentHash, chunkHashes })
    }
    await recordImport({ audit }, tx, version, {
      actor,
      action: isKnown ? 'watch_list.confirmed' : 'watch_list.imported',
      details: { list, ...counts, contentHash: contentHash.toString('hex'), ...(isForced ? { forced: true } : {}) },
    })
    return !isKnown
  })
  const imported = (await store.findNewestLists(database)).find((each) => each.list === list)
  if (!imported) throw new Error('the imported list is not in the database')
  return { isNew, list: imported, unread }
}

/** Takes a list out of force. False when it is not in force. */
export async function removeList(
  { database, audit }: ImportDeps,
  list: ListName,
  { actor, reason }: { actor: string; reason: string },
): Promise<boolean> {
  return database.inTx(async (tx) => {
    await store.lockImports(tx)
    const newest = await store.findNewestLists(tx)
    if (!newest.some((each) => each.list === list && !each.isRemoved)) return false
    const version = nextVersion(newest)
    const empty = { contentHash: hashOf(Buffer.alloc(0)), chunkHashes: [], publishedAt: null }
    await store.insertList(tx, { ...countAll([]), ...empty, list, version, isRemoved: true })
    await recordImport({ audit }, tx, version, { actor, action: 'watch_list.removed', details: { list, reason } })
    return true
  })
}

function nextVersion(newest: readonly store.WatchList[]): number {
  return Math.max(0, ...newest.map(({ version }) => version)) + 1
}

async function recordImport(
  { audit }: Pick<ImportDeps, 'audit'>,
  tx: Tx,
  version: number,
  act: { actor: string; action: string; details: Record<string, string | number | boolean> },
): Promise<void> {
  await store.insertImport(tx, newId(), version)
  await audit.append(tx, { organizationId: platformOrganizationId, ...act, subjectId: String(version) })
  await bumpRevision(tx, 'watch list')
}

/** Finds the files of a folder, or the one file that is named. */
async function findFiles(place: string): Promise<ListFiles> {
  const found = await stat(place).catch(() => undefined)
  if (!found) throw new Error(`There is no ${place}. Nothing was imported.`)
  if (found.isDirectory()) return { folder: place, names: await readdir(place) }
  return { folder: path.dirname(place), names: [path.basename(place)] }
}

function notRecognized(place: string): never {
  const forms = listNames.map((name) => `${name} (${lists[name].files})`).join('; ')
  throw new Error(
    `There is no known list in ${place}. Name the list, or put one there: ${forms}. Nothing was imported.`,
  )
}

type Counts = Pick<store.WatchList, 'entryCount' | 'nameCount' | 'addressCount' | 'documentCount'>

function countAll(entries: readonly ListedEntry[]): Counts {
  const sum = (count: (entry: ListedEntry) => number) => entries.reduce((total, entry) => total + count(entry), 0)
  return {
    entryCount: entries.length,
    nameCount: sum(({ names }) => names.length),
    addressCount: sum(({ addresses }) => addresses.length),
    documentCount: sum(({ documents }) => documents?.length ?? 0),
  }
}

/** Refuses a file that is older than the list in force: a download that brings old files would seem current. */
function requireNotOlder({ publishedAt: current }: store.WatchList, wanted: Date | null): void {
  if (!current || !wanted || wanted >= current) return
  const order = `published ${wanted.toISOString()}, before the one in force (${current.toISOString()})`
  throw new Error(`This list was ${order}. To import it all the same, use --force. Nothing was imported.`)
}

/** Refuses a list of less than half the size: an interrupted download would silently stop screening for the rest. */
function requireSimilarSize(current: Counts, wanted: Counts): void {
  const words = {
    entryCount: 'entries',
    nameCount: 'names',
    addressCount: 'addresses',
    documentCount: 'document numbers',
  } as const
  for (const [count, word] of Object.entries(words) as [keyof Counts, string][]) {
    if (wanted[count] * 2 >= current[count]) continue
    const change = `${wanted[count]} ${word} instead of ${current[count]}`
    throw new Error(`This list has ${change}. To import it all the same, use --force. Nothing was imported.`)
  }
}

async function packEntries(entries: readonly ListedEntry[]): Promise<store.Chunk[]> {
  const groups = Map.groupBy(entries, ({ number }) => chunkOf(number))
  const chunks: store.Chunk[] = []
  for (const group of groups.values()) {
    const text = Buffer.from(JSON.stringify(group))
    chunks.push({ hash: hashOf(text), entries: await compress(text) })
  }
  return chunks
}

/** Names the chunk of an entry: the thousands of a number, or the letters that a reference such as CDi.006 begins with. */
function chunkOf(number: string): string {
  return /^\d+$/.test(number) ? String(Math.floor(Number(number) / numbersPerChunk)) : number.replace(/[^A-Za-z].*/, '')
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
