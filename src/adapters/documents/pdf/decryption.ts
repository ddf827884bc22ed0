import { createHash } from 'node:crypto'
import { PDFBool, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFRef, PDFString } from '@cantoo/pdf-lib'
import { DocumentRefused, documentProblems, unsupported } from '../document-check.ts'
import { aesCbc, computeFileKey, computeFileKey256, rc4 } from './standard-security.ts'

/** Decrypts the strings and streams of a file that opens without a password. Never fails: a reader shows garbage. */
export type Decryption = {
  decryptString(ref: PDFRef, bytes: Uint8Array): Uint8Array
  decryptStream(ref: PDFRef, bytes: Uint8Array): Uint8Array
}

type Method = 'None' | 'V2' | 'AESV2' | 'AESV3'

/**
 * Opens a file with the empty user password. Scanners and office programs set an owner password, which only asks
 * readers not to allow printing or copying (ISO 32000-2, 7.6.4). Refuses a file that needs another password.
 */
export function openWithoutPassword(encrypt: PDFDict, fileId: Uint8Array): Decryption {
  if (nameIn(encrypt, 'Filter') !== 'Standard') {
    throw new DocumentRefused(unsupported('encryption for certain recipients'))
  }
  const version = numberIn(encrypt, 'V') ?? 0
  const revision = numberIn(encrypt, 'R') ?? 0
  const methods = methodsOf(encrypt, version)
  if (!methods || revision < 2 || revision > 6) throw new DocumentRefused(unsupported('this kind of encryption'))
  const given = {
    revision,
    keyLength: version === 1 ? 5 : version === 4 ? 16 : Math.floor((numberIn(encrypt, 'Length') ?? 40) / 8),
    owner: bytesIn(encrypt, 'O'),
    user: bytesIn(encrypt, 'U'),
    userKey: bytesIn(encrypt, 'UE'),
    permissions: numberIn(encrypt, 'P') ?? 0,
    encryptsMetadata: encrypt.lookup(PDFName.of('EncryptMetadata')) !== PDFBool.False,
    fileId,
  }
  const fileKey = version === 5 ? computeFileKey256(given) : computeFileKey(given)
  if (!fileKey) throw new DocumentRefused(documentProblems.encrypted)
  return {
    decryptString: (ref, bytes) => decrypt(fileKey, methods.strings, ref, bytes),
    decryptStream: (ref, bytes) => decrypt(fileKey, methods.streams, ref, bytes),
  }
}

/** The methods of the crypt filters that the dictionary names for strings and streams (ISO 32000-2, 7.6.6). */
function methodsOf(encrypt: PDFDict, version: number): { strings: Method; streams: Method } | undefined {
  if (version === 1 || version === 2) return { strings: 'V2', streams: 'V2' }
  if (version !== 4 && version !== 5) return undefined
  const [strings, streams] = [methodOf(encrypt, 'StrF'), methodOf(encrypt, 'StmF')]
  const possible: readonly (Method | undefined)[] = version === 4 ? ['None', 'V2', 'AESV2'] : ['None', 'AESV3']
  return strings && streams && possible.includes(strings) && possible.includes(streams)
    ? { strings, streams }
    : undefined
}

const methods: readonly Method[] = ['None', 'V2', 'AESV2', 'AESV3']

function methodOf(encrypt: PDFDict, use: string): Method | undefined {
  const name = nameIn(encrypt, use) ?? 'Identity'
  if (name === 'Identity') return 'None'
  const filters = encrypt.lookup(PDFName.of('CF'))
  const filter = filters instanceof PDFDict ? filters.lookup(PDFName.of(name)) : undefined
  const method = filter instanceof PDFDict ? nameIn(filter, 'CFM') : undefined
  return methods.find((each) => each === method)
}

function decrypt(fileKey: Buffer, method: Method, ref: PDFRef, bytes: Uint8Array): Uint8Array {
  if (method === 'None') return bytes
  const key = method === 'AESV3' ? fileKey : objectKey(fileKey, ref, method)
  return method === 'V2' ? rc4(key, bytes) : aesCbc(key, bytes)
}

/** ISO 32000-1, algorithm 1: each object has a key of its own. */
function objectKey(fileKey: Buffer, { objectNumber, generationNumber }: PDFRef, method: Method): Buffer {
  const place = Buffer.alloc(5)
  place.writeUIntLE(objectNumber % 0x1000000, 0, 3)
  place.writeUIntLE(generationNumber % 0x10000, 3, 2)
  const salt = method === 'AESV2' ? 'sAlT' : ''
  const hash = createHash('md5').update(fileKey).update(place).update(salt).digest()
  return hash.subarray(0, Math.min(fileKey.length + 5, 16))
}

function nameIn(dict: PDFDict, name: string): string | undefined {
  const value = dict.lookup(PDFName.of(name))
  return value instanceof PDFName ? value.decodeText() : undefined
}

function numberIn(dict: PDFDict, name: string): number | undefined {
  const value = dict.lookup(PDFName.of(name))
  return value instanceof PDFNumber ? value.asNumber() : undefined
}

function bytesIn(dict: PDFDict, name: string): Buffer {
  const value = dict.lookup(PDFName.of(name))
  return value instanceof PDFString || value instanceof PDFHexString ? Buffer.from(value.asBytes()) : Buffer.alloc(0)
}
