import type { IncomingMessage } from 'node:http'
import Type from 'typebox'
import type { SignedMessage } from '../../lib/standard-webhooks.ts'
import type { Received } from '../route.ts'
import { JsonBodyReader } from './json-body.ts'

const largestSignedBody = 64 * 1024

/** One that is too long is cut, so that no signature fits it. */
export async function readSignedBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    received += chunk.length
    if (received > largestSignedBody) break
  }
  message.resume() // let the rest flow by unread, so that the connection stays usable
  return Buffer.concat(chunks).subarray(0, largestSignedBody)
}

/** What a signed body says, for when the signature was checked. */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  const reader = new JsonBodyReader()
  reader.push(bytes)
  return reader.finish()
}

export function signedMessageOf({ headers, bytes }: Received): SignedMessage {
  const text = (name: string) => String(headers[name] ?? '')
  return {
    id: text('webhook-id'),
    timestamp: text('webhook-timestamp'),
    signature: text('webhook-signature'),
    content: bytes,
  }
}

/** How the document shows it; it has no word for a signature over the body. */
export const signatureScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'webhook-signature',
  description: 'A signature by the rules of Standard Webhooks 1.0, made with the secret that both sides know',
}

/** The signature itself is the credential; without the others it is refused like any other that does not fit. */
export const SignatureHeaders = Type.Object({
  'webhook-id': Type.Optional(Type.String({ description: 'Names the message', examples: ['msg_2f6d'] })),
  'webhook-timestamp': Type.Optional(
    Type.String({
      description: 'When it was signed, in seconds since 1970; at most five minutes away',
      examples: ['1763719200'],
    }),
  ),
})
