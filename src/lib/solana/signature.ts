import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

// RFC 8410: the PKCS #8 form of an ed25519 key is this prefix and the 32 bytes of the key.
const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Opens a private key of 32 bytes for many signatures. */
export function openSigningKey(privateKey: Uint8Array): KeyObject {
  const encoded = Buffer.concat([prefix, privateKey])
  try {
    return createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' })
  } finally {
    encoded.fill(0)
  }
}

/** Computes the public key, 32 bytes. */
export function publicKeyOf(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url')
}

/** Signs a message (RFC 8032), 64 bytes. */
export function signMessage(key: KeyObject, message: Uint8Array): Buffer {
  return sign(null, message, key)
}
