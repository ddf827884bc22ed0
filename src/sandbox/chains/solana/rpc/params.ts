import { readBase58 } from '../../../../lib/addresses/base58.ts'
import { readSolanaAddress } from '../../../../lib/addresses/solana-address.ts'
import { RpcError } from '../../rpc-error.ts'
import type { Commitment } from '../chain.ts'
import { BadTransaction, decodeTransaction, mostBytes, type WireTransaction } from '../transaction.ts'

export type Settings = Readonly<Record<string, unknown>>

export function badParams(message: string): RpcError {
  return new RpcError(message, -32_602)
}

/** Reads the settings of a call; most have none. */
export function settingsOf(param: unknown): Settings {
  if (param === undefined || param === null) return {}
  if (typeof param !== 'object' || Array.isArray(param))
    throw badParams('Invalid params: expected a configuration object.')
  return param as Settings
}

const older: Readonly<Record<string, Commitment>> = {
  recent: 'processed',
  single: 'confirmed',
  singleGossip: 'confirmed',
  max: 'finalized',
  root: 'finalized',
}

export function commitmentOf({ commitment = 'finalized' }: Settings): Commitment {
  if (commitment === null) return 'finalized'
  if (commitment === 'processed' || commitment === 'confirmed' || commitment === 'finalized') return commitment
  const known = typeof commitment === 'string' && Object.hasOwn(older, commitment) ? older[commitment] : undefined
  if (known) return known
  throw badParams(
    `Invalid params: unknown variant \`${String(commitment)}\`, expected one of \`processed\`, \`confirmed\`, \`finalized\`.`,
  )
}

/** Reads a commitment of a call that knows only blocks which a majority has voted for. */
export function votedCommitmentOf(settings: Settings): Commitment {
  const commitment = commitmentOf(settings)
  if (commitment === 'processed') throw badParams('Method does not support commitment below `confirmed`')
  return commitment
}

export function addressOf(param: unknown): string {
  if (typeof param !== 'string') throw badParams('Invalid params: invalid type, expected a string.')
  if (readSolanaAddress(param)) return param
  throw badParams(readBase58(param) ? 'Invalid param: WrongSize' : 'Invalid param: Invalid')
}

export function signatureOf(param: unknown): string {
  if (typeof param !== 'string') throw badParams('Invalid params: invalid type, expected a string.')
  const bytes = param.length > 88 ? undefined : readBase58(param)
  if (bytes?.length === 64) return param
  throw badParams(bytes ? 'Invalid param: WrongSize' : 'Invalid param: Invalid')
}

export function numberOf(param: unknown, what: string): number {
  if (typeof param === 'number' && Number.isSafeInteger(param) && param >= 0) return param
  throw badParams(`Invalid params: ${what} must be a whole number.`)
}

/** Reads a number of the settings. */
export function optionalNumber(settings: Settings, name: string): number | undefined {
  const given = settings[name]
  return given === undefined || given === null ? undefined : numberOf(given, name)
}

export function oneOf<Value extends string>(given: unknown, values: readonly Value[], fallback: Value): Value {
  if (given === undefined || given === null) return fallback
  const found = values.find((value) => value === given)
  if (found) return found
  const list = values.map((value) => `\`${value}\``).join(', ')
  throw badParams(`Invalid params: unknown variant \`${String(given)}\`, expected one of ${list}.`)
}

const kind = 'solana_transaction::versioned::VersionedTransaction'
const mostEncoded = { base58: 1_683, base64: 1_644 } as const

/** Decodes a signed transaction of a call. */
export function transactionOf(param: unknown, settings: Settings): WireTransaction {
  if (typeof param !== 'string') throw badParams('Invalid params: invalid type, expected a string.')
  const bytes = bytesOf(param, oneOf(settings.encoding, ['base58', 'base64'], 'base58'))
  if (bytes.length > mostBytes) {
    throw badParams(`decoded ${kind} too large: ${bytes.length} bytes (max: ${mostBytes} bytes)`)
  }
  try {
    return decodeTransaction(bytes)
  } catch (error) {
    if (!(error instanceof BadTransaction)) throw error
    const isInsane = error.message.startsWith('Transaction failed')
    throw badParams(
      isInsane ? `invalid transaction: ${error.message}` : `failed to deserialize ${kind}: ${error.message}`,
    )
  }
}

function bytesOf(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  const most = mostEncoded[encoding]
  if (text.length > most) {
    throw badParams(
      `${encoding} encoded ${kind} too large: ${text.length} bytes (max: encoded/raw ${most}/${mostBytes})`,
    )
  }
  const bytes = encoding === 'base58' ? readBase58(text) : Uint8Array.from(Buffer.from(text, 'base64'))
  const isExact = encoding === 'base58' || Buffer.from(bytes ?? []).toString('base64') === text
  if (!bytes || !isExact) throw badParams(`invalid ${encoding} encoding: InvalidByte`)
  return bytes
}
