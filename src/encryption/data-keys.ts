import { randomBytes } from 'node:crypto'
import type { Queryable, Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { newId } from '../lib/ids.ts'
import {
  createDataKey,
  type DataKey,
  DataKeyDestroyed,
  type DataKeyId,
  dataKeyContext,
  type FieldPlace,
  type NewDataKey,
  takeKey,
} from './data-key.ts'
import type { MasterKeys } from './master-keys.ts'
import * as store from './store.ts'
import { createUnlock, type UnlockOptions } from './unlock.ts'

export type SealedField = { dataKeyId: DataKeyId; place: FieldPlace; sealed: Buffer }

/** DESTROYED is a normal outcome after an erasure. A value that cannot be opened is a fault and throws. */
export type OpenedField = { outcome: 'OPENED'; bytes: Buffer } | { outcome: 'DESTROYED' }

export type Vault = ReturnType<typeof createVault>

/**
 * Seals and opens fields. Every asynchronous function may read the database or call a key service: inside a database
 * transaction use a key that was prepared or unlocked before. Call `forgetAll` when the revision "data keys" changes.
 */
export function createVault(database: Queryable, masterKeys: MasterKeys, options: UnlockOptions) {
  const { unlockAll, forgetAll } = createUnlock(database, masterKeys, options)

  /** Unlocks a key; undefined when it was destroyed. */
  const unlock = async (organizationId: string, dataKeyId: DataKeyId): Promise<DataKey | undefined> =>
    (await unlockAll([{ organizationId, dataKeyId }]))({ organizationId, dataKeyId })

  return {
    unlock,
    /** Unlocks many keys with one statement; undefined for a destroyed one. */
    unlockAll,
    forgetAll,

    /** Throws DataKeyDestroyed. */
    sealField: async (
      organizationId: string,
      dataKeyId: DataKeyId,
      place: FieldPlace,
      content: string | Buffer,
    ): Promise<Buffer> => {
      const key = await unlock(organizationId, dataKeyId)
      if (!key) throw new DataKeyDestroyed(dataKeyId)
      return key.seal(place, content)
    },

    /** Throws CannotBeOpened. */
    openField: async (
      organizationId: string,
      dataKeyId: DataKeyId,
      place: FieldPlace,
      sealed: Buffer,
    ): Promise<OpenedField> => openWith(await unlock(organizationId, dataKeyId), place, sealed),

    /** Opens many fields with one statement and one unwrap per key. Throws CannotBeOpened when any field cannot be. */
    openFields: async (organizationId: string, fields: readonly SealedField[]): Promise<OpenedField[]> => {
      const keyOf = await unlockAll(fields.map(({ dataKeyId }) => ({ organizationId, dataKeyId })))
      return fields.map(({ dataKeyId, place, sealed }) => openWith(keyOf({ organizationId, dataKeyId }), place, sealed))
    },

    /** Creates and wraps a key, before the database transaction that stores it. */
    prepareDataKey: async (organizationId: string): Promise<NewDataKey> => {
      const dataKeyId = newId()
      const bytes = randomBytes(32)
      const wrappedKey = await masterKeys.wrap(bytes, dataKeyContext(organizationId, dataKeyId))
      const key = createDataKey(organizationId, dataKeyId, takeKey(bytes))
      return { ...key, wrappedKey, masterKeyId: masterKeys.currentId }
    },

    /** Stores a prepared key, in the database transaction of the first value sealed with it. */
    createDataKey: async (tx: Tx, prepared: NewDataKey): Promise<DataKeyId> => {
      await store.insertDataKey(tx, prepared)
      return prepared.dataKeyId
    },

    /**
     * Makes everything sealed with the key unreadable, in every process within a second of the commit. False when the
     * key is already destroyed. Call it last in the database transaction: see bumpRevision.
     */
    destroyDataKey: async (tx: Tx, organizationId: string, dataKeyId: DataKeyId): Promise<boolean> => {
      const isDestroyed = await store.destroyDataKey(tx, organizationId, dataKeyId)
      if (isDestroyed) await bumpRevision(tx, 'data keys')
      return isDestroyed
    },
  }
}

function openWith(key: DataKey | undefined, place: FieldPlace, sealed: Buffer): OpenedField {
  return key ? { outcome: 'OPENED', bytes: key.open(place, sealed) } : { outcome: 'DESTROYED' }
}
