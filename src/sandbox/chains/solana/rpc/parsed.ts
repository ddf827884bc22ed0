import { readBase58, writeBase58 } from '../../../../lib/addresses/base58.ts'
import type { InnerInstruction } from '../journal-entry.ts'
import { programs, toUiAmount } from '../token-accounts.ts'

type Parsed = { type: string; info: Record<string, unknown> } | string
type Read = (data: Buffer, accounts: readonly string[]) => Parsed | undefined

/** Shows an instruction as a node's parser does; one that the parser does not know keeps its bytes. */
export function parseInstruction(addresses: readonly string[], instruction: InnerInstruction): unknown {
  const { programIdIndex, accounts: numbers, data, stackHeight } = instruction
  const programId = addresses[programIdIndex] ?? ''
  const accounts = numbers.map((number) => addresses[number] ?? '')
  const found = readers[programId]
  const parsed = found?.read(Buffer.from(readBase58(data) ?? []), accounts)
  if (!found || parsed === undefined) return { programId, accounts, data, stackHeight }
  return { program: found.program, programId, parsed, stackHeight }
}

function readSystem(data: Buffer, accounts: readonly string[]): Parsed | undefined {
  const kind = data.length >= 4 ? data.readUInt32LE(0) : -1
  const [source, destination] = accounts
  if (kind === 2 && data.length === 12) {
    return { type: 'transfer', info: { source, destination, lamports: data.readBigUInt64LE(4) } }
  }
  if (kind === 0 && data.length === 52) {
    const [lamports, space] = [data.readBigUInt64LE(4), data.readBigUInt64LE(12)]
    const info = { source, newAccount: destination, lamports, space, owner: writeBase58(data.subarray(20)) }
    return { type: 'createAccount', info }
  }
  return undefined
}

const tokenKinds = {
  initializeAccount3: 18,
  initializeImmutableOwner: 22,
  getAccountDataSize: 21,
  transfer: 3,
  approve: 4,
  mintTo: 7,
  burn: 8,
  closeAccount: 9,
  freezeAccount: 10,
  thawAccount: 11,
  transferChecked: 12,
} as const

function readToken(data: Buffer, accounts: readonly string[]): Parsed | undefined {
  const [a, b, c, d] = accounts
  const amount = () => data.readBigUInt64LE(1)
  if (data.length < (needsAmount(data[0]) ? 9 : 1)) return undefined
  switch (data[0]) {
    case tokenKinds.transfer:
      return { type: 'transfer', info: { source: a, destination: b, authority: c, amount: String(amount()) } }
    case tokenKinds.transferChecked: {
      const tokenAmount = toUiAmount(amount(), data[9] ?? 0)
      return { type: 'transferChecked', info: { source: a, mint: b, destination: c, authority: d, tokenAmount } }
    }
    case tokenKinds.approve:
      return { type: 'approve', info: { source: a, delegate: b, owner: c, amount: String(amount()) } }
    case tokenKinds.mintTo:
      return { type: 'mintTo', info: { mint: a, account: b, mintAuthority: c, amount: String(amount()) } }
    case tokenKinds.burn:
      return { type: 'burn', info: { account: a, mint: b, authority: c, amount: String(amount()) } }
    case tokenKinds.closeAccount:
      return { type: 'closeAccount', info: { account: a, destination: b, owner: c } }
    case tokenKinds.freezeAccount:
      return { type: 'freezeAccount', info: { account: a, mint: b, freezeAuthority: c } }
    case tokenKinds.thawAccount:
      return { type: 'thawAccount', info: { account: a, mint: b, freezeAuthority: c } }
    case tokenKinds.initializeAccount3:
      return { type: 'initializeAccount3', info: { account: a, mint: b, owner: writeBase58(data.subarray(1, 33)) } }
    case tokenKinds.initializeImmutableOwner:
      return { type: 'initializeImmutableOwner', info: { account: a } }
    case tokenKinds.getAccountDataSize:
      return { type: 'getAccountDataSize', info: { mint: a } }
    default:
      return undefined
  }
}

function needsAmount(kind: number | undefined): boolean {
  const withAmount: readonly (number | undefined)[] = [
    tokenKinds.transfer,
    tokenKinds.approve,
    tokenKinds.mintTo,
    tokenKinds.burn,
    tokenKinds.transferChecked,
  ]
  return withAmount.includes(kind)
}

function readAssociated(data: Buffer, accounts: readonly string[]): Parsed | undefined {
  if (data.length > 1 || (data[0] ?? 0) > 1) return undefined
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts
  const type = data[0] === 1 ? 'createIdempotent' : 'create'
  return { type, info: { source, account, wallet, mint, systemProgram, tokenProgram } }
}

const readMemo: Read = (data) => data.toString()

const readers: Readonly<Record<string, { program: string; read: Read }>> = {
  [programs.system]: { program: 'system', read: readSystem },
  [programs.token]: { program: 'spl-token', read: readToken },
  [programs.token2022]: { program: 'spl-token-2022', read: readToken },
  [programs.associatedToken]: { program: 'spl-associated-token-account', read: readAssociated },
  [programs.memo]: { program: 'spl-memo', read: readMemo },
  [programs.memo1]: { program: 'spl-memo', read: readMemo },
}
