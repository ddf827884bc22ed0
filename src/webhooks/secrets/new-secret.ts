import type { Tx } from '../../db/database.ts'
import type { DataKey } from '../../encryption/data-key.ts'
import { newId } from '../../lib/ids.ts'
import type { Webhook } from '../webhook.ts'
import { createSecret } from './signature.ts'
import { placeOfSecret } from './signing-keys.ts'
import { insertSecret } from './store.ts'

/** Gives a webhook a new secret and returns it. The secret before it still signs for a day. */
export async function addSecret(tx: Tx, webhook: Webhook, key: DataKey): Promise<string> {
  const secret = createSecret()
  const secretId = newId()
  const sealedSecret = key.seal(placeOfSecret(secretId), secret)
  await insertSecret(tx, webhook, { secretId, sealedSecret })
  return secret
}
