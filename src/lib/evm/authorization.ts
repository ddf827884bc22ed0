import { addressWord, fromHex, keccak, numberWord, selectorOf, toHex, topicOf } from './words.ts'

/** The EIP-712 domain of a token. A signature for one domain counts in no other. */
export type TokenDomain = { name: string; version: string; chainId: number; contract: string }

/** A transfer that the owner of tokens authorizes, and that anyone may submit (EIP-3009). */
export type TransferAuthorization = {
  from: string
  to: string
  /** In smallest units. */
  value: bigint
  /** Unix seconds: the transfer executes in a block after `validAfter` and before `validBefore` alone. */
  validAfter: bigint
  validBefore: bigint
  /** 32 bytes, used once for ever by an owner at a token. */
  nonce: string
}

const domainType = keccak(
  Buffer.from('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
)
const parameters = 'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce'
const transferType = keccak(Buffer.from(`TransferWithAuthorization(${parameters})`))
const transferSelector = selectorOf(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
)
const stateSelector = selectorOf('authorizationState(address,bytes32)')

export const authorizationUsedTopic = topicOf('AuthorizationUsed(address,bytes32)')
export const authorizationCanceledTopic = topicOf('AuthorizationCanceled(address,bytes32)')
export const transferTopic = topicOf('Transfer(address,address,uint256)')

/** Computes the nonce of an obligation. All its authorizations share it, so at most one of them moves tokens. */
export function nonceOf(obligationId: string): `0x${string}` {
  return toHex(keccak(Buffer.from(obligationId)))
}

export function domainSeparatorOf({ name, version, chainId, contract }: TokenDomain): Buffer {
  return keccak(
    domainType,
    keccak(Buffer.from(name)),
    keccak(Buffer.from(version)),
    numberWord(BigInt(chainId)),
    addressWord(contract),
  )
}

/** Computes the EIP-712 digest that the owner of the tokens signs. */
export function digestOf(domain: TokenDomain, authorization: TransferAuthorization): Buffer {
  return keccak(Buffer.of(0x19, 0x01), domainSeparatorOf(domain), keccak(transferType, ...wordsOf(authorization)))
}

/** Writes the call that executes an authorization. The signature is r, s and v: 65 bytes. */
export function writeTransfer(authorization: TransferAuthorization, signature: Uint8Array): Buffer {
  if (signature.length !== 65) throw new RangeError('a signature has 65 bytes')
  const [r, s, v] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64] ?? 0]
  return Buffer.concat([transferSelector, ...wordsOf(authorization), numberWord(BigInt(v)), r, s])
}

/** Writes the question whether a nonce was used or cancelled. */
export function writeStateQuestion(owner: string, nonce: string): `0x${string}` {
  return toHex(Buffer.concat([stateSelector, addressWord(owner), fromHex(nonce)]))
}

function wordsOf({ from, to, value, validAfter, validBefore, nonce }: TransferAuthorization): Buffer[] {
  const nonceBytes = fromHex(nonce)
  if (nonceBytes.length !== 32) throw new RangeError('a nonce has 32 bytes')
  return [
    addressWord(from),
    addressWord(to),
    numberWord(value),
    numberWord(validAfter),
    numberWord(validBefore),
    nonceBytes,
  ]
}
