import { isUtf8 } from 'node:buffer'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { ListProblem } from './csv.ts'

/** An element: its texts, and its elements by name. Published lists need nothing else of XML. */
export type Element = { [name: string]: string | Element | (string | Element)[] }

const maxBytes = 200_000_000
const entity = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)/i

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
})

/**
 * Reads an XML document with one root element of this name. A document type declaration, and with it every entity of its
 * own, is refused: it could name other files, or grow without limit.
 */
export function readXml(file: string, bytes: Buffer, root: string): Element {
  const refuse = (line: number, problem: string) => new ListProblem(file, line, problem)
  if (bytes.length > maxBytes) throw refuse(1, `exceeds ${maxBytes} bytes`)
  if (!isUtf8(bytes)) throw refuse(1, 'must be in UTF-8')
  const text = bytes.toString('utf8').replace('\uFEFF', '')
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1] ?? 'UTF-8'
  if (declared.toUpperCase() !== 'UTF-8') throw refuse(1, 'must be in UTF-8')
  const lineOf = (at: number) => text.slice(0, at).split('\n').length
  const type = text.search(/<!(?:DOCTYPE|ENTITY)/i)
  if (type !== -1) throw refuse(lineOf(type), 'must have no document type declaration')
  const unknown = text.search(entity)
  if (unknown !== -1) throw refuse(lineOf(unknown), 'has an entity that XML does not define')
  const valid = XMLValidator.validate(text)
  if (valid !== true) {
    const open = openElements(valid.err.msg)
    if (open !== '') throw refuse(lineOf(text.length), `ends within ${open}: the download may be incomplete`)
    throw refuse(valid.err.line, `is not XML: ${valid.err.msg.replace(/\.$/, '')}`)
  }
  const document = parser.parse(text) as Element
  const found = document[root]
  if (Object.keys(document).length !== 1 || typeof found !== 'object' || Array.isArray(found)) {
    throw refuse(1, `must have one root element, ${root}`)
  }
  return found
}

/** Reads from the validator's message the elements that a document leaves open at its end; '' for another fault. */
function openElements(message: string): string {
  if (!message.startsWith("Invalid '[")) return ''
  return Array.from(message.matchAll(/"([^"]+)"/g), ([, name]) => name).join(', ')
}

/** Lists the elements of this name; none where the element is empty. */
export function elementsIn(parent: Element, name: string): Element[] {
  return all(parent[name]).filter((each): each is Element => typeof each === 'object')
}

/** Reads the text of the first element of this name, with its white space joined; '' when there is none. */
export function textIn(parent: Element, name: string): string {
  const [found] = all(parent[name])
  const text = typeof found === 'object' ? found['#text'] : found
  return typeof text === 'string' ? decode(text).replaceAll(/\s+/g, ' ').trim() : ''
}

function all(value: Element[string] | undefined): (string | Element)[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Resolves the five entities of XML and numbered characters, each once. */
function decode(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, code: string) => {
    if (!code.startsWith('#')) return named[code] ?? whole
    const point = /^#x/i.test(code) ? Number.parseInt(code.slice(2), 16) : Number.parseInt(code.slice(1), 10)
    return point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })
}
