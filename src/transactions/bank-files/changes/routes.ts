import { type Route, route } from '../../../http/route.ts'
import type { BankChangeService, ChangeRequest, PreparedDecision } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Bank files'

export function bankChangeRoutes(changes: BankChangeService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/bank-changes',
      access: 'payment_accounts:read',
      tag,
      summary: 'List notifications of change',
      description:
        'Newest first: a bank has paid, and asks for other coordinates of the receiver the next time. Numbers are masked.',
      query: wire.BankChangeQuery,
      answer: { status: 200, description: 'A page of notifications', schema: wire.BankChangePage },
      handle: async ({ caller, query: { status, ...page } }) => {
        const { items, nextPageToken } = await changes.list(caller, status ? { status } : {}, page)
        return { bankChanges: items.map(wire.presentChange), nextPageToken }
      },
    }),
    route({
      method: 'POST',
      path: '/bank-changes/{bankChangeId}/decision',
      access: 'payment_accounts:write',
      tag,
      params: wire.BankChangeParams,
      summary: 'Decide about a notification of change',
      description:
        'Records an operator decision, once. CONFIRM makes a new version of the payment account under the same id: ' +
        'payouts that are created from then on use the new coordinates, and payouts that exist keep theirs. REFUSE ' +
        'leaves the account as it is.',
      body: wire.DecideBankChangeBody,
      refusals: ['CONFLICT', 'DUPLICATE_PAYMENT_ACCOUNT'],
      answer: { status: 200, description: 'The notification', schema: wire.BankChangeAnswer },
      handle: ({ caller, params: { bankChangeId }, readBody, once }) =>
        once(
          async (tx, prepared: PreparedDecision) => wire.presentChange(await changes.decide(tx, caller, prepared)),
          () => changes.prepareDecision(caller, bankChangeId, () => readBody() as ChangeRequest),
        ),
    }),
  ]
}
