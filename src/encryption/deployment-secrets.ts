import { hkdfSync, randomBytes } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import type { MasterKeys } from './master-keys.ts'
import { CannotBeOpened } from './seal.ts'
import * as store from './store.ts'

const secretLength = 32

/**
 * A secret of the whole deployment: made at random by whichever process asks first, the same for all of them from then
 * on, whatever master key comes later. Derive keys from it with `deriveKey`.
 */
export async function openDeploymentSecret(
  database: Queryable,
  masterKeys: MasterKeys,
  purpose: string,
): Promise<Buffer> {
  const stored =
    (await store.findDeploymentSecret(database, purpose)) ?? (await createSecret(database, masterKeys, purpose))
  try {
    return await masterKeys.unwrap(stored.masterKeyId, stored.wrappedSecret, nameSecret(purpose))
  } catch (error) {
    if (!(error instanceof CannotBeOpened)) throw error
    throw new Error(`The secret "${purpose}" in svc.deployment_secrets was changed and cannot be opened any more`)
  }
}

/** Two processes may both make one: the first row stays, and both read it. */
async function createSecret(database: Queryable, masterKeys: MasterKeys, purpose: string): Promise<store.StoredSecret> {
  const wrappedSecret = await masterKeys.wrap(randomBytes(secretLength), nameSecret(purpose))
  await store.insertDeploymentSecret(database, { purpose, wrappedSecret, masterKeyId: masterKeys.currentId })
  const kept = await store.findDeploymentSecret(database, purpose)
  if (!kept) throw new Error(`svc.deployment_secrets did not keep the secret "${purpose}"`)
  return kept
}

/** What a secret is wrapped for: it does not unwrap as the secret of another purpose. */
export function nameSecret(purpose: string): string {
  return `deployment secret\n${purpose}`
}

/** One key per purpose: a leak of one says nothing about the others. RFC 5869; the secret is random, so no salt. */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `svc ${purpose}`, 32))
}
