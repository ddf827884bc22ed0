import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressors = {
  br: (bytes: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes),
}

export type Encoding = keyof typeof compressors

/** The compressions of answers, the better one first. */
export const encodings: readonly Encoding[] = ['br', 'gzip']

/** Tells whether an `accept-encoding` header names a compression, and not with the weight 0. */
export function acceptsEncoding(accepted: string, encoding: Encoding): boolean {
  return new RegExp(`\\b${encoding}\\b(?!;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted)
}

/**
 * An answer that is the same for every caller. It is compressed once, outside the main thread, and a caller that has it
 * already gets no bytes.
 */
export class KeptAnswer {
  readonly #bytes: Buffer
  readonly #tag: string
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  }

  async answerTo(headers: IncomingHttpHeaders): Promise<{
    status: 200 | 304
    headers: Record<string, string>
    bytes: Buffer
  }> {
    const accepted = String(headers['accept-encoding'] ?? '')
    const encoding = encodings.find((each) => acceptsEncoding(accepted, each))
    // Each compression is other bytes, so it has its own tag (RFC 9110, section 8.8.3).
    const etag = `"${this.#tag}${encoding ? `-${encoding}` : ''}"`
    const common = { etag, vary: 'accept-encoding' }
    const held = String(headers['if-none-match'] ?? '')
    if (held.split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*'))
      return { status: 304, headers: common, bytes: Buffer.alloc(0) }
    if (!encoding) return { status: 200, headers: common, bytes: this.#bytes }
    return { status: 200, headers: { ...common, 'content-encoding': encoding }, bytes: await this.#compress(encoding) }
  }

  #compress(encoding: Encoding): Promise<Buffer> {
    const compressed = this.#compressed.get(encoding) ?? compressors[encoding](this.#bytes)
    this.#compressed.set(encoding, compressed)
    compressed.catch(() => this.#compressed.delete(encoding))
    return compressed
  }
}
