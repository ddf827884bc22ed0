import type { TSchema } from 'typebox'
import { type Components, type Json, named } from './schemas.ts'

/** A request that we send to an integrator. */
export type Webhook = { name: string; summary: string; body: TSchema; example: object }

/** The document's `webhooks`: what an integrator's own server is asked, and by which headers it knows us. */
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
    // Nobody shows us a credential: the signature says who we are.
    security: [],
    parameters: signatureHeaders,
    requestBody: { required: true, content: { 'application/json': content } },
    responses: {
      '2XX': { description: 'Received. Anything else, or nothing within 15 seconds, and it is sent again later.' },
      410: { description: 'Nobody wants these any more: the webhook is disabled.' },
    },
  }
}

const description = [
  'Signed as Standard Webhooks 1.0 says, so any library for that checks it.',
  'The same event may come more than once, always with the same `webhook-id`.',
].join('\n\n')

const signatureHeaders = [
  header(
    'webhook-id',
    'The id of the event: the same however often it is sent',
    '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11',
  ),
  header(
    'webhook-timestamp',
    'When it was sent, in seconds since 1970. Refuse what is older than five minutes',
    '1763719200',
  ),
  header(
    'webhook-signature',
    'One signature for each secret that is valid now, separated by spaces: `v1,` and the base64 of an HMAC-SHA256 over ' +
      '`<webhook-id>.<webhook-timestamp>.<body>`, with the bytes that stand in base64 behind `whsec_`',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
]

function header(name: string, text: string, example: string): Json {
  return { name, in: 'header', required: true, description: text, schema: { type: 'string' }, example }
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
