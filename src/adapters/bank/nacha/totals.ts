import { BankFileError } from '../bank-file-error.ts'
import type { BatchControl, Entry, FileControl } from './records.ts'

/** The sums that a control record repeats. */
export type Totals = {
  /** Entries and their addenda. */
  count: number
  /** The sum of the first eight digits of all routing numbers. */
  hash: bigint
  debits: bigint
  credits: bigint
}

export const noTotals = (): Totals => ({ count: 0, hash: 0n, debits: 0n, credits: 0n })

/** Control records keep the last ten digits of the hash. */
export const hashOf = ({ hash }: Totals): bigint => hash % 10_000_000_000n

export function addEntry(totals: Totals, entry: { rdfi: string; amount: bigint; direction: 'CREDIT' | 'DEBIT' }): void {
  totals.count += 1
  totals.hash += BigInt(entry.rdfi)
  if (entry.direction === 'CREDIT') totals.credits += entry.amount
  else totals.debits += entry.amount
}

/**
 * Tells whether an entry credits or debits its account; undefined for a code that does not exist. The second digit of an
 * account's code is 1 to 4 for credits and 5 to 9 for debits; codes of the operator's own advices alternate from 81.
 */
export function directionOf(transactionCode: string): 'CREDIT' | 'DEBIT' | undefined {
  if (/^[2-5][1-4]$|^8[1357]$/.test(transactionCode)) return 'CREDIT'
  if (/^[234][6-9]$|^5[56]$|^8[2468]$/.test(transactionCode)) return 'DEBIT'
  return undefined
}

/** Reads the direction of an entry and refuses one that its batch does not allow: 220 has credits, 225 debits. */
export function directionIn(serviceClass: string, { fields, line }: Entry): 'CREDIT' | 'DEBIT' {
  const direction = directionOf(fields.transactionCode)
  if (!direction) throw new BankFileError('MALFORMED', 'The transaction code is unknown', line.number)
  const isMisplaced =
    (serviceClass === '220' && direction === 'DEBIT') || (serviceClass === '225' && direction === 'CREDIT')
  if (isMisplaced) throw new BankFileError('MALFORMED', 'The service class of the batch forbids the entry', line.number)
  return direction
}

/** Compares the totals with those of a control record. */
export function checkTotals(totals: Totals, { kind, fields, line }: BatchControl | FileControl): void {
  const wrong: string[] = []
  if (BigInt(fields.entryCount) !== BigInt(totals.count)) wrong.push('entryCount')
  if (BigInt(fields.entryHash) !== hashOf(totals)) wrong.push('entryHash')
  if (BigInt(fields.debitTotal) !== totals.debits) wrong.push('debitTotal')
  if (BigInt(fields.creditTotal) !== totals.credits) wrong.push('creditTotal')
  if (wrong.length === 0) return
  throw new BankFileError('WRONG_TOTALS', `${wrong.join(', ')} of ${kind} differ from the entries`, line.number)
}
