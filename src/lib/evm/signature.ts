import { signRecoverable } from 'tiny-secp256k1'

/** Signs a digest; answers r, s and v (27 or 28), 65 bytes. Deterministic (RFC 6979), with the lower s (EIP-2). */
export function signDigest(privateKey: Uint8Array, digest: Uint8Array): Buffer {
  const { signature, recoveryId } = signRecoverable(digest, privateKey)
  return Buffer.concat([signature, Buffer.of(27 + recoveryId)])
}
