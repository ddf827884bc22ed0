import { secp256k1 } from '@noble/curves/secp256k1.js'

/** Signs a digest; answers r, s and v (27 or 28), 65 bytes. Deterministic (RFC 6979), with the lower s (EIP-2). */
export function signDigest(privateKey: Uint8Array, digest: Uint8Array): Buffer {
  const recovered = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
  return Buffer.concat([recovered.subarray(1), Buffer.of(27 + (recovered[0] ?? 0))])
}
