import type { BankFormats } from '../../sandbox/bank/formats.ts'
import { achAnswers, readAchPayments } from './ach-formats.ts'
import { isoMessages, readIsoPayments } from './iso-formats.ts'

/** The formats in which the sandbox's bank reads and writes. */
export const sandboxBankFormats: BankFormats = {
  ...achAnswers,
  ...isoMessages,
  readPayments: (content) =>
    content.subarray(0, 3).equals(nacha) ? readAchPayments(content) : readIsoPayments(content),
}

/** The first record of a NACHA file: type 1, priority 01. */
const nacha = Buffer.from('101')
