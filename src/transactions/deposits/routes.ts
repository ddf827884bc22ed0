import { type Route, route } from '../../http/route.ts'
import type { SenderService } from './sender.ts'
import type { DepositService } from './service.ts'
import * as wire from './wire.ts'

const oneDeposit = { status: 200, description: 'The deposit', schema: wire.DepositAnswer } as const

export function depositRoutes(deposits: DepositService & SenderService): Route[] {
  const shared = { tag: 'Deposits', params: wire.DepositParams } as const
  return [
    route({
      method: 'GET',
      path: '/deposits',
      access: 'transactions:read',
      reviewerAccess: 'reviews:read',
      tag: 'Deposits',
      summary: 'List deposits',
      description:
        "Newest first, including those of child organizations. A reviewer's key, or one of the platform, sees those that " +
        'are HELD, UNMATCHED or RETURNING. `rail` and the amount range need an id or a time range.',
      query: wire.DepositQuery,
      work: { isFiltered: true },
      refusals: ['SEARCH_TOO_WIDE'],
      answer: { status: 200, description: 'A page of deposits', schema: wire.DepositPage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await deposits.list(caller, filter, page)
        return { deposits: items, nextPageToken }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/deposits/{depositId}',
      access: 'transactions:read',
      reviewerAccess: 'reviews:read',
      summary: 'Read one deposit',
      answer: oneDeposit,
      handle: ({ caller, params: { depositId } }) => deposits.read(caller, depositId),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/deposits/{depositId}/sender',
      access: 'reviews:read',
      summary: 'Read the screening of a sender',
      description:
        'Tells a reviewer which watch-list entries the sender of a deposit matches, by name or by address. ' +
        'Only for reviewers: the customer must not learn of a match.',
      answer: { status: 200, description: 'The screening of the sender', schema: wire.DepositSender },
      handle: async ({ caller, params: { depositId } }) =>
        wire.presentSender(await deposits.readSender(caller, depositId)),
    }),
  ]
}
