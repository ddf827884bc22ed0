import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type SealedDestination, type SealedObligation, writeDestination, writeObligation } from './content.ts'
import {
  createSignatureMemory,
  isSealOf,
  isSealOfInPool,
  openSealingKey,
  readPublicKey,
  type SignatureMemory,
  sealContent,
  sealContents,
} from './seal.ts'

const key = openSealingKey(Buffer.alloc(32, 1))
const other = openSealingKey(Buffer.alloc(32, 2))
const findKey = (keyId: string) => (keyId === key.keyId ? readPublicKey(key.publicKey) : undefined)

type Check<Answer> = (content: Buffer, seal: Buffer | null, memory?: SignatureMemory) => Answer
const isSealed: Check<boolean> = (content, seal, memory = createSignatureMemory()) =>
  isSealOf(content, seal, findKey, memory)
const isSealedInPool: Check<Promise<boolean>> = (content, seal, memory = createSignatureMemory()) =>
  isSealOfInPool(content, seal, findKey, memory)

const destination: SealedDestination = {
  organizationId: 'o',
  paymentAccountId: 'a',
  customerId: 'c',
  paymentAccountType: 'EXTERNAL_CRYPTO_WALLET',
  currency: 'USDC',
  paymentMethod: 'BASE',
  walletType: null,
  address: '0x1',
  accountHash: Buffer.of(1),
  dataKeyId: 'd',
  detailsHash: null,
}
const obligation: SealedObligation = {
  organizationId: 'o',
  payoutId: 'p',
  transactionId: 't',
  depositId: null,
  customerId: 'c',
  purpose: 'PAYOUT',
  method: 'BASE',
  asset: 'USDC/BASE',
  amount: '100',
  paymentAccountId: 'a',
  detailsVersion: 1,
  fromWalletId: null,
  paysFrom: 'TREASURY',
  heldAt: null,
  isReleased: false,
}

test('a seal holds for its content, and for no other', () => {
  const seal = sealContent(key, writeObligation(obligation))
  expect(isSealed(writeObligation({ ...obligation }), seal)).toBe(true)
  const changed = Object.keys(obligation).map((field) => ({ ...obligation, [field]: 'x' }))
  expect(changed.filter((each) => isSealed(writeObligation(each), seal))).toEqual([])
})

test('a seal of a destination covers every field', () => {
  const seal = sealContent(key, writeDestination(destination))
  expect(isSealed(writeDestination({ ...destination }), seal)).toBe(true)
  const changed = Object.keys(destination).map((field) => ({ ...destination, [field]: Buffer.of(9) }))
  expect(changed.filter((each) => isSealed(writeDestination(each), seal))).toEqual([])
})

test('no seal, cut or altered bytes and the seal of another key do not hold', async () => {
  const content = writeObligation(obligation)
  const seal = sealContent(key, content)
  const altered = Buffer.from(seal)
  altered[20] = (altered[20] ?? 0) ^ 1
  const renamed = Buffer.concat([seal.subarray(0, 1), Buffer.from(other.keyId, 'hex'), seal.subarray(9)])
  const wrong = [null, Buffer.alloc(0), seal.subarray(1), altered, renamed, sealContent(other, content)]
  expect(wrong.filter((each) => isSealed(content, each))).toEqual([])
  const inPool = await Promise.all([...wrong, seal].map((each) => isSealedInPool(content, each)))
  expect(inPool).toEqual([...wrong.map(() => false), true])
})

const amounts = (count: number) =>
  Array.from({ length: count }, (_, at) => writeObligation({ ...obligation, amount: String(at + 1) }))

test.each([1, 2, 3, 5, 16, 17, 33])('%i contents sealed together each have a seal of their own', async (count) => {
  const contents = amounts(count)
  const seals = sealContents(key, contents)
  expect(seals).toHaveLength(count)
  const memory = createSignatureMemory()
  for (const [at, content] of contents.entries()) {
    const held = contents.filter((_, other) => isSealed(content, seals[other] ?? null, memory))
    expect(held).toEqual([content])
    expect(await isSealedInPool(content, seals[at] ?? null, memory)).toBe(true)
  }
  // A signature seals sixteen contents at most; one that is left over is sealed alone.
  expect(new Set(seals.map((seal) => seal.subarray(9, 73).toString('hex'))).size).toBe(Math.ceil(count / 16))
  expect(memory.right.size).toBe(Math.floor(count / 16) + (count % 16 > 1 ? 1 : 0))
})

test('every byte of a seal among others counts, and so does its length', async () => {
  const [content = Buffer.alloc(0), ...others] = amounts(5)
  const [seal = Buffer.alloc(0)] = sealContents(key, [content, ...others])
  // A memory that knows the signature lets no other seal through.
  const memory = createSignatureMemory()
  expect(isSealed(content, seal, memory)).toBe(true)
  const altered = [...seal.keys()].flatMap((at) =>
    [1, 128].map((bit) => Buffer.from(seal.map((byte, place) => (place === at ? byte ^ bit : byte)))),
  )
  const cut = Array.from({ length: seal.length }, (_, length) => seal.subarray(0, length))
  const longer = [Buffer.concat([seal, Buffer.of(0)]), Buffer.concat([seal, Buffer.alloc(32)])]
  const wrong = [...altered, ...cut, ...longer]
  expect(wrong.filter((each) => isSealed(content, each, memory))).toEqual([])
  const inPool = await Promise.all(wrong.map((each) => isSealedInPool(content, each, memory)))
  expect(inPool).not.toContain(true)
})

test('the inner nodes of a signed tree seal nothing', () => {
  const contents = amounts(4)
  const [seal = Buffer.alloc(0)] = sealContents(key, contents)
  const hashes = contents.map((content) => createHash('sha256').update(Buffer.of(0)).update(content).digest())
  // The bytes that are hashed for the node above the first two contents, and the path from there: its side and its sibling.
  const node = Buffer.concat(hashes.slice(0, 2))
  const forged = Buffer.concat([seal.subarray(0, 73), Buffer.of(0), seal.subarray(seal.length - 32)])
  expect([node, Buffer.concat([Buffer.of(1), node])].filter((each) => isSealed(each, forged))).toEqual([])
})

test('the seal of a key that is retired does not hold, although its signature is remembered', async () => {
  const memory = createSignatureMemory()
  const [content = Buffer.alloc(0), ...others] = amounts(3)
  const [seal = Buffer.alloc(0)] = sealContents(key, [content, ...others])
  expect(isSealed(content, seal, memory)).toBe(true)
  expect(isSealOf(content, seal, () => undefined, memory)).toBe(false)
  expect(await isSealOfInPool(content, seal, () => undefined, memory)).toBe(false)
})

test('a memory forgets the oldest of many signatures', () => {
  const memory = createSignatureMemory()
  for (let made = 0; made <= 1_000; made += 1) {
    const contents = [Buffer.from(`[${made}]`), Buffer.from(`["${made}"]`)]
    expect(isSealed(contents[0] as Buffer, sealContents(key, contents)[0] ?? null, memory)).toBe(true)
  }
  expect(memory.right.size).toBe(1_000)
})

test('a seal is checked although every thread of the pool hangs in a folder', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-pipe-'))
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  let opened = 0
  // Each waits in a thread until the pipe has a writer.
  const hanging = Array.from({ length: 64 }, () => open(pipe, 'r').finally(() => (opened += 1)))
  onTestFinished(async () => {
    const writer = openSync(pipe, 'w')
    for (const each of await Promise.all(hanging)) await each.close()
    closeSync(writer)
    await rm(folder, { recursive: true })
  })
  const content = writeObligation(obligation)
  expect(await isSealedInPool(content, sealContent(key, content))).toBe(true)
  expect(opened).toBe(0)
})
