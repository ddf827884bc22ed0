import { writeSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import { rawNumber } from '../exact-json.ts'
import type { Account } from './engine.ts'

export const programs = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  memo1: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  lookupTable: 'AddressLookupTab1e1111111111111111111111111',
} as const

export type TokenAccount = {
  mint: string
  owner: string
  amount: bigint
  delegate: string | undefined
  delegatedAmount: bigint
  state: 'initialized' | 'frozen'
  /** The rent of wrapped coins; undefined for every other token. */
  nativeReserve: bigint | undefined
  closeAuthority: string | undefined
}

export type Mint = {
  authority: string | undefined
  supply: bigint
  decimals: number
  isInitialized: boolean
  freezeAuthority: string | undefined
}

const [mintLength, accountLength] = [82, 165]
/** The byte behind the base layout that tells mints and accounts with extensions apart. */
const [extendedMint, extendedAccount] = [1, 2]

export function isTokenProgram(program: string): boolean {
  return program === programs.token || program === programs.token2022
}

/** Reads the account of a holder of tokens; undefined for any other account. */
export function readTokenAccount(account: Account | undefined): TokenAccount | undefined {
  if (!account || !isTokenProgram(account.owner) || !hasKind(account, accountLength, extendedAccount)) return undefined
  const data = Buffer.from(account.data)
  const state = data[108]
  if (state !== 1 && state !== 2) return undefined
  return {
    mint: keyAt(data, 0),
    owner: keyAt(data, 32),
    amount: data.readBigUInt64LE(64),
    delegate: optionalKeyAt(data, 72),
    delegatedAmount: data.readBigUInt64LE(121),
    state: state === 2 ? 'frozen' : 'initialized',
    nativeReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : undefined,
    closeAuthority: optionalKeyAt(data, 129),
  }
}

/** Reads the account of a token; undefined for any other account. */
export function readMint(account: Account | undefined): Mint | undefined {
  if (!account || !isTokenProgram(account.owner) || !hasKind(account, mintLength, extendedMint)) return undefined
  const data = Buffer.from(account.data)
  return {
    authority: optionalKeyAt(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44] as number,
    isInitialized: data[45] === 1,
    freezeAuthority: optionalKeyAt(data, 46),
  }
}

/** Writes the account of a token whose supply is empty. */
export function writeMint(authority: Uint8Array, decimals: number): Uint8Array {
  const data = Buffer.alloc(mintLength)
  data.writeUInt32LE(1, 0)
  data.set(authority, 4)
  data[44] = decimals
  data[45] = 1
  data.writeUInt32LE(1, 46)
  data.set(authority, 50)
  return Uint8Array.from(data)
}

/** Writes an amount of tokens as every answer of a node shows it. */
export function toUiAmount(amount: bigint, decimals: number) {
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`
  return { amount: String(amount), decimals, uiAmount: rawNumber(uiAmountString), uiAmountString }
}

function hasKind({ owner, data }: Account, length: number, kind: number): boolean {
  if (data.length === length) return true
  return owner === programs.token2022 && data.length > accountLength && data[accountLength] === kind
}

function keyAt(data: Buffer, place: number): string {
  return writeSolanaAddress(data.subarray(place, place + 32))
}

function optionalKeyAt(data: Buffer, place: number): string | undefined {
  return data.readUInt32LE(place) === 1 ? keyAt(data, place + 4) : undefined
}
