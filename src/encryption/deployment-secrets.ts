import { hkdfSync, randomBytes } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import type { MasterKeys } from './master-keys.ts'
import { CannotBeOpened } from './seal.ts'
import * as store from './store.ts'

const secretLength = 32

/**
 * Opens a secret of the whole deployment. The first process to ask creates it at random; it outlives rotations of the
 * master key. Derive keys from it with `deriveKey`.
 */
export async function openDeploymentSecret(
  database: Queryable,
  masterKeys: MasterKeys,
  purpose: string,
): Promise<Buffer> {
  const stored =
    (await store.findDeploymentSecret(database, purpose)) ?? (await createSecret(database, masterKeys, purpose))
  try {
    return await masterKeys.unwrap(stored.masterKeyId, stored.wrappedSecret, secretContext(purpose))
  } catch (error) {
    if (!(error instanceof CannotBeOpened)) throw error
    throw new Error(`The secret "${purpose}" in svc.deployment_secrets was altered. Restore its row from a backup.`)
  }
}

/** Creates a secret. When two processes create one, the first row stays and both read it. */
async function createSecret(database: Queryable, masterKeys: MasterKeys, purpose: string): Promise<store.StoredSecret> {
  const wrappedSecret = await masterKeys.wrap(randomBytes(secretLength), secretContext(purpose))
  await store.insertDeploymentSecret(database, { purpose, wrappedSecret, masterKeyId: masterKeys.currentId })
  const kept = await store.findDeploymentSecret(database, purpose)
  if (!kept) throw new Error(`svc.deployment_secrets did not keep the secret "${purpose}"`)
  return kept
}

/** The wrapping context of a secret: it does not unwrap as the secret of another purpose. */
export function secretContext(purpose: string): string {
  return `deployment secret\n${purpose}`
}

/** Derives one key per purpose: a leaked one reveals no other. RFC 5869; no salt, because the secret is random. */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `svc ${purpose}`, 32))
}
