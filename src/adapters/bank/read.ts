import type { IncomingRecord } from '../../transactions/bank-files/formats.ts'
import { BankFileError } from './bank-file-error.ts'
import { readIsoIncoming } from './iso20022/incoming.ts'
import { utf16Of } from './iso20022/xml-reader.ts'
import { readNachaIncoming } from './nacha/incoming.ts'

/**
 * Reads any incoming file, found out by its content; throws a BankFileError for a malformed or unknown one. A file is
 * sound only once the generator has ended: its totals may be at its end.
 */
export async function* readIncoming(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<IncomingRecord> {
  const { first, whole } = await peek(source)
  if (first === '1') yield* readNachaIncoming(whole)
  else if (first === '<') yield* readIsoIncoming(whole)
  else throw new BankFileError('UNKNOWN_FORMAT', 'The file is neither XML nor NACHA')
}

/** Reads the first character that is no blank, and returns a source that begins with all that was read. */
async function peek(source: AsyncIterable<Buffer> | Iterable<Buffer>) {
  const chunks = (async function* () {
    yield* source
  })()
  const read: Buffer[] = []
  let first = ''
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    read.push(next.value)
    const bytes = Buffer.concat(read).subarray(0, 1024)
    if (utf16Of(bytes)) {
      first = '<'
      break
    }
    // A byte order mark is three bytes.
    first = bytes
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .trimStart()
    if (first.length > 2 || read.length > 1024) break
  }
  const whole = (async function* () {
    yield* read
    yield* chunks
  })()
  return { first: first.slice(0, 1), whole }
}
