import type { KeyObject } from 'node:crypto'
import type { Queryable } from '../../db/database.ts'
import type { DataKey } from '../../encryption/data-key.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import type { Webhook } from '../webhook.ts'
import { keyOfSecret } from './signature.ts'
import { readLiveSecrets } from './store.ts'

type KeyDeps = { database: Queryable; vault: Vault }

export function placeOfSecret(secretId: string) {
  return { table: 'webhook_secrets', row: secretId, column: 'secret' }
}

/** Opens the secrets that sign for a webhook now; none when the webhook was deleted. */
export async function openSecrets(
  { database, vault }: KeyDeps,
  webhook: Pick<Webhook, 'organizationId' | 'webhookId' | 'dataKeyId'>,
): Promise<string[]> {
  const key = await vault.unlock(webhook.organizationId, webhook.dataKeyId)
  if (!key) return []
  const secrets = await readLiveSecrets(database, webhook)
  return secrets.map(({ secretId, sealedSecret }) => key.open(placeOfSecret(secretId), sealedSecret).toString())
}

/** Opens the live signing keys and the sealing key of a webhook; undefined when the webhook was deleted. */
export async function openKeys(
  deps: KeyDeps,
  webhook: Pick<Webhook, 'organizationId' | 'webhookId' | 'dataKeyId'>,
): Promise<{ signing: KeyObject[]; sealing: DataKey } | undefined> {
  const sealing = await deps.vault.unlock(webhook.organizationId, webhook.dataKeyId)
  return sealing && { signing: (await openSecrets(deps, webhook)).map(keyOfSecret), sealing }
}
