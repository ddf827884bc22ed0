import type { IncomingMessage } from 'node:http'
import { Refusal, unavailable } from '../lib/refusal.ts'
import { JsonBodyReader } from './json-body.ts'

const largestBody = 104_857_600
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

  take(bytes: number): void {
    if (this.#used + bytes > this.#most) throw unavailable('Too many large requests at once; try again shortly', 2)
    this.#used += bytes
  }

  giveBack(bytes: number): void {
    this.#used -= bytes
  }
}

export type ReadBody = { value: unknown; giveBack(): void }

/** Reads a request's JSON. An empty body is no body, whatever its content type says. */
export async function readBody(message: IncomingMessage, budget: BodyBudget): Promise<ReadBody> {
  const announced = announcedBytes(message)
  if (announced > largestBody) throw tooLarge()
  let taken = 0
  let received = 0
  const take = (bytes: number) => {
    if (bytes <= Math.max(taken, uncountedBytes)) return
    budget.take(bytes - taken)
    taken = bytes
  }
  const giveBack = () => {
    budget.giveBack(taken)
    taken = 0
  }
  const reader = new JsonBodyReader()
  try {
    take(announced)
    // Leaving the loop must not destroy the connection: the caller still has to hear the refusal.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (received === 0) requireJson(message)
      received += chunk.length
      if (received > largestBody) throw tooLarge()
      take(received)
      reader.push(chunk)
    }
    return { value: received === 0 ? undefined : reader.finish(), giveBack }
  } catch (error) {
    giveBack()
    message.resume() // let the rest flow by unread, so that the connection stays usable
    throw error
  }
}

function announcedBytes(message: IncomingMessage): number {
  const header = message.headers['content-length']
  return header === undefined ? 0 : Number(header)
}

function tooLarge(): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${largestBody} bytes`)
}

function requireJson(message: IncomingMessage): void {
  const [mediaType = '', ...parameters] = (message.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const encoding = message.headers['content-encoding'] ?? 'identity'
  if (mediaType.trim() === 'application/json' && isUtf8 && encoding === 'identity') return
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8, not compressed')
}
