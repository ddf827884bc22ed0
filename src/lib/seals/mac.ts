import { createHmac, createSecretKey, type Hmac, hash, type KeyObject } from 'node:crypto'

const prepared = new WeakMap<Buffer, KeyObject>()

/** Starts a MAC. Prepares each key once: with the plain bytes, preparing takes several times as long as the MAC itself. */
export function createMac(key: Buffer): Hmac {
  const known = prepared.get(key) ?? createSecretKey(key)
  prepared.set(key, known)
  return createHmac('sha256', known)
}

const blockBytes = 64
const hashBytes = 32
/** The longest content of which `computeMac` is faster than a started MAC. */
const scratchBytes = 64 * 1024
const scratch = Buffer.alloc(blockBytes + scratchBytes)

/** The block before the content, and the one before its hash (RFC 2104). */
type Blocks = { inner: Buffer; outer: Buffer }
const blocksOf = new WeakMap<Buffer, Blocks>()

/**
 * Computes the MAC of a text, and of bytes after it: those of `createMac(key).update(text).update(bytes).digest()`. It
 * creates no native object, and takes each hash as a text of its bytes: an object or a buffer costs a request more than
 * hashing a short text does.
 */
export function computeMac(key: Buffer, text: string, bytes?: Buffer): Buffer {
  // A character takes at most three bytes.
  if (text.length * 3 + (bytes?.length ?? 0) > scratchBytes) {
    return createMac(key)
      .update(text)
      .update(bytes ?? '')
      .digest()
  }
  const { inner, outer } = blocksOf.get(key) ?? prepareBlocks(key)
  scratch.set(inner)
  let end = blockBytes + scratch.write(text, blockBytes)
  if (bytes) end += bytes.copy(scratch, end)
  outer.write(hash('sha256', scratch.subarray(0, end), 'binary'), blockBytes, 'latin1')
  return Buffer.from(hash('sha256', outer, 'binary'), 'latin1')
}

function prepareBlocks(key: Buffer): Blocks {
  const bytes = Buffer.alloc(blockBytes)
  bytes.set(key.length > blockBytes ? hash('sha256', key, 'buffer') : key)
  const outer = Buffer.alloc(blockBytes + hashBytes)
  outer.set(bytes.map((byte) => byte ^ 0x5c))
  const blocks = { inner: Buffer.from(bytes.map((byte) => byte ^ 0x36)), outer }
  blocksOf.set(key, blocks)
  return blocks
}
