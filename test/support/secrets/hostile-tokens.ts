import { createHmac, createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

type Claims = Record<string, unknown>
type Header = Record<string, unknown>

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

/** A token signed with any key, regardless of its header. */
function forge(header: Header, claims: Claims, key: KeyObject): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', Buffer.from(signed), key).toString('base64url')}`
}

function forgeWithSecret(header: Header, claims: Claims, secret: string | Buffer): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/**
 * Tokens that the service must reject, made from a good one, the published public key, and (for those whose
 * only fault is in their claims) the private key that signed it.
 */
export function makeHostileTokens(
  good: string,
  jwk: JsonWebKey & { kid?: string },
  privateJwk: JsonWebKey,
): [string, string][] {
  return [...wronglySigned(good, jwk), ...wronglyFilled(good, createPrivateKey({ key: privateJwk, format: 'jwk' }))]
}

function takeApart(good: string) {
  const [headerPart = '', claimsPart = '', signature = ''] = good.split('.')
  return {
    headerPart,
    claimsPart,
    signature,
    header: decode(headerPart) as Header,
    claims: decode(claimsPart) as Claims,
  }
}

function wronglySigned(good: string, jwk: JsonWebKey): [string, string][] {
  const { headerPart, claimsPart, signature, header, claims } = takeApart(good)
  const theirs = generateKeyPairSync('ed25519')
  const theirJwk = theirs.publicKey.export({ format: 'jwk' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return [
    ['alg none without signature', `${encode({ ...header, alg: 'none' })}.${claimsPart}.`],
    ['alg None with the signature kept', `${encode({ ...header, alg: 'None' })}.${claimsPart}.${signature}`],
    ['no signature at all', `${headerPart}.${claimsPart}`],
    ['an empty signature', `${headerPart}.${claimsPart}.`],
    ['a signature of zeros', `${headerPart}.${claimsPart}.${Buffer.alloc(64).toString('base64url')}`],
    [
      'key confusion: HS256 with the public key as secret',
      forgeWithSecret({ ...header, alg: 'HS256' }, claims, String(jwk.x)),
    ],
    [
      'key confusion: HS256 with the raw public key',
      forgeWithSecret({ ...header, alg: 'HS256' }, claims, Buffer.from(String(jwk.x), 'base64url')),
    ],
    [
      'key confusion: HS256 with the JWK text',
      forgeWithSecret({ ...header, alg: 'HS256' }, claims, JSON.stringify(jwk)),
    ],
    ['HS256 with an empty secret', forgeWithSecret({ ...header, alg: 'HS256' }, claims, '')],
    ['signed with another key under our key id', forge(header, claims, theirs.privateKey)],
    ['signed with another key under its own id', forge({ ...header, kid: 'theirs' }, claims, theirs.privateKey)],
    ['an embedded key', forge({ ...header, jwk: theirJwk }, claims, theirs.privateKey)],
    ['an embedded key without id', forge({ alg: 'EdDSA', typ: 'at+jwt', jwk: theirJwk }, claims, theirs.privateKey)],
    ['a key set by address', forge({ ...header, jku: 'http://127.0.0.1:9/jwks.json' }, claims, theirs.privateKey)],
    ['a certificate by address', forge({ ...header, x5u: 'http://127.0.0.1:9/cert.pem' }, claims, theirs.privateKey)],
    ['RS256', forge({ ...header, alg: 'RS256' }, claims, rsa)],
    ['ES256', forge({ ...header, alg: 'ES256' }, claims, curve)],
    ['a key id that walks paths', forge({ ...header, kid: '../../../../dev/null' }, claims, theirs.privateKey)],
    ['a key id with SQL', forge({ ...header, kid: "x' or '1'='1" }, claims, theirs.privateKey)],
  ]
}

function wronglyFilled(good: string, ours: KeyObject): [string, string][] {
  const { headerPart, claimsPart, signature, header, claims } = takeApart(good)
  const now = Math.floor(Date.now() / 1_000)
  const resigned = (changed: Claims) => forge(header, { ...claims, ...changed }, ours)
  const without = (name: string) =>
    forge(header, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)), ours)
  return [
    ['no key id', forge({ alg: 'EdDSA', typ: 'at+jwt' }, claims, ours)],
    ['another type', forge({ ...header, typ: 'JWT' }, claims, ours)],
    ['an unknown critical extension', forge({ ...header, crit: ['b64'], b64: false }, claims, ours)],
    ['a tampered scope', `${headerPart}.${encode({ ...claims, scope: 'ledger:write' })}.${signature}`],
    [
      'a tampered organization',
      `${headerPart}.${encode({ ...claims, org: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11' })}.${signature}`,
    ],
    ['one flipped bit of the signature', `${headerPart}.${claimsPart}.${flipFirstBit(signature)}`],
    ['expired', resigned({ iat: now - 4_000, nbf: now - 4_000, exp: now - 2_200 })],
    ['not yet valid', resigned({ nbf: now + 600 })],
    ['issued in the future', resigned({ iat: now + 600 })],
    ['a life of ten years from long ago', resigned({ iat: now - 100_000, exp: now + 315_360_000 })],
    ['an expiry that is text', resigned({ exp: String(now + 600) })],
    ['without expiry', without('exp')],
    ['without time of issue', without('iat')],
    ['another audience', resigned({ aud: 'svc:production' })],
    ['several audiences, ours among them', resigned({ aud: ['svc:sandbox', 'other'] })],
    ['without audience', without('aud')],
    ['another issuer', resigned({ iss: 'https://evil.example' })],
    ['without subject', without('sub')],
    ['a subject that is no key', resigned({ sub: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11' })],
    ['a subject that is no UUID', resigned({ sub: "' or 1=1 --" })],
    ['an organization that the key is not of', resigned({ org: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11' })],
    ['a scope that is no text', resigned({ scope: ['ledger:write'] })],
    ['claims that are no object', `${headerPart}.${encode('[]')}.${signature}`],
    ['a header that is no JSON', `${encode('{')}.${claimsPart}.${signature}`],
    ['five parts', `${good}.${claimsPart}.${signature}`],
    ['oversized', forge(header, { ...claims, padding: 'x'.repeat(9_000) }, ours)],
    ['dots alone', '..'],
  ]
}

function flipFirstBit(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64url')
}
