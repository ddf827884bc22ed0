const chunkBytes = 64 * 1024

/** Writes an element with a text; nothing when there is no text. */
export function leaf(
  name: string,
  text: string | undefined,
  attribute?: readonly [name: string, value: string],
): string {
  if (text === undefined || text === '') return ''
  const attributes = attribute ? ` ${attribute[0]}="${escapeText(attribute[1])}"` : ''
  return `<${name}${attributes}>${escapeText(text)}</${name}>`
}

/** Writes an element around others; nothing when all of them are empty. */
export function branch(name: string, ...content: readonly string[]): string {
  const inside = content.join('')
  return inside === '' ? '' : `<${name}>${inside}</${name}>`
}

/** Writes the pieces of a document of ISO 20022 as buffers of about 64 KB. */
export function* writeDocument(message: string, pieces: Iterable<string>): Generator<Buffer> {
  let text = headOf(message)
  for (const piece of pieces) {
    text += piece
    if (text.length < chunkBytes) continue
    yield Buffer.from(text, 'utf8')
    text = ''
  }
  yield Buffer.from(`${text}</Document>\n`, 'utf8')
}

/** Writes the pieces of a document of ISO 20022 as they come, as buffers of about 64 KB. */
export async function* streamDocument(message: string, pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = headOf(message)
  for await (const piece of pieces) {
    text += piece
    if (text.length < chunkBytes) continue
    yield Buffer.from(text, 'utf8')
    text = ''
  }
  yield Buffer.from(`${text}</Document>\n`, 'utf8')
}

const headOf = (message: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">\n`

/** Escapes the characters that XML reserves, and drops those that it cannot carry. */
function escapeText(text: string): string {
  if (!/[&<>"]|[^\x20-\x7e]/.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[^\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ' ')
}
