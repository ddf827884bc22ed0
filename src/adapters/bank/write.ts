import type { FileHeader, OutgoingFile, OutgoingPayment } from './files.ts'
import { nachaProblem, writeNacha } from './nacha/writer.ts'

const isNacha = ({ service }: FileHeader) => service === 'ACH' || service === 'ACH_SAME_DAY'

/** Tells why a payment cannot be written into this file; undefined when it can. */
export function checkPayment(file: FileHeader, payment: OutgoingPayment): string | undefined {
  return isNacha(file) ? nachaProblem(file, payment) : undefined
}

/** Writes a file in the format of its service, piece by piece. A payment that checkPayment refuses is an error. */
export function* writeFile(file: OutgoingFile): Generator<Buffer> {
  if (!isNacha(file)) throw new Error(`There is no format of ${file.service}`)
  yield* writeNacha(file)
}
