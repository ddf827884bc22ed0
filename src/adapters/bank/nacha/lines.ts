import { isAscii, isUtf8 } from 'node:buffer'
import { BankFileError } from '../bank-file-error.ts'
import { recordWidth } from './layouts.ts'

/** One line of a file. `text` has 94 columns; the other fields restore the very bytes. */
export type Line = {
  number: number
  text: string
  /** The columns that the file has: blanks at the end of a line may be missing, and there may be more of them. */
  width: number
  ending: '' | '\n' | '\r\n'
  encoding: 'latin1' | 'utf8'
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
/** A line of 94 characters has at most this many bytes. */
const mostBytes = recordWidth * 4

/** Cuts a file into its lines. Records may also follow each other without line ends. */
export async function* readLines(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  for await (const chunk of source) {
    let buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    // Enough bytes for any line and its end: what follows cannot change how it is cut.
    while (buffer.length > mostBytes + 2) {
      const { line, length } = nextLine(buffer, number + 1)
      yield line
      number += 1
      buffer = buffer.subarray(length)
    }
    rest = Buffer.from(buffer)
  }
  while (rest.length > 0) {
    const { line, length } = nextLine(rest, number + 1)
    yield line
    number += 1
    rest = rest.subarray(length)
  }
}

/** Restores the bytes of a line. */
export function bytesOf({ text, width, ending, encoding }: Line): Buffer {
  return Buffer.from(text.slice(0, width).padEnd(width) + ending, encoding)
}

function nextLine(buffer: Buffer, number: number): { line: Line; length: number } {
  const end = buffer.subarray(0, mostBytes + 2).indexOf(lineFeed)
  if (end === -1) {
    if (buffer.length > recordWidth && isAscii(buffer.subarray(0, recordWidth))) {
      return { line: decode(buffer.subarray(0, recordWidth), '', number), length: recordWidth }
    }
    return { line: decode(buffer, '', number), length: buffer.length }
  }
  // Records without line ends, of which only the last one may have one.
  if (
    end > recordWidth + 1 &&
    isAscii(buffer.subarray(0, recordWidth)) &&
    !isBlank(buffer.subarray(recordWidth, end))
  ) {
    return { line: decode(buffer.subarray(0, recordWidth), '', number), length: recordWidth }
  }
  const hasReturn = end > 0 && buffer[end - 1] === carriageReturn
  const content = buffer.subarray(0, hasReturn ? end - 1 : end)
  return { line: decode(content, hasReturn ? '\r\n' : '\n', number), length: end + 1 }
}

const isBlank = (bytes: Buffer) => bytes.toString('latin1').trimEnd() === ''

function decode(bytes: Buffer, ending: Line['ending'], number: number): Line {
  const encoding = !isAscii(bytes) && isUtf8(bytes) ? 'utf8' : 'latin1'
  const whole = bytes.toString(encoding)
  const text = whole.slice(recordWidth).trimEnd() === '' ? whole.slice(0, recordWidth) : whole
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a record cannot have
  if (/[\x00-\x1f\x7f]/.test(text)) throw new BankFileError('MALFORMED', 'The line has a control character', number)
  if (text.length > recordWidth) {
    throw new BankFileError('MALFORMED', `The line has more than ${recordWidth} characters`, number)
  }
  return { number, text: text.padEnd(recordWidth), width: whole.length, ending, encoding }
}
