import { TextDecoder } from 'node:util'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { BankFileError } from '../bank-file-error.ts'

/** An element with its children in their order. */
export type XmlElement = {
  name: string
  line: number
  text: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
}

/** A completed element that the caller asked for. `parents` are the elements around it, as far as they are read. */
export type XmlEvent = { path: string; element: XmlElement; parents: readonly XmlElement[] }

/** The paths, such as "CstmrPmtStsRpt/GrpHdr", whose elements are passed to the caller instead of being kept. */
export type Detached = ReadonlySet<string>

const mostBytes = 1024 * 1024 * 1024
const mostDepth = 40
/** Elements that are kept at a time: those of one entry, and of the statement around it. */
const mostKept = 20_000
const mostText = 10_000
/** A tag or text that does not end within this many characters is refused before it fills the memory. */
const mostPending = 256 * 1024
const sliceBytes = 64 * 1024
/** Data of the bank's own, in namespaces of its own, and the header of an envelope. */
const ignored: ReadonlySet<string> = new Set(['SplmtryData', 'AppHdr'])

/**
 * Reads a document piece by piece. Document types, entities beyond the five of XML, other namespaces and unusual sizes are
 * refused. `choose` gets the namespace of the document and says which elements to pass on.
 */
export async function* readXml(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  choose: (namespace: string) => Detached,
): AsyncGenerator<XmlEvent> {
  const reading = createReading(choose)
  let decoder: TextDecoder | undefined
  let total = 0
  for await (const chunk of withHead(source)) {
    total += chunk.length
    if (total > mostBytes) throw new BankFileError('TOO_LARGE', 'The file is larger than 1 GB')
    decoder ??= decoderOf(chunk)
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      yield* reading.take(decode(decoder, chunk.subarray(at, at + sliceBytes), true))
    }
  }
  yield* reading.take(decode(decoder ?? new TextDecoder(), Buffer.alloc(0), false))
  yield* reading.end()
}

const encodings: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  // Its bytes are not those of UTF-16, see `utf16Of`: the writer declared what it had in memory.
  ['utf-16', 'utf-8'],
  ['iso-8859-1', 'latin1'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1252', 'windows-1252'],
])

/** The declaration of an encoding stands within so many bytes. */
const headBytes = 200

/** Passes chunks on; the first one is long enough to have the declaration of the encoding. */
async function* withHead(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of source) {
    if (!head) yield chunk
    else {
      head = Buffer.concat([head, chunk])
      if (head.length < headBytes) continue
      yield head
      head = undefined
    }
  }
  if (head && head.length > 0) yield head
}

/** Recognizes UTF-16 by its byte order mark, or by the zeros of a first "<". */
export function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first = 1, second = 1] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  return undefined
}

/** Finds the encoding: UTF-16 by its bytes, else the declared one, UTF-8 if there is none. */
function decoderOf(chunk: Buffer): TextDecoder {
  const utf16 = utf16Of(chunk)
  if (utf16) return new TextDecoder(utf16, { fatal: true })
  const head = chunk.subarray(0, headBytes).toString('latin1')
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\bencoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  const encoding = encodings.get(declared.toLowerCase())
  if (!encoding)
    throw new BankFileError(
      'MALFORMED',
      'The encoding must be UTF-8, UTF-16, US-ASCII, ISO-8859-1, ISO-8859-15 or Windows-1252',
      1,
    )
  return new TextDecoder(encoding, { fatal: true })
}

function decode(decoder: TextDecoder, bytes: Buffer, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new BankFileError('MALFORMED', 'The file has bytes that its encoding does not have')
  }
}

type OpenElement = { element: XmlElement; path: string; kept: number; hasChildren: boolean }

/** Joins the parser with the tree that it builds. */
function createReading(choose: (namespace: string) => Detached) {
  const parser = new SaxesParser({ xmlns: true, position: true })
  let pending = 0
  const fail: Fail = (code, message) => {
    throw new BankFileError(code, message, parser.line)
  }
  const tree = createTree(choose, fail)
  parser.on('opentag', (tag) => {
    pending = 0
    tree.open(tag, parser.line)
  })
  parser.on('closetag', () => {
    pending = 0
    tree.close()
  })
  const addText = (text: string) => {
    pending = 0
    tree.addText(text)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('doctype', () => fail('MALFORMED', 'A document type is not allowed'))
  parser.on('error', () => fail('MALFORMED', 'The XML is not well-formed'))
  return {
    take(text: string): XmlEvent[] {
      pending += text.length
      if (pending > mostPending) fail('TOO_LARGE', 'A tag or text does not end')
      parser.write(text)
      return tree.drain()
    },
    end(): XmlEvent[] {
      parser.close()
      if (!tree.isBegun()) fail('UNKNOWN_FORMAT', 'The root element must be Document, or an envelope with one Document')
      return tree.drain()
    },
  }
}

type Fail = (code: BankFileError['code'], message: string) => never

/** Passes over the elements around the document, such as BusMsg. An envelope has one document. */
function createEnvelope(fail: Fail) {
  let depth = 0
  let isBegun = false
  return {
    isBegun: () => isBegun,
    /** True for an element of the envelope, false for the document. */
    enter(tag: SaxesTagNS): boolean {
      if (tag.local === 'Document') {
        if (isBegun) fail('MALFORMED', 'The envelope has more than one Document')
        isBegun = true
        return false
      }
      depth += 1
      if (depth >= mostDepth) fail('TOO_LARGE', `Elements are nested deeper than ${mostDepth}`)
      return true
    },
    leave(): void {
      depth -= 1
    },
  }
}

/** Builds the elements that are open, and sets aside those that the caller asked for. */
function createTree(choose: (namespace: string) => Detached, fail: Fail) {
  const stack: OpenElement[] = []
  let events: XmlEvent[] = []
  let detached: Detached = new Set()
  let namespace = ''
  let ignoredDepth = 0
  let kept = 0
  const { enter, leave, isBegun } = createEnvelope(fail)

  function begin(tag: SaxesTagNS): void {
    namespace = tag.uri
    detached = choose(namespace)
  }

  return {
    isBegun,
    open(tag: SaxesTagNS, line: number): void {
      if (stack.length + ignoredDepth >= mostDepth) fail('TOO_LARGE', `Elements are nested deeper than ${mostDepth}`)
      if (ignoredDepth > 0 || ignored.has(tag.local)) {
        ignoredDepth += 1
        return
      }
      const above = stack.at(-1)
      if (!above && enter(tag)) return
      if (above) above.hasChildren = true
      else begin(tag)
      if (tag.uri !== namespace) fail('MALFORMED', 'An element is in another namespace than its document')
      kept += 1
      if (kept > mostKept) fail('TOO_LARGE', `More than ${mostKept} elements belong together`)
      const attributes = Object.fromEntries(Object.entries(tag.attributes).map(([name, { value }]) => [name, value]))
      const path = stack.length < 2 ? tag.local : `${above?.path}/${tag.local}`
      const element = { name: tag.local, line, text: '', attributes, children: [] }
      stack.push({ element, path, kept: kept - 1, hasChildren: false })
    },
    close(): void {
      if (ignoredDepth > 0) {
        ignoredDepth -= 1
        return
      }
      const closed = stack.pop()
      if (!closed) {
        leave()
        return
      }
      const { element, path } = closed
      element.text = element.text.trim()
      if (element.children.length > 0 && element.text !== '')
        fail('MALFORMED', `${element.name} has text between elements`)
      if (detached.has(path)) {
        kept = closed.kept
        events.push({ path, element, parents: stack.map((entry) => entry.element) })
      } else {
        stack.at(-1)?.element.children.push(element)
      }
    },
    addText(text: string): void {
      const element = stack.at(-1)?.element
      // Blanks between elements are dropped at once: a statement has as many as entries.
      if (!element || ignoredDepth > 0 || (element.text === '' && text.trim() === '')) return
      element.text += text
      if (element.text.length > mostText) fail('TOO_LARGE', `${element.name} has more than ${mostText} characters`)
    },
    drain(): XmlEvent[] {
      const drained = events
      events = []
      return drained
    },
  }
}
