import { createHash } from 'node:crypto'
import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Database } from '../../db/database.ts'
import type { ListedEntry } from '../screening.ts'
import { indexList, type ListIndex } from './list-index.ts'
import * as store from './store.ts'

export type LoadedList = { list: string; version: number; entryCount: number; index: ListIndex }

/** All lists in force. The version is the highest of any list, so it changes with each of them. */
export type LoadedLists = { version: number; lists: readonly LoadedList[] }

const unpack = promisify(gunzip)
const chunksPerStatement = 10
// Short enough that loading a list delays no request.
const maxStepMs = 10

/** Loads the lists in force, and keeps those that have not changed. */
export async function loadLists(database: Database, known: LoadedLists): Promise<LoadedLists> {
  const newest = await store.findNewestLists(database)
  const version = Math.max(0, ...newest.map((each) => each.version))
  if (version === known.version) return known
  const lists: LoadedList[] = []
  for (const each of newest.filter(({ isRemoved }) => !isRemoved)) {
    const same = known.lists.find((loaded) => loaded.list === each.list && loaded.version === each.version)
    lists.push(same ?? (await loadList(database, each)))
  }
  return { version, lists }
}

async function loadList(database: Database, { list, version, entryCount }: store.WatchList): Promise<LoadedList> {
  const entries = await readEntries(database, version)
  if (entries.length !== entryCount) throw new Error(`watch list ${version} is incomplete in the database`)
  const steps = indexList(entries)
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return { list, version, entryCount, index: step.value }
    if (performance.now() - since < maxStepMs) continue
    await yieldEventLoop()
    since = performance.now()
  }
}

async function readEntries(database: Database, version: number): Promise<ListedEntry[]> {
  const hashes = await store.findChunkHashes(database, version)
  const entries: ListedEntry[] = []
  for (let at = 0; at < hashes.length; at += chunksPerStatement) {
    const chunks = await store.findChunks(database, hashes.slice(at, at + chunksPerStatement))
    for (const { hash, entries: packed } of chunks) {
      const text = await unpack(packed)
      if (!createHash('sha256').update(text).digest().equals(hash)) throw new Error(`watch list ${version} was altered`)
      entries.push(...(JSON.parse(text.toString()) as ListedEntry[]))
    }
  }
  return entries
}
