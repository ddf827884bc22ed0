import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/**
 * A seal is an Ed25519 signature of the signer over what a payout relies on. The signer alone makes seals; every
 * process can check one with the public key.
 */

// A seal: this byte, the key id, the signature.
const version = 1
const keyIdLength = 8
const signatureStart = 1 + keyIdLength
const sealLength = signatureStart + 64

// RFC 8410: the DER prefix of a raw Ed25519 key.
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

export type SealingKey = { keyId: string; privateKey: KeyObject; publicKey: Buffer }

/** Builds the key pair from its 32 secret bytes. */
export function openSealingKey(secret: Buffer): SealingKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([privatePrefix, secret]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length)
  return { keyId: sealingKeyIdOf(publicKey), privateKey, publicKey }
}

export function readPublicKey(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' })
}

export function sealingKeyIdOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest().subarray(0, keyIdLength).toString('hex')
}

export function sealContent({ keyId, privateKey }: SealingKey, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(keyId, 'hex'), sign(null, content, privateKey)])
}

/** Reads the id of the key that made a seal; undefined when the bytes are no seal. */
export function keyIdOfSeal(seal: Buffer): string | undefined {
  if (seal.length !== sealLength || seal[0] !== version) return undefined
  return seal.subarray(1, signatureStart).toString('hex')
}

type FindKey = (keyId: string) => KeyObject | undefined

/** Tells whether the seal is of this content. `findKey` knows the public keys that are still valid. */
export function isSealOf(content: Buffer, seal: Buffer | null, findKey: FindKey): boolean {
  const signed = readSigned(seal, findKey)
  return signed !== undefined && verify(null, content, signed.key, signed.signature)
}

/** Threads that hang in a folder of a file server may be all of the pool; a check then runs here. */
const longestPoolMs = 1_000

/** The same in a thread of Node's pool, for a process that serves others meanwhile: a check takes 0.2 ms of CPU. */
export async function isSealOfInPool(content: Buffer, seal: Buffer | null, findKey: FindKey): Promise<boolean> {
  const signed = readSigned(seal, findKey)
  return signed !== undefined && verifyInPool(content, signed)
}

function verifyInPool(content: Buffer, { key, signature }: Signed): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const verifyHere = async () => verify(null, content, key, signature)
    const timer = setTimeout(() => void verifyHere().then(resolve, reject), longestPoolMs)
    verify(null, content, key, signature, (error, isRight) => {
      clearTimeout(timer)
      if (error) reject(error)
      else resolve(isRight)
    })
  })
}

type Signed = { key: KeyObject; signature: Buffer }

function readSigned(seal: Buffer | null, findKey: FindKey): Signed | undefined {
  const keyId = seal ? keyIdOfSeal(seal) : undefined
  const key = keyId === undefined ? undefined : findKey(keyId)
  return key && seal ? { key, signature: seal.subarray(signatureStart) } : undefined
}
