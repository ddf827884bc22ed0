import type { IncomingMessage } from 'node:http'
import Type from 'typebox'
import type { SignedMessage } from '../../lib/standard-webhooks.ts'
import type { Received } from '../route.ts'
import { type Pace, receive } from './arrival.ts'
import { JsonBodyReader } from './json-body.ts'

const maxSignedBytes = 64 * 1024

/** Reads a signed body. Truncates a body that is too long, so that its signature does not match. */
export async function readSignedBody(message: IncomingMessage, pace: Pace): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  const tooLong = new Error('The signed body is too long')
  const arrival = receive(message, pace, (chunk) => {
    chunks.push(chunk)
    received += chunk.length
    if (received > maxSignedBytes) throw tooLong
  })
  await arrival.whole.catch((error: unknown) => {
    if (error !== tooLong) throw error
  })
  return Buffer.concat(chunks).subarray(0, maxSignedBytes)
}

/** Parses a signed body after the handler has checked its signature. */
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

/** The signature as a security scheme. OpenAPI has no type for a signature over the body. */
export const signatureScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'webhook-signature',
  description: 'A signature by Standard Webhooks 1.0, made with the shared secret',
}

/**
 * The signed headers. Optional in the schema: without them the signature does not match and is refused as a credential.
 */
export const SignatureHeaders = Type.Object({
  'webhook-id': Type.Optional(Type.String({ description: 'The id of the message', examples: ['msg_2f6d'] })),
  'webhook-timestamp': Type.Optional(
    Type.String({
      description: 'The time of signing, in seconds since 1970; at most five minutes from now',
      examples: ['1763719200'],
    }),
  ),
})
