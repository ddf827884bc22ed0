import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'

/** The entries of an encryption dictionary of the standard handler. */
export type StandardSecurity = {
  revision: number
  keyLength: number
  owner: Buffer
  user: Buffer
  userKey: Buffer
  permissions: number
  encryptsMetadata: boolean
  fileId: Uint8Array
}

/** ISO 32000-1, algorithm 2: what an empty password is padded to. */
const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')

/** Computes the key of a file up to revision 4; undefined when the empty password does not open it. */
export function computeFileKey(given: StandardSecurity): Buffer | undefined {
  const { revision, owner, permissions, encryptsMetadata, fileId, user } = given
  const keyLength = revision === 2 ? 5 : Math.min(16, Math.max(5, given.keyLength))
  const allowed = Buffer.alloc(4)
  allowed.writeInt32LE(permissions | 0)
  const parts = [padding, owner.subarray(0, 32), allowed, fileId]
  if (revision >= 4 && !encryptsMetadata) parts.push(Buffer.alloc(4, 0xff))
  let key = md5(...parts)
  if (revision > 2) for (let round = 0; round < 50; round++) key = md5(key.subarray(0, keyLength))
  key = key.subarray(0, keyLength)
  const [length, proof] = revision === 2 ? [32, rc4(key, padding)] : [16, proofOf(key, fileId)]
  return user.length >= length && user.subarray(0, length).equals(proof) ? key : undefined
}

/** ISO 32000-1, algorithm 5. */
function proofOf(key: Buffer, fileId: Uint8Array): Buffer {
  let proof = md5(padding, fileId)
  for (let round = 0; round < 20; round++) {
    proof = rc4(
      key.map((byte) => byte ^ round),
      proof,
    )
  }
  return proof
}

/** ISO 32000-2, algorithm 2.A for the empty user password: the hash proves it, and its other salt opens the key. */
export function computeFileKey256({ revision, user, userKey }: StandardSecurity): Buffer | undefined {
  if (user.length < 48 || userKey.length < 32) return undefined
  const hash = revision === 5 ? (salt: Buffer) => sha(256, salt) : hardenedHash
  if (!hash(user.subarray(32, 40)).equals(user.subarray(0, 32))) return undefined
  const decipher = createDecipheriv('aes-256-cbc', hash(user.subarray(40, 48)), Buffer.alloc(16)).setAutoPadding(false)
  return Buffer.concat([decipher.update(userKey.subarray(0, 32)), decipher.final()])
}

/** ISO 32000-2, algorithm 2.B, for an empty password: at least 64 rounds of a cipher and a hash that it chooses. */
function hardenedHash(salt: Buffer): Buffer {
  let key = sha(256, salt)
  let last = 0
  for (let round = 0; round < 64 || last > round - 32; round++) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false)
    const mixed = cipher.update(Buffer.concat(new Array<Buffer>(64).fill(key)))
    const remainder = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3
    key = sha(remainder === 0 ? 256 : remainder === 1 ? 384 : 512, mixed)
    last = mixed.at(-1) ?? 0
  }
  return key.subarray(0, 32)
}

function md5(...parts: readonly Uint8Array[]): Buffer {
  return createHash('md5').update(Buffer.concat(parts)).digest()
}

function sha(bits: 256 | 384 | 512, bytes: Buffer): Buffer {
  return createHash(`sha${bits}`).update(bytes).digest()
}

/** The stream cipher of old PDFs, which the platform's cryptography no longer has. It only opens files, never seals. */
export function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at)
  const swap = (one: number, other: number) => {
    const kept = state[one]!
    state[one] = state[other]!
    state[other] = kept
  }
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + state[at]! + key[at % key.length]!) & 255
    swap(at, other)
  }
  const out = Buffer.allocUnsafe(bytes.length)
  for (let at = 0, one = 0, other = 0; at < bytes.length; at++) {
    one = (one + 1) & 255
    other = (other + state[one]!) & 255
    swap(one, other)
    out[at] = bytes[at]! ^ state[(state[one]! + state[other]!) & 255]!
  }
  return out
}

/** Decrypts AES in CBC mode. The first block is the start value; the last byte tells the length of the padding. */
export function aesCbc(key: Uint8Array, bytes: Uint8Array): Buffer {
  const whole = bytes.length - (bytes.length % 16)
  if (whole < 32) return Buffer.alloc(0)
  const decipher = createDecipheriv(`aes-${key.length === 32 ? 256 : 128}-cbc`, key, bytes.subarray(0, 16))
  const plain = decipher.setAutoPadding(false).update(bytes.subarray(16, whole))
  const padded = plain.at(-1) ?? 0
  return padded >= 1 && padded <= 16 ? plain.subarray(0, plain.length - padded) : plain
}
