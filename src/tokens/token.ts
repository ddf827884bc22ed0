import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import type { Scope } from '../lib/caller.ts'
import { isUuid } from '../lib/ids.ts'
import { acceptedKeys, type SigningKey, tokenLifetimeSeconds } from './signing-key.ts'

/** The claims of a token: its API key, and the scopes it is limited to. */
export type TokenClaims = { organizationId: string; apiKeyId: string; scopes: Scope[]; expiresAtMs: number }

// RFC 9068: the type separates access tokens from other kinds of JWT.
const tokenType = 'at+jwt'
const issuer = 'svc'
const longestToken = 8_192

export async function signToken(
  key: SigningKey,
  claims: Omit<TokenClaims, 'expiresAtMs'>,
  audience: string,
  nowMs: number,
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000)
  return new SignJWT({ org: claims.organizationId, scope: claims.scopes.join(' ') })
    .setProtectedHeader({ alg: 'EdDSA', typ: tokenType, kid: key.keyId })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(claims.apiKeyId)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(issuedAt + tokenLifetimeSeconds)
    .sign(createPrivateKey({ key: key.privateKey, format: 'jwk' }))
}

/** Verifies a token; `expired` is one of ours whose only fault is its age. Of the header it trusts only the id of one of our keys, never the algorithm. */
export async function readToken(
  token: string,
  keys: readonly SigningKey[],
  audience: string,
  nowMs: number,
): Promise<TokenClaims | 'expired' | undefined> {
  if (token.length > longestToken) return undefined
  const key = acceptedKeys(keys, nowMs).find((each) => each.keyId === keyIdOf(token))
  if (!key) return undefined
  try {
    const { payload } = await jwtVerify(token, createPublicKey({ key: key.publicKey, format: 'jwk' }), {
      algorithms: ['EdDSA'],
      typ: tokenType,
      issuer,
      audience,
      currentDate: new Date(nowMs),
      requiredClaims: ['sub', 'org', 'scope', 'exp', 'iat'],
      maxTokenAge: tokenLifetimeSeconds,
      clockTolerance: 5, // each process knows the database's clock to a few milliseconds
    })
    const { sub, org, scope, exp, aud } = payload
    if (typeof aud !== 'string' || typeof sub !== 'string' || typeof org !== 'string' || typeof scope !== 'string')
      return undefined
    if (!isUuid(sub) || !isUuid(org)) return undefined
    return { organizationId: org, apiKeyId: sub, scopes: scope.split(' ') as Scope[], expiresAtMs: (exp ?? 0) * 1_000 }
  } catch (error) {
    // Raised for a token whose signature, type, issuer and audience are right.
    return error instanceof errors.JWTExpired ? 'expired' : undefined
  }
}

export function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    return undefined
  }
}
