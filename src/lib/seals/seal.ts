import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { climb, readPath, treeOf, writePath } from './hash-tree.ts'

/**
 * A seal is an Ed25519 signature of the signer over what a payout relies on. The signer alone makes seals; every
 * process can check one with the public key. One signature may seal several contents: it is over the root of a hash tree,
 * and each seal has the path from its content to that root.
 */

// A seal: the version, the key id, the signature. That of a content among several is followed by the path to the root.
const [alone, amongOthers] = [1, 2]
const keyIdLength = 8
const signatureStart = 1 + keyIdLength
const pathStart = signatureStart + 64

/** So many contents share a signature: the path of each then has four hashes, which cost less than a signature. */
const mostTogether = 16

/** No content begins like this: contents are JSON. */
const rootPrefix = Buffer.from('svc seals of a root 1\n')

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

export function sealContent(key: SealingKey, content: Buffer): Buffer {
  return signWith(key, alone, content)
}

/** Seals contents in the given order, with one signature for several of them. */
export function sealContents(key: SealingKey, contents: readonly Buffer[]): Buffer[] {
  const seals: Buffer[] = []
  for (let at = 0; at < contents.length; at += mostTogether) {
    seals.push(...sealTogether(key, contents.slice(at, at + mostTogether)))
  }
  return seals
}

function sealTogether(key: SealingKey, contents: readonly Buffer[]): Buffer[] {
  if (contents.length === 1) return contents.map((content) => sealContent(key, content))
  const { root, paths } = treeOf(contents)
  const signed = signWith(key, amongOthers, Buffer.concat([rootPrefix, root]))
  return paths.map((path) => Buffer.concat([signed, writePath(path)]))
}

function signWith({ keyId, privateKey }: SealingKey, version: number, signed: Buffer): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(keyId, 'hex'), sign(null, signed, privateKey)])
}

/** Reads the id of the key that made a seal; undefined when the bytes are no seal. */
export function keyIdOfSeal(seal: Buffer): string | undefined {
  const isSeal = seal[0] === amongOthers ? seal.length > pathStart : seal[0] === alone && seal.length === pathStart
  return isSeal ? seal.subarray(1, signatureStart).toString('hex') : undefined
}

type FindKey = (keyId: string) => KeyObject | undefined

/** Right signatures over several contents: the seal of the next one needs no other look at the signature. */
export type SignatureMemory = { right: Set<string>; pending: Map<string, Promise<boolean>> }

export function createSignatureMemory(): SignatureMemory {
  return { right: new Set(), pending: new Map() }
}

const mostRemembered = 1_000

/** Tells whether the seal is of this content. `findKey` knows the public keys that are still valid. */
export function isSealOf(content: Buffer, seal: Buffer | null, findKey: FindKey, memory: SignatureMemory): boolean {
  const signed = readSigned(content, seal, findKey)
  if (!signed) return false
  if (isRemembered(memory, signed)) return true
  const isRight = verify(null, signed.content, signed.key, signed.signature)
  if (isRight) remember(memory, signed)
  return isRight
}

/** Threads that hang in a folder of a file server may be all of the pool; a check then runs here. */
const longestPoolMs = 1_000

/** The same in a thread of Node's pool, for a process that serves others meanwhile: a check takes 0.2 ms of CPU. */
export async function isSealOfInPool(
  content: Buffer,
  seal: Buffer | null,
  findKey: FindKey,
  memory: SignatureMemory,
): Promise<boolean> {
  const signed = readSigned(content, seal, findKey)
  if (!signed) return false
  if (isRemembered(memory, signed)) return true
  const { name } = signed
  if (name === undefined) return verifyInPool(signed)
  const begin = async () => {
    const isRight = await verifyInPool(signed)
    if (isRight) remember(memory, signed)
    return isRight
  }
  const pending = memory.pending.get(name) ?? begin().finally(() => memory.pending.delete(name))
  memory.pending.set(name, pending)
  return pending
}

function isRemembered({ right }: SignatureMemory, { name }: Signed): boolean {
  return name !== undefined && right.has(name)
}

/** Forgets the oldest signature when there are many. */
function remember({ right }: SignatureMemory, { name }: Signed): void {
  if (name === undefined) return
  right.add(name)
  if (right.size <= mostRemembered) return
  for (const oldest of right) {
    right.delete(oldest)
    return
  }
}

function verifyInPool({ content, key, signature }: Signed): Promise<boolean> {
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

/** A signature and the content that it is over. `name`: of a signature over several contents, with key and root. */
type Signed = { key: KeyObject; signature: Buffer; content: Buffer; name?: string }

function readSigned(content: Buffer, seal: Buffer | null, findKey: FindKey): Signed | undefined {
  const keyId = seal ? keyIdOfSeal(seal) : undefined
  const key = keyId === undefined ? undefined : findKey(keyId)
  if (!key || !seal) return undefined
  const signature = seal.subarray(signatureStart, pathStart)
  if (seal[0] === alone) return { key, signature, content }
  const path = readPath(seal.subarray(pathStart))
  if (!path) return undefined
  const root = climb(content, path)
  const name = `${seal.toString('latin1', 0, pathStart)}${root.toString('latin1')}`
  return { key, signature, content: Buffer.concat([rootPrefix, root]), name }
}
