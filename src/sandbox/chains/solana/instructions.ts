import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readBase58 } from '../../../lib/addresses/base58.ts'
import { readSolanaAddress, writeSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import { programs } from './token-accounts.ts'

type Role = { address: string; isSigner?: boolean; isWritable?: boolean }
export type Instruction = { program: string; accounts: Role[]; data: Buffer }

/** The owner of the sandbox's tokens and coins. Anyone may know its key: its money exists only on local chains. */
export const operator = (() => {
  const seed = createHash('sha256').update('the faucet of the Svc sandbox').digest()
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const key = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return {
    address: writeSolanaAddress(publicKey),
    sign: (message: Buffer) => sign(null, message, key),
  }
})()

/** The address at which a wallet holds a token by convention. */
export function associatedAccount(owner: string, mint: string, program: string = programs.token): string {
  const seeds = [owner, program, mint].map(keyBytes)
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256')
    for (const seed of seeds) hash.update(seed)
    hash.update(Buffer.of(bump)).update(keyBytes(programs.associatedToken)).update('ProgramDerivedAddress')
    const address = hash.digest()
    if (!isOnCurve(address)) return writeSolanaAddress(address)
  }
  throw new Error('no address of a token account was found')
}

const prime = 2n ** 255n - 19n
const curveD = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/** True if a wallet can have this address: a point of the curve has this height, so a program cannot own it. */
function isOnCurve(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) % 2n ** 255n
  const [numerator, denominator] = [(y * y - 1n) % prime, (curveD * y * y + 1n) % prime]
  // A fraction is a square if the product of its parts is one, which Euler's criterion tells.
  return power((((numerator * denominator) % prime) + prime) % prime, (prime - 1n) / 2n) <= 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % prime
    square = (square * square) % prime
  }
  return result
}

/** Creates the token account of a wallet unless it exists. The operator pays its rent. */
export function createAccount(owner: string, mint: string): Instruction {
  return {
    program: programs.associatedToken,
    accounts: [
      { address: operator.address, isSigner: true, isWritable: true },
      { address: associatedAccount(owner, mint), isWritable: true },
      { address: owner },
      { address: mint },
      { address: programs.system },
      { address: programs.token },
    ],
    data: Buffer.of(1),
  }
}

export function mintTo(mint: string, account: string, amount: bigint): Instruction {
  const accounts = [
    { address: mint, isWritable: true },
    { address: account, isWritable: true },
    { address: operator.address, isSigner: true },
  ]
  return { program: programs.token, accounts, data: withAmount(7, amount) }
}

/** Transfers tokens of a wallet to a token account. */
export function transferChecked(
  { from, mint, to }: { from: string; mint: string; to: string },
  amount: bigint,
  decimals: number,
): Instruction {
  const accounts = [
    { address: associatedAccount(from, mint), isWritable: true },
    { address: mint },
    { address: to, isWritable: true },
    { address: from, isSigner: true },
  ]
  return { program: programs.token, accounts, data: Buffer.concat([withAmount(12, amount), Buffer.of(decimals)]) }
}

export function burn(owner: string, mint: string, amount: bigint): Instruction {
  const accounts = [
    { address: associatedAccount(owner, mint), isWritable: true },
    { address: mint, isWritable: true },
    { address: owner, isSigner: true },
  ]
  return { program: programs.token, accounts, data: withAmount(8, amount) }
}

/** Freezes the token account of a wallet, as an issuer does with one on its blacklist, or thaws it. */
export function setFrozen(owner: string, mint: string, isFrozen: boolean): Instruction {
  const accounts = [
    { address: associatedAccount(owner, mint), isWritable: true },
    { address: mint },
    { address: operator.address, isSigner: true },
  ]
  return { program: programs.token, accounts, data: Buffer.of(isFrozen ? 10 : 11) }
}

export function transferCoins(to: string, lamports: bigint): Instruction {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2, 0)
  data.writeBigUInt64LE(lamports, 4)
  const accounts = [
    { address: operator.address, isSigner: true, isWritable: true },
    { address: to, isWritable: true },
  ]
  return { program: programs.system, accounts, data }
}

/** Limits the compute units of a transaction. Equal transactions with other limits have other signatures. */
export function limitUnits(units: number): Instruction {
  const data = Buffer.alloc(5)
  data[0] = 2
  data.writeUInt32LE(units, 1)
  return { program: programs.computeBudget, accounts: [], data }
}

/**
 * Encodes a transaction of the operator. Only the operator signs it: the chain does not check the signatures of its own
 * transactions, so that any wallet can be the sender of a simulated deposit.
 */
export function encodeOwn(instructions: readonly Instruction[], blockhash: string): Buffer {
  const roles = new Map<string, Required<Role>>()
  const note = ({ address, isSigner = false, isWritable = false }: Role) => {
    const known = roles.get(address)
    roles.set(address, {
      address,
      isSigner: isSigner || (known?.isSigner ?? false),
      isWritable: isWritable || (known?.isWritable ?? false),
    })
  }
  note({ address: operator.address, isSigner: true, isWritable: true })
  for (const { program, accounts } of instructions) {
    for (const account of accounts) note(account)
    note({ address: program })
  }
  const rankOf = ({ isSigner, isWritable }: Required<Role>) => (isSigner ? 0 : 2) + (isWritable ? 0 : 1)
  const keys = [...roles.values()].sort((a, b) => rankOf(a) - rankOf(b))
  const places = new Map(keys.map(({ address }, place) => [address, place]))
  const count = (rank: number) => keys.filter((each) => rankOf(each) === rank).length
  const message = Buffer.concat([
    Buffer.of(count(0) + count(1), count(1), count(3)),
    toLength(keys.length),
    ...keys.map(({ address }) => keyBytes(address)),
    readBase58(blockhash) as Uint8Array,
    toLength(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Buffer.of(places.get(program) as number),
      toLength(accounts.length),
      Buffer.from(accounts.map(({ address }) => places.get(address) as number)),
      toLength(data.length),
      data,
    ]),
  ])
  const signed = operator.sign(message)
  const others = Array.from({ length: count(0) + count(1) - 1 }, (_, place) => stand(signed, place))
  return Buffer.concat([toLength(others.length + 1), signed, ...others, message])
}

/** Bytes in the place of a signature that does not exist. */
function stand(signed: Buffer, place: number): Buffer {
  return createHash('sha512').update(signed).update(Buffer.of(place)).digest()
}

function withAmount(kind: number, amount: bigint): Buffer {
  const data = Buffer.alloc(9)
  data[0] = kind
  data.writeBigUInt64LE(amount, 1)
  return data
}

function toLength(length: number): Buffer {
  return length < 128 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7)
}

function keyBytes(address: string): Uint8Array {
  const bytes = readSolanaAddress(address)
  if (!bytes) throw new Error(`${address} is not an address of Solana`)
  return bytes
}
