import type { IncomingMessage } from 'node:http'
import { badField, Refusal } from '../../lib/refusal.ts'
import { type Arrival, type Pace, receive } from './arrival.ts'
import { type BodyBudget, maxBodyBytes } from './body-budget.ts'
import { JsonBodyReader } from './json-body.ts'

/** The limit for a form with credentials, and for a body before authentication. */
const maxCredentialsBytes = 64 * 1024
/** The limit for secret addresses. */
const maxReceivedBytes = 1024 * 1024
/** Smaller bodies do not count, so that they pass while large ones use up the budget. */
const uncountedBytes = 256 * 1024

export type ReadOptions = {
  /** The organization, or else the address, that holds the body in the budget. */
  owner: string
  pace: Pace
  /** Accepts a form as well as JSON. */
  acceptsForm: boolean
  /** Accepts any bytes, and keeps them unchanged. */
  acceptsAnyBytes: boolean
  /** True when the caller was authenticated before the body is read. */
  isAuthenticated: boolean
  /** The limit of a page for browsers, in place of the usual ones. */
  maxBytes?: number
}

export type ReadBody = { value: unknown; bytes: number; release(): void }

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
  const counted = { bytes: 0 }
  try {
    const read = await readBody(message, budget, options, counted)
    return { ...read, ...counted }
  } catch (error) {
    const concernsContent = error instanceof Refusal && (error.statusCode === 400 || error.statusCode === 415)
    if (!concernsContent) throw error
    return { value: new UnreadableBody(error), ...counted, release: () => {} }
  }
}

/** Reads the body of a request. An empty body counts as none, regardless of its content type. */
async function readBody(
  message: IncomingMessage,
  budget: BodyBudget,
  options: ReadOptions,
  counted: { bytes: number },
): Promise<Omit<ReadBody, 'bytes'>> {
  const announced = announcedBytes(message)
  const hasSmallLimit = !options.isAuthenticated || (options.acceptsForm && isForm(message))
  const usualBytes = options.acceptsAnyBytes ? maxReceivedBytes : hasSmallLimit ? maxCredentialsBytes : maxBodyBytes
  const maxBytes = options.maxBytes ?? usualBytes
  if (announced > maxBytes) throw tooLarge(maxBytes)
  if (announced > uncountedBytes) refuseWithoutRoom(message, budget, options.owner, announced)
  const reader = readerFor(message, options)
  let arrival: Arrival | undefined
  const held = budget.open(options.owner, (refusal) => arrival?.end(refusal))
  try {
    arrival = receive(message, options.pace, (chunk) => {
      if (counted.bytes === 0 && reader instanceof JsonBodyReader) requireJson(message)
      counted.bytes += chunk.length
      if (counted.bytes > maxBytes) throw tooLarge(maxBytes)
      if (counted.bytes > uncountedBytes) held.grow(counted.bytes)
      reader.push(chunk)
    })
    await arrival.whole
    held.arrived()
    return { value: counted.bytes === 0 ? undefined : reader.finish(), release: held.release }
  } catch (error) {
    held.release()
    throw error
  }
}

function refuseWithoutRoom(message: IncomingMessage, budget: BodyBudget, owner: string, announced: number): void {
  try {
    budget.requireRoom(owner, announced)
  } catch (error) {
    message.resume() // discards the body, so that the connection stays usable
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
