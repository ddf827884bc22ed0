import type { IncomingMessage } from 'node:http'
import { badField, Refusal, unavailable } from '../../lib/refusal.ts'
import { JsonBodyReader } from './json-body.ts'

const maxBodyBytes = 104_857_600
/** The limit for a form with credentials, and for a body before authentication. */
const maxCredentialsBytes = 64 * 1024
/** The limit for secret addresses. */
const maxReceivedBytes = 1024 * 1024
/** Smaller bodies do not count, so that they pass while large ones use up the budget. */
const uncountedBytes = 256 * 1024

/** Limits the bytes of request bodies in this process. Beyond it, large requests get 503 and retry later. */
export class BodyBudget {
  readonly #limit: number
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** Checks the budget without reserving it: bytes count as they arrive, so a slow sender delays no other caller. */
  requireRoom(bytes: number): void {
    if (this.#used + bytes > this.#limit)
      throw unavailable('The server is processing too many large requests; try again in 2 seconds', 2)
  }

  take(bytes: number): void {
    this.requireRoom(bytes)
    this.#used += bytes
  }

  release(bytes: number): void {
    this.#used -= bytes
  }
}

export type ReadOptions = {
  /** Accepts a form as well as JSON. */
  acceptsForm: boolean
  /** Accepts any bytes, and keeps them unchanged. */
  acceptsAnyBytes: boolean
  /** True when the caller was authenticated before the body is read. */
  isAuthenticated: boolean
  /** The limit of a page for browsers, in place of the usual ones. */
  maxBytes?: number
}

export type ReadBody = { value: unknown; release(): void }

/**
 * A body that cannot be read. The refusal is thrown when the handler reads the body: a 404 or a wrong state takes
 * precedence.
 */
export class UnreadableBody {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

export async function readBodyOrRefusal(
  message: IncomingMessage,
  budget: BodyBudget,
  options: ReadOptions,
): Promise<ReadBody> {
  try {
    return await readBody(message, budget, options)
  } catch (error) {
    const concernsContent = error instanceof Refusal && (error.statusCode === 400 || error.statusCode === 415)
    if (!concernsContent) throw error
    return { value: new UnreadableBody(error), release: () => {} }
  }
}

/** Reads the body of a request. An empty body counts as none, regardless of its content type. */
async function readBody(message: IncomingMessage, budget: BodyBudget, options: ReadOptions): Promise<ReadBody> {
  const announced = announcedBytes(message)
  const hasSmallLimit = !options.isAuthenticated || (options.acceptsForm && isForm(message))
  const usualBytes = options.acceptsAnyBytes ? maxReceivedBytes : hasSmallLimit ? maxCredentialsBytes : maxBodyBytes
  const maxBytes = options.maxBytes ?? usualBytes
  if (announced > maxBytes) throw tooLarge(maxBytes)
  let taken = 0
  let received = 0
  const take = (bytes: number) => {
    if (bytes <= Math.max(taken, uncountedBytes)) return
    budget.take(bytes - taken)
    taken = bytes
  }
  const release = () => {
    budget.release(taken)
    taken = 0
  }
  const reader = readerFor(message, options)
  try {
    if (announced > uncountedBytes) budget.requireRoom(announced)
    // Leaving the loop must not destroy the connection: the caller still has to read the refusal.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (received === 0 && reader instanceof JsonBodyReader) requireJson(message)
      received += chunk.length
      if (received > maxBytes) throw tooLarge(maxBytes)
      take(received)
      reader.push(chunk)
    }
    return { value: received === 0 ? undefined : reader.finish(), release }
  } catch (error) {
    release()
    message.resume() // discards the rest, so that the connection stays usable
    throw error
  }
}

function readerFor(message: IncomingMessage, { acceptsAnyBytes, acceptsForm }: ReadOptions) {
  if (acceptsAnyBytes) return new BytesReader()
  return acceptsForm && isForm(message) ? new FormBodyReader() : new JsonBodyReader()
}

function announcedBytes(message: IncomingMessage): number {
  const header = message.headers['content-length']
  return header === undefined ? 0 : Number(header)
}

/** A body beyond the limit for credentials is a bad request; any other is too large. */
function tooLarge(maxBytes: number): Refusal {
  if (maxBytes === maxCredentialsBytes) return badField('body', `must not be longer than ${maxBytes} bytes here`)
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must have at most ${maxBytes} bytes`)
}

class BytesReader {
  #pieces: Buffer[] = []

  push(chunk: Buffer): void {
    this.#pieces.push(chunk)
  }

  finish(): unknown {
    return this.bytes()
  }

  protected bytes(): Buffer {
    return Buffer.concat(this.#pieces)
  }
}

/** Reads the form in which OAuth 2.0 clients send their credentials (RFC 6749, appendix B). */
class FormBodyReader extends BytesReader {
  override finish(): unknown {
    const fields = new Map<string, string | string[]>()
    for (const [name, value] of new URLSearchParams(this.bytes().toString('utf8'))) {
      // Validation refuses a repeated name, because a list is not a string.
      fields.set(name, fields.has(name) ? [] : value)
    }
    return Object.fromEntries(fields)
  }
}

function isForm(message: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(message.headers['content-type'] ?? '')
}

function requireJson(message: IncomingMessage): void {
  const [mediaType = '', ...parameters] = (message.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const encoding = message.headers['content-encoding'] ?? 'identity'
  if (mediaType.trim() === 'application/json' && isUtf8 && encoding === 'identity') return
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8, uncompressed')
}
