import type { JsonWebKey } from 'node:crypto'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { openSealed, seal } from '../encryption/seal.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import { acceptedKeys, chooseSigner, createSigningKey, dropEnded, presentJwks, type SigningKey } from './signing-key.ts'
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
  /** Who acts on the command line. */
  actor: string
  /** Real time by the database's clock. */
  nowMs(): number
}

/** Signs and verifies access tokens. All processes share the signing keys through the database. */
export function createTokenService({ database, sealingKey, audience, audit, actor, nowMs }: TokenServiceDeps) {
  let keys: SigningKey[] = []
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let isCurrent = false

  let loading: Promise<void> | undefined
  const startLoading = (): Promise<void> => {
    const reading = store
      .listSigningKeys(database)
      .then((stored) => {
        // A read that began before the last change may lack it.
        if (loading !== reading) return
        keys = dropEnded(stored.map((each) => openKey(each, sealingKey)))
        loadedAtMs = nowMs()
        isCurrent = true
      })
      .finally(() => {
        if (loading === reading) loading = undefined
      })
    return reading
  }
  const load = (): Promise<void> => {
    // Concurrent callers share one read.
    loading ??= startLoading()
    return loading
  }

  return {
    load,
    /** Reads the keys anew after a change. Until that has succeeded, no token is verified with those of before. */
    reload: (): Promise<void> => {
      isCurrent = false
      loading = undefined
      return load()
    },
    ...createKeyOperations({ database, sealingKey, audit, actor, nowMs }, load),

    sign: async (claims: Omit<TokenClaims, 'expiresAtMs'>): Promise<string> => {
      const signer = chooseSigner(keys, nowMs())
      if (!signer) throw new Error('svc.signing_keys has no key that may sign tokens yet')
      return signToken(signer, claims, audience, nowMs())
    },

    /** Reads a token. A process that may have missed a change of the keys reads them anew first. */
    read: async (token: string, isFresh = true): Promise<TokenClaims | undefined> => {
      if (!isFresh || !isCurrent) await load()
      const keyId = keyIdOf(token)
      const isUnknown = keyId !== undefined && !keys.some((key) => key.keyId === keyId)
      if (isUnknown && (loading || nowMs() - loadedAtMs > reloadEveryMs)) await load()
      const claims = await readToken(token, keys, audience, nowMs())
      return claims === 'expired' ? undefined : claims
    },

    /** Tells whether this is a token of ours that has expired. Asked after `read`, which has loaded the keys. */
    isExpired: async (token: string): Promise<boolean> =>
      (await readToken(token, keys, audience, nowMs())) === 'expired',

    jwks: () => presentJwks(acceptedKeys(keys, nowMs())),
  }
}

type KeyDeps = Pick<TokenServiceDeps, 'database' | 'sealingKey' | 'audit' | 'actor' | 'nowMs'>

/** Adds signing keys, and ends earlier ones. */
function createKeyOperations({ database, sealingKey, audit, actor, nowMs }: KeyDeps, load: () => Promise<void>) {
  const addKey = async (tx: Tx, signsFrom: Date, endsEarlier = false) => {
    const key = createSigningKey(signsFrom)
    const sealedPrivateKey = seal(sealingKey, Buffer.from(JSON.stringify(key.privateKey)), placeOf(key.keyId))
    await store.insertSigningKey(tx, { ...key, sealedPrivateKey, endsEarlier })
    await bumpRevision(tx, 'credentials')
    return key
  }

  return {
    /** Creates the first key of a deployment, and a new one each month. A duty calls it. */
    renewKeys: (): Promise<string> =>
      database.inTx(async (tx) => {
        await store.lockSigningKeys(tx)
        const stored = await store.listSigningKeys(tx)
        const newest = stored[0]?.signsFrom.getTime()
        if (newest === undefined) await addKey(tx, new Date(nowMs()))
        else if (newest < nowMs() - newKeyAfterMs) await addKey(tx, new Date(nowMs() + publishedAheadMs))
        else return 'nothing due'
        return 'a key was added'
      }),

    /** Adds a key on the operator's command. It signs once every process knows it. Issued tokens stay valid. */
    rotate: async (signsFromMs = nowMs() + knownEverywhereMs) => {
      await database.inTx(async (tx) => {
        const { keyId: subjectId } = await addKey(tx, new Date(signsFromMs))
        const act = { actor, action: 'signing_key.rotated', subjectId }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      })
      await load()
    },

    /**
     * Adds a key that signs from now on, and ends every other one at once: this process refuses their tokens from now
     * on, every other process within a second.
     */
    revokeAndRotate: async () => {
      await database.inTx(async (tx) => {
        await store.lockSigningKeys(tx)
        const { keyId: subjectId } = await addKey(tx, new Date(nowMs()), true)
        const act = { actor, action: 'signing_key.revoked_earlier', subjectId }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      })
      await load()
    },
  }
}

function placeOf(keyId: string) {
  return { organizationId: '', table: 'signing_keys', row: keyId, column: 'private_key' }
}

function openKey({ sealedPrivateKey, ...key }: store.StoredSigningKey, sealingKey: Buffer): SigningKey {
  const privateKey = JSON.parse(openSealed(sealingKey, sealedPrivateKey, placeOf(key.keyId)).toString()) as JsonWebKey
  return { ...key, privateKey }
}
