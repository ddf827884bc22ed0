import { BankFileError } from './bank-file-error.ts'
import type { IncomingRecord } from './files.ts'

/** Reads any incoming file, found out by its content; throws a BankFileError for a malformed or unknown one. */
// biome-ignore lint/correctness/useYield: the formats follow
export async function* readIncoming(source: AsyncIterable<Buffer>): AsyncGenerator<IncomingRecord> {
  for await (const _chunk of source) break
  throw new BankFileError('UNKNOWN_FORMAT', 'The file is neither XML nor NACHA')
}
