import { createHash } from 'node:crypto'
import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Audit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { type ImportOptions, type ImportOutcome, importList } from './lists/import.ts'
import { indexList, type ListIndex } from './lists/list-index.ts'
import * as store from './lists/store.ts'
import { isReadable } from './names/match.ts'
import type { AddressMatch, ListedEntry, ScreenedName, ScreeningMatch } from './screening.ts'

export type ScreeningDeps = { database: Database; audit: Audit; onLoaded?(loaded: LoadedList | undefined): void }

export type ScreeningService = ReturnType<typeof createScreeningService>

export type LoadedList = { version: number; entryCount: number; index: ListIndex }

const unpack = promisify(gunzip)
const chunksPerStatement = 10
// Short enough that loading a list delays no request.
const maxStepMs = 10

/** Screens names and addresses against the current list, which is kept in memory. */
export function createScreeningService({ database, audit, onLoaded }: ScreeningDeps) {
  let loaded: LoadedList | undefined
  let hasLoaded = false
  let loading: Promise<void> | undefined
  let isReloadRequested = false

  const loadOnce = async () => {
    const current = await store.findCurrentList(database)
    if (current?.version !== loaded?.version) {
      loaded = current ? await loadList(database, current) : undefined
      onLoaded?.(loaded)
    } else if (!hasLoaded) onLoaded?.(loaded)
    hasLoaded = true
  }
  /** Loads the current list into memory. Callers meanwhile share this load, or use the old list. */
  const load = (): Promise<void> => {
    if (loading) isReloadRequested = true
    loading ??= loadOnce().finally(() => {
      loading = undefined
      const isStale = isReloadRequested
      isReloadRequested = false
      // A newer list may have been imported while an older one was being read.
      if (isStale) load().catch(() => {})
    })
    return loading
  }
  /** Returns the list, or undefined when none is imported. Throws when the first load fails: no answer is safer. */
  const findList = async (): Promise<LoadedList | undefined> => {
    if (!hasLoaded) await load()
    return loaded
  }

  return {
    load,

    /** Finds the entries that these names match. Returns none when no list is imported: see currentVersion. */
    screen: async (names: readonly ScreenedName[]): Promise<ScreeningMatch[]> => {
      const list = await findList()
      return list ? screenNames(list, names) : []
    },

    screenAddresses: async (addresses: readonly { chain: string; address: string }[]): Promise<AddressMatch[]> => {
      const list = await findList()
      if (!list) return []
      return addresses.flatMap(({ chain, address }) => {
        const match = list.index.findAddress(address)
        return match ? [{ listVersion: list.version, ...match, chain, address }] : []
      })
    },

    /** Returns the version of the list that names are screened against; undefined when none is imported. */
    currentVersion: async (): Promise<number | undefined> => (await findList())?.version,

    /** Finds the names in a script that cannot be compared: `screen` says nothing about them. */
    findUnreadable: (names: readonly ScreenedName[]): ScreenedName[] =>
      names.filter(({ name, kind }) => !isReadable(name, kind)),

    /** Imports the published files of a folder as a whole. Other processes load them within seconds. */
    importList: (folder: string, options: ImportOptions): Promise<ImportOutcome> =>
      importList({ database, audit }, folder, options),

    show: (): Promise<store.WatchList | undefined> => store.findCurrentList(database),

    /** Returns the seconds since the last import; NaN when there was none or the database does not answer. */
    listAge: async (): Promise<number> => (await store.findListAge(database).catch(() => undefined)) ?? Number.NaN,
  }
}

async function screenNames(list: LoadedList, names: readonly ScreenedName[]): Promise<ScreeningMatch[]> {
  const matches: ScreeningMatch[] = []
  const { index, version } = list
  let since = performance.now()
  for (const name of names) {
    const { field } = name
    const found = index.findName(name)
    matches.push(
      ...found.map((match) => ({ listVersion: version, ...match, ...(field === undefined ? {} : { field }) })),
    )
    if (performance.now() - since < maxStepMs) continue
    await yieldEventLoop()
    since = performance.now()
  }
  return matches
}

async function loadList(database: Database, { version, entryCount }: store.WatchList): Promise<LoadedList> {
  const entries = await readEntries(database, version)
  if (entries.length !== entryCount) throw new Error(`watch list ${version} is incomplete in the database`)
  const steps = indexList(entries)
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return { version, entryCount, index: step.value }
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
