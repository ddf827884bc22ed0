import type { JsonWebKey } from 'node:crypto'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { openSealed, seal } from '../encryption/seal.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import { acceptedKeys, chooseSigner, createSigningKey, presentJwks, type SigningKey } from './signing-key.ts'
import * as store from './store.ts'
import { keyIdOf, readToken, signToken, type TokenClaims } from './token.ts'

export type TokenService = ReturnType<typeof createTokenService>

const newKeyAfterMs = 30 * 24 * 3_600_000
// External verifiers cache the JWKS: a key is published before it signs its first token.
const publishedAheadMs = 600_000
// Limits database reads for tokens with invented key ids.
const reloadEveryMs = 1_000
const knownEverywhereMs = 3_000

export type TokenServiceDeps = {
  database: Database
  /** Seals the private keys at rest. */
  sealingKey: Buffer
  audience: string
  audit: Audit
  /** Real time by the database's clock. */
  nowMs(): number
}

/** Signs and verifies access tokens. All processes share the signing keys through the database. */
export function createTokenService({ database, sealingKey, audience, audit, nowMs }: TokenServiceDeps) {
  let keys: SigningKey[] = []
  let loadedAtMs = Number.NEGATIVE_INFINITY

  let loading: Promise<void> | undefined
  const load = (): Promise<void> => {
    // Concurrent callers share one read.
    loading ??= store
      .listSigningKeys(database)
      .then((stored) => {
        keys = stored.map((each) => openKey(each, sealingKey))
        loadedAtMs = nowMs()
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  const addKey = async (tx: Tx, signsFrom: Date) => {
    const key = createSigningKey(signsFrom)
    const sealedPrivateKey = seal(sealingKey, Buffer.from(JSON.stringify(key.privateKey)), placeOf(key.keyId))
    await store.insertSigningKey(tx, { ...key, sealedPrivateKey })
    await bumpRevision(tx, 'credentials')
    return key
  }

  const renewKeys = () =>
    database.inTx(async (tx) => {
      await store.lockSigningKeys(tx)
      const stored = await store.listSigningKeys(tx)
      const newest = stored[0]?.signsFrom.getTime()
      if (newest === undefined) await addKey(tx, new Date(nowMs()))
      else if (newest < nowMs() - newKeyAfterMs) await addKey(tx, new Date(nowMs() + publishedAheadMs))
      else return 'nothing due'
      return 'a key was added'
    })

  return {
    load,
    /** Creates the first key of a deployment, and a new one each month. A duty calls it. */
    renewKeys,

    /** Adds a key on the operator's command. It signs once every process knows it. Issued tokens stay valid. */
    rotate: async (signsFromMs = nowMs() + knownEverywhereMs) => {
      await database.inTx(async (tx) => {
        const { keyId: subjectId } = await addKey(tx, new Date(signsFromMs))
        const act = { actor: 'command line', action: 'signing_key.rotated', subjectId }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      })
      await load()
    },

    sign: async (claims: Omit<TokenClaims, 'expiresAtMs'>): Promise<string> => {
      const signer = chooseSigner(keys, nowMs())
      if (!signer) throw new Error('svc.signing_keys has no key that may sign tokens yet')
      return signToken(signer, claims, audience, nowMs())
    },

    read: async (token: string): Promise<TokenClaims | undefined> => {
      const keyId = keyIdOf(token)
      const isUnknown = keyId !== undefined && !keys.some((key) => key.keyId === keyId)
      if (isUnknown && (loading || nowMs() - loadedAtMs > reloadEveryMs)) await load()
      return readToken(token, keys, audience, nowMs())
    },

    jwks: () => presentJwks(acceptedKeys(keys, nowMs())),
  }
}

function placeOf(keyId: string) {
  return { organizationId: '', table: 'signing_keys', row: keyId, column: 'private_key' }
}

function openKey(
  { keyId, publicKey, sealedPrivateKey, signsFrom }: store.StoredSigningKey,
  sealingKey: Buffer,
): SigningKey {
  const privateKey = JSON.parse(openSealed(sealingKey, sealedPrivateKey, placeOf(keyId)).toString()) as JsonWebKey
  return { keyId, publicKey, privateKey, signsFrom }
}
