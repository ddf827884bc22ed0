import Type from 'typebox'
import { type Route, route } from '../../http/route.ts'
import { pageQuery, Uuid } from '../../http/wire.ts'
import { Refusal, type RefusalCode } from '../../lib/refusal.ts'
import { type AnswerStatus, maskCredentials } from './inbox.ts'
import type { InboxService } from './service.ts'
import * as wire from './wire.ts'

const PageQuery = Type.Object(pageQuery, { additionalProperties: false })
const shared = { sandboxOnly: true, tag: 'Sandbox inbox' } as const

export function inboxRoutes(inboxes: InboxService): Route[] {
  return [...manageRoutes(inboxes), receiveRoute(inboxes)]
}

function manageRoutes(inboxes: InboxService): Route[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/sandbox/inbox',
      access: 'sandbox:write',
      summary: 'Create a webhook receiver',
      description:
        'Pass its `url` to `POST /webhooks`, and list the received requests with ' +
        '`GET /sandbox/inbox/{inboxId}/requests`. An organization has a ' +
        'limited number of inboxes, ten unless the operator sets another: see `quotas` of `GET /organizations`.',
      body: wire.CreateInboxBody,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The inbox', schema: wire.InboxAnswer },
      handle: ({ caller, readBody, once }) =>
        once(
          async (tx, key: Awaited<ReturnType<InboxService['prepare']>>) =>
            wire.presentInbox(await inboxes.create(tx, key, readBody())),
          () => inboxes.prepare(caller),
        ),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/sandbox/inbox',
      access: 'sandbox:read',
      summary: 'List your inboxes',
      query: PageQuery,
      answer: { status: 200, description: 'One page', schema: wire.InboxPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await inboxes.list(caller, query)
        return { inboxes: items.map(wire.presentInbox), nextPageToken }
      },
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/sandbox/inbox/{inboxId}',
      access: 'sandbox:write',
      summary: 'Change the answer status or the secret of an inbox',
      params: Type.Object({ inboxId: Uuid }),
      body: wire.ChangeInboxBody,
      answer: { status: 200, description: 'The inbox', schema: wire.InboxAnswer },
      handle: async ({ caller, params, readBody }) =>
        wire.presentInbox(await inboxes.change(caller, params.inboxId, readBody)),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/sandbox/inbox/{inboxId}',
      access: 'sandbox:write',
      summary: 'Delete an inbox',
      description: 'Its requests are deleted with it. Its address is unknown from then on, so delete its webhook, too.',
      params: Type.Object({ inboxId: Uuid }),
      answer: { status: 200, description: 'The deleted inbox', schema: wire.InboxAnswer },
      handle: async ({ caller, params }) => wire.presentInbox(await inboxes.delete(caller, params.inboxId)),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/sandbox/inbox/{inboxId}/requests',
      access: 'sandbox:read',
      summary: 'List the requests of an inbox',
      description:
        'Newest first, each with the result of its signature check. Svc keeps the last 100 requests. A page has at ' +
        'most 4 MB, so it may have fewer requests than `pageSize`. The content of a request about an erased customer ' +
        'is erased.',
      params: Type.Object({ inboxId: Uuid }),
      query: PageQuery,
      answer: { status: 200, description: 'One page', schema: wire.InboxRequestPage },
      handle: async ({ caller, params, query }) => {
        const { items, nextPageToken } = await inboxes.listRequests(caller, params.inboxId, query)
        return { requests: items.map(wire.presentRequest), nextPageToken }
      },
    }),
  ]
}

function receiveRoute(inboxes: InboxService): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/sandbox/receive/{inboxToken}',
    access: 'secret address',
    isKnown: ({ inboxToken = '' }) => inboxes.isKnown(inboxToken),
    summary: 'Send a request to an inbox',
    description:
      'The address is the credential; other credentials are ignored. The answer has the status that the inbox is set ' +
      'to. With 200, a signed challenge of a webhook is answered with the challenge alone, so that the webhook is enabled.',
    params: Type.Object({ inboxToken: Type.String() }),
    refusals: Object.values(refusalFor),
    answer: { status: 200, description: 'Received', schema: wire.Received },
    handle: async ({ params, received }) => {
      const { headers, bytes } = received()
      const content = { headers: maskCredentials(headers), body: bytes }
      const { status, challenge } = await inboxes.receive(params.inboxToken, content)
      if (status === 200) return challenge === undefined ? { received: true as const } : { challenge }
      const retry = status === 429 || status === 503 ? { 'retry-after': '1' } : undefined
      throw new Refusal(refusalFor[status], 'This inbox is set to answer with this status', {
        ...(retry && { headers: retry }),
      })
    },
  })
}

const refusalFor: Record<Exclude<AnswerStatus, 200>, RefusalCode> = {
  400: 'BAD_REQUEST',
  410: 'GONE',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}
