import type { Queryable } from '../db/database.ts'
import { createDataKey, type DataKey, type DataKeyId, dataKeyContext, takeKey } from './data-key.ts'
import { createKeyCache } from './key-cache.ts'
import type { MasterKeys } from './master-keys.ts'
import { CannotBeOpened } from './seal.ts'
import * as store from './store.ts'

/** A data key has a name within its organization. */
export type KeyName = { organizationId: string; dataKeyId: DataKeyId }

export type UnlockOptions = {
  /** False while this process cannot tell whether a key was destroyed: it then ignores its cache. */
  isFresh(): boolean
  mostCachedKeys?: number
  cachedForMs?: number
}

/** Reads and unwraps data keys, or takes them from the cache while that is safe. */
export function createUnlock(database: Queryable, masterKeys: MasterKeys, options: UnlockOptions) {
  const { isFresh, mostCachedKeys: capacity = 10_000, cachedForMs: lifeMs = 60_000 } = options
  const cache = createKeyCache({ capacity, lifeMs, now: () => performance.now() })

  const unwrap = async (stored: store.StoredDataKey, readIn: number): Promise<DataKey | undefined> => {
    const { organizationId, dataKeyId, wrappedKey, masterKeyId } = stored
    if (wrappedKey === null) return undefined
    const name = dataKeyContext(organizationId, dataKeyId)
    const key = takeKey(await masterKeys.unwrap(masterKeyId, wrappedKey, name))
    cache.keep(name, key, readIn)
    return createDataKey(organizationId, dataKeyId, key)
  }

  return {
    /** Reads all missing keys in one statement. Undefined for a destroyed key; throws for an unknown one. */
    unlockAll: async (wanted: readonly KeyName[]): Promise<(name: KeyName) => DataKey | undefined> => {
      const readIn = cache.generation()
      const unlocked = new Map<string, DataKey | undefined>()
      const missing = new Map(wanted.map((each) => [dataKeyContext(each.organizationId, each.dataKeyId), each]))
      for (const [name, { organizationId, dataKeyId }] of missing) {
        const known = isFresh() ? cache.find(name) : undefined
        if (!known) continue
        unlocked.set(name, createDataKey(organizationId, dataKeyId, known))
        missing.delete(name)
      }
      const keyOf = ({ organizationId, dataKeyId }: KeyName) => unlocked.get(dataKeyContext(organizationId, dataKeyId))
      if (missing.size === 0) return keyOf
      const found = await store.findDataKeys(database, [...missing.values()])
      if (found.length < missing.size) throw new CannotBeOpened()
      const keys = await Promise.all(found.map((stored) => unwrap(stored, readIn)))
      for (const [at, { organizationId, dataKeyId }] of found.entries()) {
        unlocked.set(dataKeyContext(organizationId, dataKeyId), keys[at])
      }
      return keyOf
    },

    forgetAll: cache.clear,
  }
}
