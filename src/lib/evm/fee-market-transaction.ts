import { encodeRlp, rlpNumber } from './rlp.ts'
import { fromHex, keccak, toHex } from './words.ts'

/** A transaction of EIP-1559 without access list. Fees are in wei per unit of gas. */
export type FeeMarketTransaction = {
  chainId: number
  nonce: bigint
  maxPriorityFeePerGas: bigint
  maxFeePerGas: bigint
  gasLimit: bigint
  to: string
  value: bigint
  data: Uint8Array
}

const type = Buffer.of(2)

/** Computes the hash that the sender signs. */
export function transactionDigest(transaction: FeeMarketTransaction): Buffer {
  return keccak(type, encodeRlp(fieldsOf(transaction)))
}

/** Writes the bytes to broadcast, and their hash. The signature is r, s and v: 65 bytes. */
export function writeSigned(
  transaction: FeeMarketTransaction,
  signature: Uint8Array,
): { raw: Buffer; hash: `0x${string}` } {
  if (signature.length !== 65) throw new RangeError('a signature has 65 bytes')
  const parity = BigInt((signature[64] ?? 0) - 27)
  const numbers = [parity, bigintOf(signature.subarray(0, 32)), bigintOf(signature.subarray(32, 64))]
  const raw = Buffer.concat([type, encodeRlp([...fieldsOf(transaction), ...numbers.map(rlpNumber)])])
  return { raw, hash: toHex(keccak(raw)) }
}

function fieldsOf(transaction: FeeMarketTransaction) {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data } = transaction
  return [
    rlpNumber(BigInt(chainId)),
    rlpNumber(nonce),
    rlpNumber(maxPriorityFeePerGas),
    rlpNumber(maxFeePerGas),
    rlpNumber(gasLimit),
    fromHex(to),
    rlpNumber(value),
    data,
    [],
  ]
}

function bigintOf(bytes: Uint8Array): bigint {
  return BigInt(toHex(bytes))
}
