import type { FileHeader, OutgoingFile, OutgoingPayment } from './files.ts'

/** Tells why a payment cannot be written into this file; undefined when it can. */
export function checkPayment(_file: FileHeader, _payment: OutgoingPayment): string | undefined {
  return undefined
}

/** Writes a file in the format of its service, piece by piece. */
// biome-ignore lint/correctness/useYield: the formats follow
export function* writeFile(file: OutgoingFile): Generator<Buffer> {
  throw new Error(`There is no format of ${file.service}`)
}
