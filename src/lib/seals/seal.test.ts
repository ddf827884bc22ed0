import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type SealedDestination, type SealedObligation, writeDestination, writeObligation } from './content.ts'
import { isSealOf, isSealOfInPool, openSealingKey, readPublicKey, sealContent } from './seal.ts'

const key = openSealingKey(Buffer.alloc(32, 1))
const other = openSealingKey(Buffer.alloc(32, 2))
const findKey = (keyId: string) => (keyId === key.keyId ? readPublicKey(key.publicKey) : undefined)

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
  expect(isSealOf(writeObligation({ ...obligation }), seal, findKey)).toBe(true)
  const changed = Object.keys(obligation).map((field) => ({ ...obligation, [field]: 'x' }))
  expect(changed.filter((each) => isSealOf(writeObligation(each), seal, findKey))).toEqual([])
})

test('a seal of a destination covers every field', () => {
  const seal = sealContent(key, writeDestination(destination))
  expect(isSealOf(writeDestination({ ...destination }), seal, findKey)).toBe(true)
  const changed = Object.keys(destination).map((field) => ({ ...destination, [field]: Buffer.of(9) }))
  expect(changed.filter((each) => isSealOf(writeDestination(each), seal, findKey))).toEqual([])
})

test('no seal, cut or altered bytes and the seal of another key do not hold', async () => {
  const content = writeObligation(obligation)
  const seal = sealContent(key, content)
  const altered = Buffer.from(seal)
  altered[20] = (altered[20] ?? 0) ^ 1
  const renamed = Buffer.concat([seal.subarray(0, 1), Buffer.from(other.keyId, 'hex'), seal.subarray(9)])
  const wrong = [null, Buffer.alloc(0), seal.subarray(1), altered, renamed, sealContent(other, content)]
  expect(wrong.filter((each) => isSealOf(content, each, findKey))).toEqual([])
  const inPool = await Promise.all([...wrong, seal].map((each) => isSealOfInPool(content, each, findKey)))
  expect(inPool).toEqual([...wrong.map(() => false), true])
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
  expect(await isSealOfInPool(content, sealContent(key, content), findKey)).toBe(true)
  expect(opened).toBe(0)
})
