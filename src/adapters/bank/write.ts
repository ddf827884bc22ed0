import { isWithinLimits } from '../../catalog/bank-limits.ts'
import type { FileHeader, OutgoingFile, OutgoingPayment } from '../../transactions/bank-files/formats.ts'
import { painProblem, writePain001 } from './iso20022/pain001-writer.ts'
import { nachaProblem, writeNacha } from './nacha/writer.ts'

const isNacha = ({ service }: FileHeader) => service === 'ACH' || service === 'ACH_SAME_DAY'

/** Tells why a payment cannot be written into this file; undefined when it can. */
export function checkPayment(file: FileHeader, payment: OutgoingPayment): string | undefined {
  if (!isWithinLimits(file.service, payment.amount)) return `the amount is outside of the limits of ${file.service}`
  return isNacha(file) ? nachaProblem(file, payment) : painProblem(file, payment)
}

/** Writes a file in the format of its service, piece by piece. A payment that the format cannot carry is an error. */
export function writeFile(file: OutgoingFile): Generator<Buffer> {
  return isNacha(file) ? writeNacha(file) : writePain001(file)
}
