import type { FileHeader, OutgoingFile, OutgoingPayment } from './files.ts'
import { painProblem, writePain001 } from './iso20022/pain001-writer.ts'
import { nachaProblem, writeNacha } from './nacha/writer.ts'

const isNacha = ({ service }: FileHeader) => service === 'ACH' || service === 'ACH_SAME_DAY'

/** Tells why a payment cannot be written into this file; undefined when it can. */
export function checkPayment(file: FileHeader, payment: OutgoingPayment): string | undefined {
  return isNacha(file) ? nachaProblem(file, payment) : painProblem(file, payment)
}

/** Writes a file in the format of its service, piece by piece. A payment that checkPayment refuses is an error. */
export function writeFile(file: OutgoingFile): Generator<Buffer> {
  return isNacha(file) ? writeNacha(file) : writePain001(file)
}
