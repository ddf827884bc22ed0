import { randomBytes } from 'node:crypto'
import type { Queryable, Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { newId } from '../lib/ids.ts'
import {
  createDataKey,
  type DataKey,
  DataKeyDestroyed,
  type DataKeyId,
  type FieldPlace,
  type NewDataKey,
  nameDataKey,
  takeKey,
} from './data-key.ts'
import type { MasterKeys } from './master-keys.ts'
import * as store from './store.ts'
import { createUnlock, type UnlockOptions } from './unlock.ts'

export type SealedField = { dataKeyId: DataKeyId; place: FieldPlace; sealed: Buffer }

/** A destroyed key is an answer, after an erasure. A value that cannot be opened is a fault, and thrown. */
export type OpenedField = { outcome: 'OPENED'; bytes: Buffer } | { outcome: 'DESTROYED' }

export type Vault = ReturnType<typeof createVault>

/**
 * Seals and opens fields. Whatever is asynchronous here may read the database or call a key service: inside a
 * transaction use a key that was prepared or unlocked before. Call `forgetAll` when the revision "data keys" changes.
 */
export function createVault(database: Queryable, masterKeys: MasterKeys, options: UnlockOptions) {
  const { unlockAll, forgetAll } = createUnlock(database, masterKeys, options)

  /** The key at hand; undefined when it was destroyed. */
  const unlock = async (organizationId: string, dataKeyId: DataKeyId): Promise<DataKey | undefined> =>
    (await unlockAll(organizationId, [dataKeyId])).get(dataKeyId)

  return {
    unlock,
    /** Many keys of one organization at once; undefined stands for one that was destroyed. */
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

    /** Many fields at the price of one statement and one unwrapping a key. Throws CannotBeOpened if any one cannot. */
    openFields: async (organizationId: string, fields: readonly SealedField[]): Promise<OpenedField[]> => {
      const dataKeyIds = fields.map((field) => field.dataKeyId)
      const keys = await unlockAll(organizationId, dataKeyIds)
      return fields.map(({ dataKeyId, place, sealed }) => openWith(keys.get(dataKeyId), place, sealed))
    },

    /** Makes a key and has it wrapped: do this before the transaction that stores it. */
    prepareDataKey: async (organizationId: string): Promise<NewDataKey> => {
      const dataKeyId = newId()
      const bytes = randomBytes(32)
      const wrappedKey = await masterKeys.wrap(bytes, nameDataKey(organizationId, dataKeyId))
      const key = createDataKey(organizationId, dataKeyId, takeKey(bytes))
      return { ...key, wrappedKey, masterKeyId: masterKeys.currentId }
    },

    /** Stores a prepared key, in the transaction that stores the first thing sealed with it. */
    createDataKey: async (tx: Tx, prepared: NewDataKey): Promise<DataKeyId> => {
      await store.insertDataKey(tx, prepared)
      return prepared.dataKeyId
    },

    /**
     * Makes everything that was sealed with the key unreadable, in every process within a second of the commit. False
     * when there is no such key any more. Do it last in the transaction: see raiseRevision.
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
