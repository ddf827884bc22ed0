import type { Queryable } from '../db/database.ts'
import { createDataKey, type DataKey, type DataKeyId, nameDataKey, takeKey } from './data-key.ts'
import { createKeyCache } from './key-cache.ts'
import type { MasterKeys } from './master-keys.ts'
import { CannotBeOpened } from './seal.ts'
import * as store from './store.ts'

export type UnlockOptions = {
  /** False while this process cannot tell whether a key was destroyed: then no key is taken from memory. */
  isFresh(): boolean
  mostCachedKeys?: number
  cachedForMs?: number
}

/** Finds data keys and has them unwrapped, or takes them from memory as long as that is safe. */
export function createUnlock(database: Queryable, masterKeys: MasterKeys, options: UnlockOptions) {
  const { isFresh, mostCachedKeys: most = 1_000, cachedForMs: lifeMs = 60_000 } = options
  const cache = createKeyCache({ most, lifeMs, now: () => performance.now() })

  const unwrap = async (row: store.StoredDataKey, readIn: number): Promise<DataKey | undefined> => {
    const { organizationId, dataKeyId, wrappedKey, masterKeyId } = row
    if (wrappedKey === null) return undefined
    const name = nameDataKey(organizationId, dataKeyId)
    const key = takeKey(await masterKeys.unwrap(masterKeyId, wrappedKey, name))
    cache.keep(name, key, readIn)
    return createDataKey(organizationId, dataKeyId, key)
  }

  return {
    /** Each key once, all rows in one statement. Undefined stands for a destroyed key; an unknown one throws. */
    unlockAll: async (
      organizationId: string,
      dataKeyIds: readonly DataKeyId[],
    ): Promise<ReadonlyMap<DataKeyId, DataKey | undefined>> => {
      const readIn = cache.generation()
      const unlocked = new Map<DataKeyId, DataKey | undefined>()
      for (const dataKeyId of dataKeyIds) {
        const known = isFresh() ? cache.find(nameDataKey(organizationId, dataKeyId)) : undefined
        if (known) unlocked.set(dataKeyId, createDataKey(organizationId, dataKeyId, known))
      }
      const missing = [...new Set(dataKeyIds)].filter((dataKeyId) => !unlocked.has(dataKeyId))
      if (missing.length === 0) return unlocked
      const rows = await store.findDataKeys(database, organizationId, missing)
      if (rows.length < missing.length) throw new CannotBeOpened()
      const keys = await Promise.all(rows.map((row) => unwrap(row, readIn)))
      rows.forEach(({ dataKeyId }, at) => {
        unlocked.set(dataKeyId, keys[at])
      })
      return unlocked
    },

    forgetAll: cache.clear,
  }
}
