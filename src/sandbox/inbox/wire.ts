import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import { exampleInbox } from '../../http/examples/sandbox.ts'
import { oneOf, pageOf, requestBody, resource, Timestamp, Uuid } from '../../http/wire.ts'
import { signatureFaults } from '../../lib/standard-webhooks.ts'
import { type AnswerStatus, answerStatuses, type ReceivedRequest } from './inbox.ts'
import type { ShownInbox } from './service.ts'

const AnswerStatusField = Type.Unsafe<AnswerStatus>({
  type: 'integer',
  enum: [...answerStatuses],
  description: 'The status that the inbox answers, so that you can observe the retries of Svc; 200 by default',
})

const secretField = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
  maxLength: 200,
  description: 'Verifies the signatures of other senders; the inbox already knows the secrets of your webhooks',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
})

const fields = { answerStatus: Type.Optional(AnswerStatusField), secret: Type.Optional(secretField) }

export const CreateInboxBody = requestBody('CreateInbox', fields, { examples: [{ answerStatus: 200 }] })
export const ChangeInboxBody = requestBody('ChangeInbox', fields, {
  examples: [{ answerStatus: 500 }],
  minProperties: 1,
})

export const InboxAnswer = resource(
  'Inbox',
  {
    inboxId: Uuid,
    url: Type.String({
      description: 'The address to send to. Every sender that knows it can use it',
      examples: ['http://127.0.0.1:8080/sandbox/receive/AZnzonwefVWMG1oPax9KEQGZ86J8Hn1VjBtaD2sfShE'],
    }),
    answerStatus: AnswerStatusField,
    received: Type.Integer({ minimum: 0, description: 'The number of requests since the creation of the inbox' }),
    createdAt: Timestamp,
  },
  exampleInbox,
)

export const InboxPage = pageOf('InboxPage', 'inboxes', InboxAnswer)

const InboxRequest = resource('InboxRequest', {
  number: Type.Integer({ minimum: 1, description: 'Numbers the requests of this inbox' }),
  receivedAt: Timestamp,
  eventId: Type.Optional({ ...Uuid, description: 'The event that the request delivers' }),
  signature: resource('InboxSignature', {
    outcome: oneOf(
      ['VALID', 'INVALID', 'NO_SECRET'],
      'NO_SECRET: no webhook of yours sends to this inbox, and the inbox has no secret',
    ),
    reason: Type.Optional(oneOf(signatureFaults, 'Why the signature is INVALID')),
  }),
  answeredStatus: Type.Integer({ examples: [200] }),
  erased: Type.Boolean({
    description: 'true: the request concerned a customer who was erased, so its content is erased',
  }),
  hidden: Type.Optional(
    Type.Boolean({ description: 'true: the request delivers an event of a type that your key may not read' }),
  ),
  headers: Type.Record(Type.String(), Type.String(), {
    examples: [{ 'content-type': 'application/json', 'webhook-id': '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11' }],
  }),
  body: Type.String({ description: 'The body as received', examples: ['{"type":"customer.created"}'] }),
  bodyEncoding: oneOf(['utf8', 'base64'], 'base64 when the body is not UTF-8 text'),
})

export const InboxRequestPage = pageOf('InboxRequestPage', 'requests', InboxRequest)
export const Received = resource('Received', {
  received: Type.Optional(Type.Literal(true)),
  challenge: Type.Optional(
    Type.String({ description: 'The challenge of the request, alone, if the request is a signed one of a webhook' }),
  ),
})

export function presentInbox({ inboxId, url, answerStatus, received, createdAt }: ShownInbox) {
  return { inboxId, url, answerStatus, received: Number(received), createdAt: createdAt.toISOString() }
}

export function presentRequest({ number, receivedAt, eventId, content, isHidden, ...request }: ReceivedRequest) {
  const body = content?.body ?? Buffer.alloc(0)
  const bodyEncoding = isUtf8(body) ? 'utf8' : 'base64'
  return {
    number: Number(number),
    receivedAt: receivedAt.toISOString(),
    ...(eventId && { eventId }),
    ...request,
    erased: content === undefined && !isHidden,
    ...(isHidden && { hidden: true }),
    headers: content?.headers ?? {},
    body: body.toString(bodyEncoding),
    bodyEncoding,
  }
}
