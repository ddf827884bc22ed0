import { type Route, route } from '../../http/route.ts'
import type { ApprovalService, ApprovalToDecide } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Approvals'
const oneApproval = { status: 200, description: 'The approval', schema: wire.ApprovalAnswer } as const

export function approvalRoutes(approvals: ApprovalService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/approvals',
      access: 'approvals:read',
      tag,
      summary: 'List approvals',
      description: 'Newest first, including those of child organizations.',
      query: wire.ApprovalQuery,
      answer: { status: 200, description: 'A page of approvals', schema: wire.ApprovalPage },
      handle: async ({ caller, query: { status, transactionId, ...page } }) => {
        const filter = { ...(status ? { status } : {}), ...(transactionId ? { transactionId } : {}) }
        const { items, nextPageToken } = await approvals.list(caller, filter, page)
        return { approvals: items.map(wire.presentApproval), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/approvals/{approvalId}',
      access: 'approvals:read',
      tag,
      params: wire.ApprovalParams,
      summary: 'Read one approval',
      answer: oneApproval,
      handle: async ({ caller, params: { approvalId } }) =>
        wire.presentApproval(await approvals.read(caller, approvalId)),
    }),
    route({
      method: 'POST',
      path: '/approvals/{approvalId}/decision',
      access: 'approvals:write',
      tag,
      params: wire.ApprovalParams,
      summary: 'Decide about a transaction that waits',
      description:
        'A key decides once. When enough keys have approved, Svc executes the transaction. One REFUSE ends it: it is ' +
        'CANCELLED if no money has arrived, and else FAILED with a refund. The key that made the transaction, the ' +
        'keys that it has led to and those that led to it cannot decide, and where the policy names approvers, no ' +
        'other key can. The approval of a key that is revoked before the last one no longer counts.',
      body: wire.DecideApprovalBody,
      refusals: ['CONFLICT'],
      answer: oneApproval,
      handle: ({ caller, params: { approvalId }, readBody, once }) =>
        once(
          async (tx, found: ApprovalToDecide) => wire.presentApproval(await approvals.decide(tx, caller, found)),
          () => approvals.openToDecide(caller, approvalId, readBody),
        ),
    }),
  ]
}
