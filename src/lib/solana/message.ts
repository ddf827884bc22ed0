import { writeSolanaAddress } from '../addresses/solana-address.ts'
import { addressBytes } from './token-account.ts'

/** An account of an instruction, and what the instruction may do with it. */
export type AccountMeta = { address: string; isSigner?: boolean; isWritable?: boolean }

export type Instruction = { program: string; accounts: readonly AccountMeta[]; data: Buffer }

export type Message = { feePayer: string; blockhash: string; instructions: readonly Instruction[] }

/** Lists the accounts of a message in the order of its format: signers first, and writable ones first among equals. */
function collectAccounts({ feePayer, instructions }: Message): Required<AccountMeta>[] {
  const found = new Map<string, Required<AccountMeta>>()
  const add = ({ address, isSigner = false, isWritable = false }: AccountMeta) => {
    const known = found.get(address)
    found.set(address, {
      address,
      isSigner: isSigner || (known?.isSigner ?? false),
      isWritable: isWritable || (known?.isWritable ?? false),
    })
  }
  add({ address: feePayer, isSigner: true, isWritable: true })
  for (const { accounts } of instructions) for (const account of accounts) add(account)
  for (const { program } of instructions) add({ address: program })
  const rank = ({ address, isSigner, isWritable }: Required<AccountMeta>) =>
    address === feePayer ? -1 : (isSigner ? 0 : 2) + (isWritable ? 0 : 1)
  return [...found.values()].toSorted((a, b) => rank(a) - rank(b))
}

/** Writes a message in the format without a version, which every node reads. */
export function writeMessage(message: Message): { bytes: Buffer; signers: string[] } {
  const accounts = collectAccounts(message)
  const indexes = new Map(accounts.map(({ address }, at) => [address, at]))
  const indexOf = (address: string) => indexes.get(address) as number
  const count = (isMeant: (account: Required<AccountMeta>) => boolean) => accounts.filter(isMeant).length
  const signers = accounts.filter(({ isSigner }) => isSigner).map(({ address }) => address)
  const header = [
    signers.length,
    count(({ isSigner, isWritable }) => isSigner && !isWritable),
    count(({ isSigner, isWritable }) => !isSigner && !isWritable),
  ]
  const instructions = message.instructions.map(({ program, accounts: used, data }) =>
    Buffer.concat([
      Buffer.of(indexOf(program)),
      writeLength(used.length),
      Buffer.from(used.map(({ address }) => indexOf(address))),
      writeLength(data.length),
      data,
    ]),
  )
  const bytes = Buffer.concat([
    Buffer.from(header),
    writeLength(accounts.length),
    ...accounts.map(({ address }) => addressBytes(address)),
    addressBytes(message.blockhash),
    writeLength(instructions.length),
    ...instructions,
  ])
  return { bytes, signers }
}

/** Writes a transaction: the signatures in the order of the message's signers, and the message. */
export function writeTransaction(message: Buffer, signatures: readonly Uint8Array[]): Buffer {
  return Buffer.concat([writeLength(signatures.length), ...signatures, message])
}

/** The name of a transaction: its first signature, that of the account that pays the fee. */
export function writeSignature(signature: Uint8Array): string {
  return writeSolanaAddress(signature)
}

/** Writes a length in groups of seven bits, the lowest first. */
function writeLength(length: number): Buffer {
  const bytes: number[] = []
  let rest = length
  for (;;) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
    rest >>= 7
  }
}
