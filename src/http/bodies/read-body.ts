import type { IncomingMessage } from 'node:http'
import { badField, Refusal, unavailable } from '../../lib/refusal.ts'
import { JsonBodyReader } from './json-body.ts'

const largestBody = 104_857_600
/** No client's credentials are longer, in a form or from somebody we do not know yet. */
const largestCredentials = 64 * 1024
/** What anybody may send to a secret address. */
const largestReceived = 1024 * 1024
/** Small bodies are not worth counting, and must pass while the large ones are queueing. */
const uncountedBytes = 256 * 1024

/** How many bytes of bodies this process holds at once; past it, large requests are asked to come again. */
export class BodyBudget {
  readonly #most: number
  #used = 0

  constructor(most: number) {
    this.#most = most
  }

  get used(): number {
    return this.#used
  }

  /** Held only as it arrives: who announces much and sends it slowly keeps nobody else waiting. */
  requireRoom(bytes: number): void {
    if (this.#used + bytes > this.#most) throw unavailable('Too many large requests at once; try again shortly', 2)
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
  /** Whether a form is accepted as well as JSON. */
  takesForm: boolean
  /** Whether bytes of any kind are accepted, and kept as they are. */
  takesAnything: boolean
  /** Whether the caller has shown a credential before the body. */
  isKnown: boolean
}

export type ReadBody = { value: unknown; release(): void }

/** A body that could not be read. It is refused when the handler looks at it: a 404 or a wrong state comes first. */
export class UnreadableBody {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

export async function readBodyOrWhyNot(
  message: IncomingMessage,
  budget: BodyBudget,
  options: ReadOptions,
): Promise<ReadBody> {
  try {
    return await readBody(message, budget, options)
  } catch (error) {
    const isAboutContent = error instanceof Refusal && (error.statusCode === 400 || error.statusCode === 415)
    if (!isAboutContent) throw error
    return { value: new UnreadableBody(error), release: () => {} }
  }
}

/** Reads a request's JSON. An empty body is no body, whatever its content type says. */
async function readBody(message: IncomingMessage, budget: BodyBudget, options: ReadOptions): Promise<ReadBody> {
  const announced = announcedBytes(message)
  const isSmall = !options.isKnown || (options.takesForm && isForm(message))
  const largest = options.takesAnything ? largestReceived : isSmall ? largestCredentials : largestBody
  if (announced > largest) throw tooLarge(largest)
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
    // Leaving the loop must not destroy the connection: the caller still has to hear the refusal.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (received === 0 && reader instanceof JsonBodyReader) requireJson(message)
      received += chunk.length
      if (received > largest) throw tooLarge(largest)
      take(received)
      reader.push(chunk)
    }
    return { value: received === 0 ? undefined : reader.finish(), release }
  } catch (error) {
    release()
    message.resume() // let the rest flow by unread, so that the connection stays usable
    throw error
  }
}

function readerFor(message: IncomingMessage, { takesAnything, takesForm }: ReadOptions) {
  if (takesAnything) return new BytesReader()
  return takesForm && isForm(message) ? new FormBodyReader() : new JsonBodyReader()
}

function announcedBytes(message: IncomingMessage): number {
  const header = message.headers['content-length']
  return header === undefined ? 0 : Number(header)
}

/** Credentials that long are no credentials: their body is bad, not large. */
function tooLarge(largest: number): Refusal {
  if (largest === largestCredentials) return badField('body', `must not be longer than ${largest} bytes here`)
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${largest} bytes`)
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

/** OAuth 2.0 clients send their credentials as a form (RFC 6749, appendix B). A name given twice is refused later. */
class FormBodyReader extends BytesReader {
  override finish(): unknown {
    const fields = new Map<string, string | string[]>()
    for (const [name, value] of new URLSearchParams(this.bytes().toString('utf8'))) {
      fields.set(name, fields.has(name) ? [] : value) // a name given twice is no text, and so is refused
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
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8, not compressed')
}
