import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

/** The place of a sealed value, which opens nowhere else. Ids are in lower case, as in the database. */
export type Place = { organizationId: string; table: string; row: string; column: string }

/** A key as bytes, or as an object that no log can print. */
export type SecretKey = Buffer | KeyObject

/** Does not say whether the key, the place or the bytes were wrong: only an attacker would gain from it. */
export class CannotBeOpened extends Error {
  constructor() {
    super('A sealed value cannot be opened')
    this.name = 'CannotBeOpened'
  }
}

// Version 1: this byte, the IV, the AES-256-GCM ciphertext, the tag.
const version = 1
const cipher = 'aes-256-gcm'
// NIST SP 800-38D, section 8.3: with random IVs of 96 bits a key may seal 2^32 values.
const ivLength = 12
const tagLength = 16
const ciphertextStart = 1 + ivLength

/** The number of bytes that sealing adds. */
export const sealedExtraBytes = ciphertextStart + tagLength

export function seal(key: SecretKey, plain: Buffer, place: Place): Buffer {
  return sealBytes(key, plain, describePlace(place))
}

/** Opens a sealed value. Throws CannotBeOpened for a wrong key, a wrong place and changed or missing bytes alike. */
export function openSealed(key: SecretKey, sealed: Buffer, place: Place): Buffer {
  return openBytes(key, sealed, describePlace(place))
}

/** Seals a value that is no field. `boundTo` names the use; texts that begin with a bracket are places. */
export function sealBytes(key: SecretKey, plain: Buffer, boundTo: string): Buffer {
  const iv = randomBytes(ivLength)
  const encryption = createCipheriv(cipher, key, iv, { authTagLength: tagLength })
  encryption.setAAD(associatedData(boundTo))
  const ciphertext = encryption.update(plain)
  encryption.final() // gives no bytes in this mode, and makes the tag
  return Buffer.concat([Buffer.of(version), iv, ciphertext, encryption.getAuthTag()])
}

export function openBytes(key: SecretKey, sealed: Buffer, boundTo: string): Buffer {
  if (sealed.length < sealedExtraBytes || sealed[0] !== version) throw new CannotBeOpened()
  const tagStart = sealed.length - tagLength
  try {
    const decryption = createDecipheriv(cipher, key, sealed.subarray(1, ciphertextStart), { authTagLength: tagLength })
    decryption.setAAD(associatedData(boundTo))
    decryption.setAuthTag(sealed.subarray(tagStart))
    const plain = decryption.update(sealed.subarray(ciphertextStart, tagStart))
    decryption.final()
    return plain
  } catch {
    throw new CannotBeOpened()
  }
}

function associatedData(boundTo: string): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(boundTo)])
}

/** A JSON list of strings: no two places give the same text, regardless of their content. */
function describePlace({ organizationId, table, row, column }: Place): string {
  return JSON.stringify(['svc field', organizationId, table, row, column])
}
