import { onTestFinished } from 'vitest'
import type { Database, Queryable } from '../../../src/db/database.ts'
import { pollRevisions, type RevisionPoller } from '../../../src/db/revisions.ts'
import type { DataKeyId, FieldPlace } from '../../../src/encryption/data-key.ts'
import { createVault, type Vault } from '../../../src/encryption/data-keys.ts'
import type { MasterKeys } from '../../../src/encryption/master-keys.ts'
import { newId } from '../../../src/lib/ids.ts'
import { openForTest, type TestDatabase } from '../runner/database.ts'

export type TestVault = { pool: Database; vault: Vault }

/** A vault with its own pool and poller, as another process would have. */
export async function startVault(
  database: TestDatabase,
  masterKeys: MasterKeys,
): Promise<TestVault & { poller: RevisionPoller }> {
  const pool = openForTest(database.app)
  const poller = pollRevisions(pool, {
    onChange: (name) => {
      if (name === 'data keys') vault.forgetAll()
    },
  })
  const vault = createVault(pool, masterKeys, { isFresh: poller.isFresh })
  onTestFinished(() => poller.stop())
  await poller.started
  return { pool, vault, poller }
}

export async function addOrganization(database: Queryable): Promise<string> {
  const organizationId = newId()
  await database.query({
    text: `insert into svc.organizations (organization_id, name, tier) values ($1, 'Test', 'BUILDER')`,
    values: [organizationId],
  })
  return organizationId
}

export type StoredField = { dataKeyId: DataKeyId; place: FieldPlace; sealed: Buffer; content: string }

/** Adds a key and one field sealed with it, as a new customer does. */
export async function addField({ pool, vault }: TestVault, organizationId: string): Promise<StoredField> {
  const dataKey = await vault.prepareDataKey(organizationId)
  const place = { table: 'customers', row: newId(), column: 'email' }
  const content = `${place.row}@example.com`
  const sealed = dataKey.seal(place, content)
  const dataKeyId = await pool.inTx((tx) => vault.createDataKey(tx, dataKey))
  return { dataKeyId, place, sealed, content }
}

export async function addFields(of: TestVault, organizationId: string, count: number): Promise<StoredField[]> {
  return Promise.all(Array.from({ length: count }, () => addField(of, organizationId)))
}

export async function readField(vault: Vault, organizationId: string, field: StoredField): Promise<string> {
  const opened = await vault.openField(organizationId, field.dataKeyId, field.place, field.sealed)
  return opened.outcome === 'OPENED' ? opened.bytes.toString() : opened.outcome
}

export function destroy({ pool, vault }: TestVault, organizationId: string, dataKeyId: DataKeyId): Promise<boolean> {
  return pool.inTx((tx) => vault.destroyDataKey(tx, organizationId, dataKeyId))
}

/** The same master keys, with a hook before each call. */
export function tapMasterKeys(masterKeys: MasterKeys, before: (call: 'wrap' | 'unwrap') => unknown): MasterKeys {
  return {
    currentId: masterKeys.currentId,
    wrap: async (plain, context) => {
      await before('wrap')
      return masterKeys.wrap(plain, context)
    },
    unwrap: async (masterKeyId, wrapped, context) => {
      await before('unwrap')
      return masterKeys.unwrap(masterKeyId, wrapped, context)
    },
  }
}
