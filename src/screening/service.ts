import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import type { Audit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { type Freshness, findGap, type ScreeningGap } from './freshness.ts'
import { type ImportOptions, type ImportOutcome, importList, removeList } from './lists/import.ts'
import { type LoadedList, type LoadedLists, loadLists } from './lists/load.ts'
import type { ListName } from './lists/readers/lists.ts'
import * as store from './lists/store.ts'
import { isReadable } from './names/match.ts'
import type { AddressMatch, ListPlace, ScreenedDocument, ScreenedName, ScreeningMatch } from './screening.ts'

export type ScreeningDeps = {
  database: Database
  audit: Audit
  freshness?: Freshness
  onLoaded?(loaded: readonly LoadedList[]): void
}

export type ScreeningService = ReturnType<typeof createScreeningService>

// Short enough that screening many names delays no request.
const maxStepMs = 10

/** Screens names, addresses and document numbers against the lists in force, which are kept in memory. */
export function createScreeningService(deps: ScreeningDeps) {
  const { database, audit } = deps
  const { load, findLists, stop } = keepLists(deps)
  return {
    load,
    /** Stops loading lists, before the database is closed. */
    stop,

    /** Finds the entries that these names match. Returns none when no list is imported: see currentVersion. */
    screen: async (names: readonly ScreenedName[]): Promise<ScreeningMatch[]> =>
      screenNames((await findLists()).lists, names),

    screenAddresses: async (addresses: readonly { chain: string; address: string }[]): Promise<AddressMatch[]> => {
      const { lists } = await findLists()
      return addresses.flatMap(({ chain, address }) =>
        lists.flatMap((list) => {
          const match = list.index.findAddress(address)
          return match ? [{ ...placeOf(list, match.entryNumber), ...match, chain, address }] : []
        }),
      )
    },

    /** Finds the entries that have one of these document numbers. */
    screenDocuments: async (documents: readonly ScreenedDocument[]): Promise<ScreeningMatch[]> => {
      const { lists } = await findLists()
      return documents.flatMap((document) => lists.flatMap((list) => matchDocument(list, document)))
    },

    /** Returns the version of the lists that names are screened against; undefined when none is imported. */
    currentVersion: async (): Promise<number | undefined> => {
      const { version, lists } = await findLists()
      return lists.length > 0 ? version : undefined
    },

    /** Finds the names in a script that cannot be compared: `screen` says nothing about them. */
    findUnreadable: (names: readonly ScreenedName[]): ScreenedName[] =>
      names.filter(({ name, kind }) => !isReadable(name, kind)),

    /** Tells why no one may be approved or paid without a person; undefined when screening is as required. */
    findGap: async (): Promise<ScreeningGap | undefined> =>
      deps.freshness?.isRequired ? findGap(deps.freshness, await findInForce(database), await findLists()) : undefined,

    /** Imports published files as a whole. Other processes load them within seconds. */
    importList: (place: string, options: ImportOptions): Promise<ImportOutcome> =>
      importList({ database, audit }, place, options),

    /** Takes a list out of force. False when it is not in force. */
    removeList: (list: ListName, act: { actor: string; reason: string }): Promise<boolean> =>
      removeList({ database, audit }, list, act),

    /** Reads the lists in force. */
    show: (): Promise<store.WatchList[]> => findInForce(database),

    /** Returns the age of the oldest list in force; NaN when there is none or the database does not answer. */
    listAge: async (): Promise<number> => {
      const inForce = await findInForce(database).catch(() => [])
      return inForce.length > 0 ? Math.max(...inForce.map(({ ageSeconds }) => ageSeconds)) : Number.NaN
    },
  }
}

async function findInForce(database: Database): Promise<store.WatchList[]> {
  return (await store.findNewestLists(database)).filter(({ isRemoved }) => !isRemoved)
}

/** Keeps the lists in force in memory. */
function keepLists({ database, onLoaded }: ScreeningDeps) {
  let loaded: LoadedLists = { version: 0, lists: [] }
  let hasLoaded = false
  let isStopped = false
  let loading: Promise<void> | undefined
  let isReloadRequested = false

  const loadOnce = async () => {
    const before = loaded
    loaded = await loadLists(database, before)
    const changed = loaded.lists.filter((list) => !before.lists.includes(list))
    if (changed.length > 0) onLoaded?.(changed)
    hasLoaded = true
  }
  /** Loads the lists in force into memory. Callers meanwhile share this load, or use the old lists. */
  const load = (): Promise<void> => {
    if (isStopped) return Promise.resolve()
    if (loading) isReloadRequested = true
    loading ??= loadOnce()
      .catch((error: unknown) => {
        // The database is closed under a load that nothing needs any more.
        if (!isStopped) throw error
      })
      .finally(() => {
        loading = undefined
        const isStale = isReloadRequested
        isReloadRequested = false
        // A newer list may have been imported while an older one was being read.
        if (isStale) load().catch(() => {})
      })
    return loading
  }
  return {
    load,
    stop: (): void => {
      isStopped = true
    },
    /** Returns the lists, maybe none. Throws when the first load fails: no answer is safer. */
    findLists: async (): Promise<LoadedLists> => {
      if (!hasLoaded) await load()
      return loaded
    },
  }
}

async function screenNames(lists: readonly LoadedList[], names: readonly ScreenedName[]): Promise<ScreeningMatch[]> {
  const matches: ScreeningMatch[] = []
  let since = performance.now()
  for (const name of names) {
    for (const list of lists) {
      const found = list.index.findName(name)
      matches.push(...found.map((match) => ({ ...placeOf(list, match.entryNumber), ...match, ...fieldOf(name) })))
    }
    if (performance.now() - since < maxStepMs) continue
    await yieldEventLoop()
    since = performance.now()
  }
  return matches
}

function matchDocument(list: LoadedList, document: ScreenedDocument): ScreeningMatch[] {
  return list.index.findDocument(document).map(({ entryNumber, listedName, isSameCountry }) => ({
    ...placeOf(list, entryNumber),
    entryNumber,
    listedName,
    score: 100,
    strength: isSameCountry ? 'match' : 'possible',
    reasons: [isSameCountry ? 'the document number and its country agree' : 'the document number agrees'],
    ...fieldOf(document),
  }))
}

function placeOf({ list, version, index }: LoadedList, entryNumber: string): ListPlace {
  return { list, listVersion: version, programs: index.programsOf(entryNumber) }
}

function fieldOf({ field }: { field?: string }): { field?: string } {
  return field === undefined ? {} : { field }
}
