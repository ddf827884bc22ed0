import { generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'

/** A key pair for tokens. The JWKS publishes it at once; it signs from `signsFrom` on. */
export type SigningKey = {
  keyId: string
  publicKey: JsonWebKey
  privateKey: JsonWebKey
  signsFrom: Date
  createdAt: Date
  /** Every key that was created before this one has ended. */
  endsEarlier: boolean
}

export const tokenLifetimeSeconds = 1_800
// Tolerance for the clocks of external verifiers.
const graceMs = 300_000

export function createSigningKey(
  signsFrom: Date,
): Pick<SigningKey, 'keyId' | 'publicKey' | 'privateKey' | 'signsFrom'> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    keyId: randomUUID(),
    publicKey: publicKey.export({ format: 'jwk' }),
    privateKey: privateKey.export({ format: 'jwk' }),
    signsFrom,
  }
}

/** Drops the keys that a later one has ended: they neither sign nor verify, and the JWKS no longer shows them. */
export function dropEnded(keys: readonly SigningKey[]): SigningKey[] {
  const ends = keys.filter((key) => key.endsEarlier).map((key) => key.createdAt.getTime())
  const since = Math.max(Number.NEGATIVE_INFINITY, ...ends)
  return keys.filter((key) => key.createdAt.getTime() >= since)
}

/** Chooses the newest key that may sign already. */
export function chooseSigner(keys: readonly SigningKey[], nowMs: number): SigningKey | undefined {
  const ready = keys.filter((key) => key.signsFrom.getTime() <= nowMs)
  return ready.sort((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime())[0]
}

/** Selects the keys whose tokens are valid: those that sign, will sign, or signed within the last token lifetime. */
export function acceptedKeys(keys: readonly SigningKey[], nowMs: number): SigningKey[] {
  const oldest = nowMs - tokenLifetimeSeconds * 1_000 - graceMs
  const signer = chooseSigner(keys, oldest)
  return keys.filter((key) => key === signer || key.signsFrom.getTime() > oldest)
}

/** Presents public keys by RFC 7517, with the names of RFC 8037. */
export function presentJwks(keys: readonly SigningKey[]) {
  return {
    keys: keys.map(({ keyId, publicKey }) => ({
      kty: publicKey.kty,
      crv: publicKey.crv,
      x: publicKey.x,
      kid: keyId,
      use: 'sig',
      alg: 'EdDSA',
    })),
  }
}
