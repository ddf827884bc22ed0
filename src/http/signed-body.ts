import type { IncomingMessage } from 'node:http'
import type { SignedMessage } from '../lib/standard-webhooks.ts'
import { JsonBodyReader } from './json-body.ts'

const largestSignedBody = 64 * 1024

/** A body as it came over the wire, because a signature is about bytes; what it says is read after that was checked. */
export class SignedBody {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  read(): unknown {
    if (this.bytes.length === 0) return {}
    const reader = new JsonBodyReader()
    reader.push(this.bytes)
    return reader.finish()
  }
}

/** One that is too long is cut, so that no signature fits it. */
export async function readSignedBody(message: IncomingMessage): Promise<SignedBody> {
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    received += chunk.length
    if (received > largestSignedBody) break
  }
  message.resume() // let the rest flow by unread, so that the connection stays usable
  return new SignedBody(Buffer.concat(chunks).subarray(0, largestSignedBody))
}

export function signedMessageOf(headers: IncomingMessage['headers'], body: unknown): SignedMessage {
  const text = (name: string) => String(headers[name] ?? '')
  return {
    id: text('webhook-id'),
    timestamp: text('webhook-timestamp'),
    signature: text('webhook-signature'),
    content: body instanceof SignedBody ? body.bytes : Buffer.alloc(0),
  }
}

/** How the document shows it; it has no word for a signature over the body. */
export const signatureScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'webhook-signature',
  description: 'A signature by the rules of Standard Webhooks 1.0, made with the secret that both sides know',
}

export const signatureParameters = [
  ['webhook-id', 'Names the message', 'msg_2f6d'],
  ['webhook-timestamp', 'When it was signed, in seconds since 1970; at most five minutes away', '1763719200'],
].map(([name, description, example]) => ({
  ...{ name, in: 'header', required: false, description },
  schema: { type: 'string', examples: [example] },
}))
