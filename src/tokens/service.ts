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
// Other verifiers fetch the JWKS now and then: a key is shown to them before its first token is.
const publishedAheadMs = 600_000
// An invented key id must not make every request ask the database.
const reloadEveryMs = 1_000
const knownEverywhereMs = 3_000

export type TokenServiceDeps = {
  database: Database
  /** Seals the private halves at rest. */
  sealingKey: Buffer
  audience: string
  audit: Audit
  /** Real time by the database's clock. */
  nowMs(): number
}

/** Signs and reads access tokens. The keys are shared by all processes through the database. */
export function createTokenService({ database, sealingKey, audience, audit, nowMs }: TokenServiceDeps) {
  let keys: SigningKey[] = []
  let loadedAtMs = Number.NEGATIVE_INFINITY

  let loading: Promise<void> | undefined
  const load = (): Promise<void> => {
    // Whoever asks while the keys are read waits for that reading.
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

  const keepFresh = () =>
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
    /** A duty: the first key of a deployment, and a new one each month. */
    keepFresh,

    /** By hand: the new key signs once every process knows it; tokens of the old one end with their lifetime. */
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
      if (!signer) throw new Error('there is no key to sign tokens with')
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
