import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** An account of the local chains whose key anyone may know: its coins exist only there. */
type Operator = { key: Uint8Array; address: string }

const operatorOf = (phrase: string): Operator => {
  const key = keccak_256(Buffer.from(phrase))
  const publicKey = secp256k1.getPublicKey(key, false).subarray(1)
  return { key, address: `0x${Buffer.from(keccak_256(publicKey).subarray(12)).toString('hex')}` }
}

/** The faucet's operator, which SandboxFaucet.sol names, and the sender of the transactions that stir blocks. */
export const operators = {
  faucet: operatorOf('the faucet of the Svc sandbox'),
  stirrer: operatorOf('the stirrer of the Svc sandbox'),
}

export type OperatorCall = {
  chainId: number
  nonce: number
  to: string
  value?: bigint
  data: string
  gas?: bigint
  maxFeePerGas: bigint
}

/** Signs a transaction of EIP-1559 without a tip. */
export function signCall(operator: Operator, call: OperatorCall): string {
  const { chainId, nonce, to, value = 0n, data, gas = 500_000n, maxFeePerGas } = call
  const fields: RlpItem[] = [
    toQuantity(BigInt(chainId)),
    toQuantity(BigInt(nonce)),
    toQuantity(0n),
    toQuantity(maxFeePerGas),
    toQuantity(gas),
    fromHex(to),
    toQuantity(value),
    fromHex(data),
    [],
  ]
  const digest = keccak_256(Buffer.concat([Buffer.of(2), encodeRlp(fields)]))
  const signature = secp256k1.sign(digest, operator.key, { prehash: false, format: 'recovered' })
  const [parity, r, s] = [signature[0] ?? 0, signature.subarray(1, 33), signature.subarray(33)]
  const signed = [...fields, toQuantity(BigInt(parity)), toQuantity(toNumber(r)), toQuantity(toNumber(s))]
  return `0x02${encodeRlp(signed).toString('hex')}`
}

/** Encodes a call of a contract whose parameters are all of fixed size. */
export function encodeCall(signature: string, ...args: (string | bigint)[]): string {
  return `${selectorOf(signature)}${args.map(encodeWord).join('')}`
}

/** Encodes `administer(key, token, data)`, whose last parameter has any length. */
export function encodeAdminister(key: string, token: string, data: string): string {
  const length = BigInt((data.length - 2) / 2)
  const padded = data.slice(2).padEnd(Math.ceil((data.length - 2) / 64) * 64, '0')
  return `${encodeCall('administer(bytes32,address,bytes)', key, token, 96n, length)}${padded}`
}

/** Hashes the key of a request, so that any text can be one. */
export function hashKey(key: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(key))).toString('hex')}`
}

export const servedTopic = hashKey('Served(bytes32)')

function selectorOf(signature: string): string {
  return hashKey(signature).slice(0, 10)
}

function encodeWord(value: string | bigint): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')
}

type RlpItem = Buffer | RlpItem[]

function encodeRlp(item: RlpItem): Buffer {
  if (Array.isArray(item)) {
    const content = Buffer.concat(item.map(encodeRlp))
    return Buffer.concat([lengthPrefix(content.length, 0xc0), content])
  }
  if (item.length === 1 && (item[0] ?? 0) < 0x80) return item
  return Buffer.concat([lengthPrefix(item.length, 0x80), item])
}

function lengthPrefix(length: number, offset: number): Buffer {
  if (length < 56) return Buffer.of(offset + length)
  const size = toQuantity(BigInt(length))
  return Buffer.concat([Buffer.of(offset + 55 + size.length), size])
}

function toQuantity(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0)
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function fromHex(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
