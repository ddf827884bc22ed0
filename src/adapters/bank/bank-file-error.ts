export type BankFileErrorCode =
  /** Neither XML nor NACHA, or a message type that Svc does not read. */
  | 'UNKNOWN_FORMAT'
  /** A camt.056 that Svc cannot read: the bank of a payer wants payments back, and none of them is held. */
  | 'RECALL'
  /** A known message in a version that Svc does not read. */
  | 'UNKNOWN_VERSION'
  /** Broken XML or records; fields missing or out of place. */
  | 'MALFORMED'
  /** Totals, counts or hashes that differ from the content. */
  | 'WRONG_TOTALS'
  /** An amount that is not exact in its currency, or a currency that Svc does not know. */
  | 'WRONG_AMOUNT'
  /** Larger, deeper or longer than Svc reads. */
  | 'TOO_LARGE'

/** Why a bank's file cannot be read. The message names fields and never repeats values of the file. */
export class BankFileError extends Error {
  readonly code: BankFileErrorCode
  readonly line: number | undefined

  constructor(code: BankFileErrorCode, message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`)
    this.name = 'BankFileError'
    this.code = code
    this.line = line
  }
}
