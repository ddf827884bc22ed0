import { createPublicKey, verify } from 'node:crypto'
import { readBase58, writeBase58 } from '../../../lib/addresses/base58.ts'

/** A transaction as its bytes say. Account numbers count the static keys first, then the loaded ones. */
export type WireTransaction = {
  bytes: Uint8Array
  signatures: string[]
  version: 'legacy' | 0
  /** The bytes that the signatures sign. */
  message: Uint8Array
  signerCount: number
  readonlySignerCount: number
  readonlyOtherCount: number
  keys: string[]
  blockhash: string
  instructions: WireInstruction[]
  lookups: WireLookup[]
}

export type WireInstruction = { program: number; accounts: number[]; data: Uint8Array }
export type WireLookup = { table: string; writable: number[]; readonly: number[] }

/** Thrown for bytes that are no transaction, in the words of the node. */
export class BadTransaction extends Error {}

/** The most bytes of a transaction, which fits a network packet. */
export const mostBytes = 1_232
const signatureLength = 64

/**
 * Decodes a transaction, and checks everything that the runtime takes for granted: it would end the process at bytes that
 * are no transaction.
 */
export function decodeTransaction(bytes: Uint8Array): WireTransaction {
  const reader = new Reader(bytes)
  const signatures = reader.list(() => writeBase58(reader.take(signatureLength)))
  const decoded = decodeMessage(bytes.subarray(reader.place))
  if (signatures.length !== decoded.signerCount) throw new BadTransaction('the signatures do not match the header')
  return { ...decoded, bytes, signatures }
}

/** Decodes a message without its signatures. */
export function decodeMessage(message: Uint8Array): Omit<WireTransaction, 'signatures' | 'bytes'> {
  const reader = new Reader(message)
  const isVersioned = ((message[0] ?? 0) & 0x80) !== 0
  if (isVersioned && reader.byte() !== 0x80) throw new BadTransaction('unsupported transaction version')
  const [signerCount, readonlySignerCount, readonlyOtherCount] = [reader.byte(), reader.byte(), reader.byte()]
  const keys = reader.list(() => writeBase58(reader.take(32)))
  const blockhash = writeBase58(reader.take(32))
  const instructions = reader.list(() => ({
    program: reader.byte(),
    accounts: reader.list(() => reader.byte()),
    data: reader.take(reader.length()),
  }))
  const lookups = isVersioned
    ? reader.list(() => ({
        table: writeBase58(reader.take(32)),
        writable: reader.list(() => reader.byte()),
        readonly: reader.list(() => reader.byte()),
      }))
    : []
  if (reader.place !== message.length) throw new BadTransaction('there are bytes behind the end')
  const decoded = {
    message,
    signerCount,
    readonlySignerCount,
    readonlyOtherCount,
    keys,
    blockhash,
    instructions,
    lookups,
  }
  checkNumbers(decoded)
  return { ...decoded, version: isVersioned ? 0 : 'legacy' }
}

function checkNumbers({
  signerCount,
  readonlySignerCount,
  readonlyOtherCount,
  keys,
  instructions,
  lookups,
}: Omit<WireTransaction, 'signatures' | 'bytes' | 'version'>): void {
  const loaded = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0)
  const total = keys.length + loaded
  const isSane =
    signerCount > readonlySignerCount &&
    signerCount + readonlyOtherCount <= keys.length &&
    total <= 256 &&
    new Set(keys).size === keys.length &&
    lookups.every(({ writable, readonly }) => writable.length + readonly.length > 0) &&
    instructions.every(
      ({ program, accounts }) => program > 0 && program < keys.length && accounts.every((each) => each < total),
    )
  if (!isSane) throw new BadTransaction('Transaction failed to sanitize accounts offsets correctly')
}

/** True if the transaction may change the account with this number. */
export function isWritable(transaction: Omit<WireTransaction, 'signatures' | 'bytes'>, number: number): boolean {
  const { signerCount, readonlySignerCount, readonlyOtherCount, keys, lookups } = transaction
  if (number < signerCount) return number < signerCount - readonlySignerCount
  if (number < keys.length) return number < keys.length - readonlyOtherCount
  return number - keys.length < lookups.reduce((sum, { writable }) => sum + writable.length, 0)
}

const keyPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** True if every signer signed the message. */
export function isSigned({ message, signatures, keys }: WireTransaction): boolean {
  return signatures.every((signature, number) => {
    const der = Buffer.concat([keyPrefix, readBase58(keys[number] as string) as Uint8Array])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, message, key, readBase58(signature) as Uint8Array)
  })
}

class Reader {
  readonly #bytes: Uint8Array
  place = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    return this.take(1)[0] as number
  }

  take(length: number): Uint8Array {
    if (this.place + length > this.#bytes.length) throw new BadTransaction('io error: failed to fill whole buffer')
    this.place += length
    return this.#bytes.subarray(this.place - length, this.place)
  }

  /** A compact number of up to 16 bits, seven in each byte, in its shortest form. */
  length(): number {
    let value = 0
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte()
      value += (byte & 0x7f) << shift
      if ((byte & 0x80) !== 0) continue
      if ((byte === 0 && shift > 0) || value > 0xffff) break
      return value
    }
    throw new BadTransaction('a length is not in its shortest form')
  }

  list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.length() }, read)
  }
}
