import { randomBytes } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { encodeFunctionData, hashTypedData, keccak256, parseAbi, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { digestOf, nonceOf, type TransferAuthorization, writeTransfer } from './authorization.ts'
import { transactionDigest, writeSigned } from './fee-market-transaction.ts'
import { signDigest } from './signature.ts'
import { fromHex, toHex } from './words.ts'

/** Every encoding is compared with viem, an independent implementation. */

const key = secp256k1.utils.randomSecretKey()
const account = privateKeyToAccount(toHex(key))
const to = '0x000000000000000000000000000000000000dEaD'
const contract = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const domain = { name: 'USDC', version: '2', chainId: 84_532, contract }
const parts = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

const authorizationOf = (value: bigint): TransferAuthorization => ({
  from: account.address,
  to,
  value,
  validAfter: 0n,
  validBefore: 1_800_000_000n,
  nonce: nonceOf('0190b5a0-0000-7000-8000-000000000001'),
})

test.each([1n, 1_000_000n, 2n ** 128n + 7n, 2n ** 256n - 1n])('an authorization of %d', async (value) => {
  const authorization = authorizationOf(value)
  const message = { ...authorization, from: account.address, to, nonce: toHex(fromHex(authorization.nonce)) } as const
  const typed = {
    domain: { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: contract },
    types: { TransferWithAuthorization: parts },
    primaryType: 'TransferWithAuthorization',
    message,
  } as const
  const digest = digestOf(domain, authorization)
  expect(toHex(digest)).toBe(hashTypedData(typed))
  const signature = signDigest(key, digest)
  expect(toHex(signature)).toBe(await account.signTypedData(typed))
  const call = encodeFunctionData({
    abi,
    functionName: 'transferWithAuthorization',
    args: [
      account.address,
      to,
      value,
      0n,
      message.validBefore,
      message.nonce,
      signature[64] ?? 0,
      toHex(signature.subarray(0, 32)),
      toHex(signature.subarray(32, 64)),
    ],
  })
  expect(toHex(writeTransfer(authorization, signature))).toBe(call)
})

// biome-ignore format: a table is read by column
test.each([
  // nonce    tip      fee              gas       value data
  [0n,        0n,      0n,              21_000n,  0n,   '0x'],
  [1n,        1n,      127n,            21_000n,  128n, '0x00'],
  [127n,      10n**9n, 2n * 10n ** 9n,  200_000n, 0n,   '0x7f'],
  [128n,      10n**9n, 2n ** 64n,       200_000n, 1n,   `0x${'ab'.repeat(55)}`],
  [2n**40n,   10n**9n, 2n * 10n ** 11n, 200_000n, 0n,   `0x${'cd'.repeat(292)}`],
] as const)('a transaction with nonce %d', async (nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, value, data) => {
  const own = { chainId: 84_532, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data: fromHex(data) }
  const theirs = {
    type: 'eip1559',
    chainId: 84_532,
    nonce: Number(nonce),
    maxPriorityFeePerGas,
    maxFeePerGas,
    gas: gasLimit,
    to,
    value,
    data: data as `0x${string}`,
  } as const
  const digest = transactionDigest(own)
  expect(toHex(digest)).toBe(keccak256(serializeTransaction(theirs)))
  const { raw, hash } = writeSigned(own, signDigest(key, digest))
  expect(toHex(raw)).toBe(await account.signTransaction(theirs))
  expect(hash).toBe(keccak256(raw))
})

test('words that are too long or too short are refused', () => {
  expect(() => authorizationOf(-1n) && digestOf(domain, authorizationOf(-1n))).toThrow(RangeError)
  expect(() => digestOf(domain, authorizationOf(2n ** 256n))).toThrow(RangeError)
  expect(() => digestOf(domain, { ...authorizationOf(1n), to: '0x00' })).toThrow(RangeError)
  expect(() => digestOf(domain, { ...authorizationOf(1n), nonce: '0x00' })).toThrow(RangeError)
})

test('signatures are those of another library: deterministic, with the lower s', () => {
  for (let round = 0; round < 50; round += 1) {
    const [secret, digest] = [secp256k1.utils.randomSecretKey(), randomBytes(32)]
    const options = { prehash: false, lowS: true, format: 'recovered' } as const
    const [recovery = 0, ...rest] = secp256k1.sign(digest, secret, options)
    expect(signDigest(secret, digest)).toEqual(Buffer.from([...rest, 27 + recovery]))
  }
})
