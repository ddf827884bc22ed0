import { BankFileError } from './bank-file-error.ts'
import type { IncomingRecord } from './files.ts'
import { readNachaIncoming } from './nacha/incoming.ts'

/**
 * Reads any incoming file, found out by its content; throws a BankFileError for a malformed or unknown one. A file is
 * sound only once the generator has ended: its totals may be at its end.
 */
export async function* readIncoming(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<IncomingRecord> {
  const { first, whole } = await peek(source)
  if (first === '1') yield* readNachaIncoming(whole)
  else throw new BankFileError('UNKNOWN_FORMAT', 'The file is neither XML nor NACHA')
}

/** Reads the first character, and returns a source that begins with it. */
async function peek(source: AsyncIterable<Buffer> | Iterable<Buffer>) {
  const chunks = (async function* () {
    yield* source
  })()
  let begun = await chunks.next()
  while (!begun.done && begun.value.length === 0) begun = await chunks.next()
  const head = begun.done ? Buffer.alloc(0) : begun.value
  const whole = (async function* () {
    yield head
    yield* chunks
  })()
  return { first: head.subarray(0, 1).toString('latin1'), whole }
}
