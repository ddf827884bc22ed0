import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
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
// Short enough that no request notices that a list is being loaded.
const longestTurnMs = 10

/** Holds parties and addresses against the list in force, which is kept in memory. */
export function createScreeningService({ database, audit, onLoaded }: ScreeningDeps) {
  let loaded: LoadedList | undefined
  let hasLooked = false
  let loading: Promise<void> | undefined
  let isAskedAgain = false

  const loadOnce = async () => {
    const current = await store.findCurrentList(database)
    if (current?.version !== loaded?.version) {
      loaded = current ? await loadList(database, current) : undefined
      onLoaded?.(loaded)
    } else if (!hasLooked) onLoaded?.(loaded)
    hasLooked = true
  }
  /** Brings the list in force into memory. Whoever asks meanwhile waits for the same loading, or uses the old list. */
  const load = (): Promise<void> => {
    if (loading) isAskedAgain = true
    loading ??= loadOnce().finally(() => {
      loading = undefined
      const isStale = isAskedAgain
      isAskedAgain = false
      // A list may have come in force while an older one was being read.
      if (isStale) load().catch(() => {})
    })
    return loading
  }
  /** The list, if there is one. Where nothing could be learned yet it throws: an answer would be a guess. */
  const use = async (): Promise<LoadedList | undefined> => {
    if (!hasLooked) await load()
    return loaded
  }

  return {
    load,

    /** Who on the list these parties resemble. None when no list was imported: see currentVersion. */
    screen: async (parties: readonly ScreenedName[]): Promise<ScreeningMatch[]> => {
      const list = await use()
      return list ? screenNames(list, parties) : []
    },

    screenAddresses: async (addresses: readonly { chain: string; address: string }[]): Promise<AddressMatch[]> => {
      const list = await use()
      if (!list) return []
      return addresses.flatMap(({ chain, address }) => {
        const match = list.index.findAddress(address)
        return match ? [{ listVersion: list.version, ...match, chain, address }] : []
      })
    },

    /** The number of the list that parties are held against; undefined when there is none. */
    currentVersion: async (): Promise<number | undefined> => (await use())?.version,

    /** Names in a script that we cannot compare: screening says nothing about them. */
    findUnreadable: (parties: readonly ScreenedName[]): ScreenedName[] =>
      parties.filter(({ name, kind }) => !isReadable(name, kind)),

    /** Puts the published files of a folder in force as a whole; other processes load them within seconds. */
    importList: (folder: string, options: ImportOptions): Promise<ImportOutcome> =>
      importList({ database, audit }, folder, options),

    show: (): Promise<store.WatchList | undefined> => store.findCurrentList(database),

    /** Seconds since the list in force was last imported; NaN when there is none or nobody can tell. */
    listAge: async (): Promise<number> => (await store.findListAge(database).catch(() => undefined)) ?? Number.NaN,
  }
}

async function screenNames(list: LoadedList, parties: readonly ScreenedName[]): Promise<ScreeningMatch[]> {
  const matches: ScreeningMatch[] = []
  const { index, version } = list
  let since = performance.now()
  for (const party of parties) {
    const { field } = party
    const found = index.findName(party)
    matches.push(
      ...found.map((match) => ({ listVersion: version, ...match, ...(field === undefined ? {} : { field }) })),
    )
    if (performance.now() - since < longestTurnMs) continue
    await nextTurn()
    since = performance.now()
  }
  return matches
}

async function loadList(database: Database, { version, entryCount }: store.WatchList): Promise<LoadedList> {
  const entries = await readEntries(database, version)
  if (entries.length !== entryCount) throw new Error(`watch list ${version} is not whole in the database`)
  const steps = indexList(entries)
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return { version, entryCount, index: step.value }
    if (performance.now() - since < longestTurnMs) continue
    await nextTurn()
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
