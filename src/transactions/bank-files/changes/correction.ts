import type { BankCorrection } from '../../../payment-accounts/bank-accounts/corrected-details.ts'

/**
 * The columns of the corrected data of each code, from 0 (Nacha Operating Rules, Appendix Five: notification of change).
 * Codes that correct anything else, such as a name, need no other coordinates.
 */
// biome-ignore format: a table is read by column
const layouts: Readonly<Record<string, Readonly<Partial<Record<'routing' | 'account' | 'transactionCode', readonly [number, number]>>>>> = {
  C01: {                   account: [0, 17] },
  C02: { routing: [0, 9] },
  C03: { routing: [0, 9],  account: [12, 29] },
  C05: {                                       transactionCode: [0, 2] },
  C06: {                   account: [0, 17],   transactionCode: [20, 22] },
  C07: { routing: [0, 9],  account: [9, 26],   transactionCode: [26, 28] },
}

/** The second digit of a transaction code is that of a credit; the first one tells the kind of account. */
const accountTypes: Readonly<Record<string, string>> = { 2: 'CHECKING', 3: 'SAVINGS' }

/** Reads which fields of an account a notification of change corrects; undefined when it corrects none that Svc can read. */
export function readCorrection(code: string, corrected: string): BankCorrection | undefined {
  const layout = layouts[code]
  if (!layout) return undefined
  const read = (columns: readonly [number, number] | undefined) => columns && corrected.slice(...columns).trim()
  const [routing, account, transactionCode] = [layout.routing, layout.account, layout.transactionCode].map(read)
  const bankAccountType = transactionCode && accountTypes[transactionCode.slice(0, 1)]
  const isWhole =
    (!layout.routing || routing) && (!layout.account || account) && (!layout.transactionCode || bankAccountType)
  if (!isWhole) return undefined
  return {
    ...(routing ? { routingNumber: routing } : {}),
    ...(account ? { accountNumber: account } : {}),
    ...(bankAccountType ? { bankAccountType } : {}),
  }
}
