import type { JsonWebKey } from 'node:crypto'
import type { Queryable, Tx } from '../db/database.ts'

export type NewSigningKey = {
  keyId: string
  publicKey: JsonWebKey
  sealedPrivateKey: Buffer
  signsFrom: Date
  endsEarlier: boolean
}
export type StoredSigningKey = NewSigningKey & { createdAt: Date }

export function listSigningKeys(database: Queryable): Promise<StoredSigningKey[]> {
  return database.query<StoredSigningKey>({
    name: 'list signing keys',
    text: `select key_id as "keyId", public_key as "publicKey", sealed_private_key as "sealedPrivateKey",
                  signs_from as "signsFrom", created_at as "createdAt", ends_earlier as "endsEarlier"
             from svc.signing_keys order by signs_from desc limit 200`,
  })
}

/** Serializes processes that both find a new key due: the second waits and then sees the key of the first. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx.query({ text: `select pg_advisory_xact_lock(hashtext('svc signing keys'))` })
}

export async function insertSigningKey(tx: Tx, key: NewSigningKey): Promise<void> {
  await tx.query({
    text: `insert into svc.signing_keys (key_id, public_key, sealed_private_key, signs_from, ends_earlier)
           values ($1, $2, $3, $4, $5)`,
    values: [key.keyId, JSON.stringify(key.publicKey), key.sealedPrivateKey, key.signsFrom, key.endsEarlier],
  })
}
