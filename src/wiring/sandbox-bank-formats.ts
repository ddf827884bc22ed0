import type { BankFormats } from '../sandbox/bank/formats.ts'

const missing = (): never => {
  throw new Error('This format follows')
}

/** The formats in which the sandbox's bank reads and writes. */
export const sandboxBankFormats: BankFormats = {
  readPayments: missing,
  writeStatus: missing,
  writeNotification: missing,
  writeStatement: missing,
  writeReturn: missing,
  writeAchReturn: missing,
  writeAchChange: missing,
}
