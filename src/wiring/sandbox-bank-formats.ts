import type { BankFormats } from '../sandbox/bank/formats.ts'
import { achAnswers, readAchPayments } from './sandbox-ach-formats.ts'

const missing = (): never => {
  throw new Error('This format follows')
}

/** The formats in which the sandbox's bank reads and writes. */
export const sandboxBankFormats: BankFormats = {
  ...achAnswers,
  readPayments: (content) => readAchPayments(content),
  writeStatus: missing,
  writeNotification: missing,
  writeStatement: missing,
  writeReturn: missing,
}
