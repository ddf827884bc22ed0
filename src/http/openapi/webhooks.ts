import type { TSchema } from 'typebox'
import { type Components, type Json, named } from './schemas.ts'

/** A request that Svc sends to an integrator. */
export type Webhook = { name: string; summary: string; body: TSchema; example: object }

/** Builds the `webhooks` of the document: the requests to integrators' servers, with their signature headers. */
export function describeWebhooks(webhooks: readonly Webhook[], components: Components): Json {
  return Object.fromEntries(webhooks.map((each) => [each.name, { post: describeWebhook(each, components) }]))
}

function describeWebhook({ name, summary, body, example }: Webhook, components: Components): Json {
  const content = { schema: named(body, components), examples: { event: { value: example } } }
  return {
    operationId: `on${name.split(/[._]/).map(capitalize).join('')}`,
    tags: ['Events'],
    summary,
    description,
    // Svc authenticates by the signature, not by a credential.
    security: [],
    parameters: signatureHeaders,
    requestBody: { required: true, content: { 'application/json': content } },
    responses: {
      '2XX': { description: 'Received. After any other status, or no answer within 15 seconds, Svc retries later.' },
      410: { description: 'The endpoint wants no more events: Svc disables the webhook.' },
    },
  }
}

const description = [
  'Signed by Standard Webhooks 1.0, so any library for that standard can verify it.',
  'Svc delivers each event at least once. Duplicates have the same `webhook-id`.',
].join('\n\n')

const signatureHeaders = [
  header('webhook-id', 'The id of the event, the same in every attempt', '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'),
  header(
    'webhook-timestamp',
    'The time of this attempt, in seconds since 1970. Refuse requests older than five minutes',
    '1763719200',
  ),
  header(
    'webhook-signature',
    'One signature per valid secret, separated by spaces: `v1,` and the base64 of an HMAC-SHA256 over ' +
      '`<webhook-id>.<webhook-timestamp>.<body>`. The key is the base64-decoded part of the secret after `whsec_`',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
]

function header(name: string, text: string, example: string): Json {
  return { name, in: 'header', required: true, description: text, schema: { type: 'string' }, example }
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
