import { type Route, route } from '../../http/route.ts'
import type { DisbursementService, PreparedDisbursement } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Disbursements'
const oneDisbursement = { status: 200, description: 'The disbursement', schema: wire.DisbursementAnswer } as const

export function disbursementRoutes(disbursements: DisbursementService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/customers/{customerId}/returned-funds',
      access: 'transactions:read',
      tag,
      params: wire.CustomerParams,
      summary: 'List the returned funds of a customer',
      description:
        'Money that a bank returned, or that an operator credited to the customer. It stays in its currency until an ' +
        'operator pays it out, or a transaction with it as source converts it.',
      answer: { status: 200, description: 'The returned funds', schema: wire.ReturnedFundsAnswer },
      handle: ({ caller, params: { customerId } }) => disbursements.listReturnedFunds(caller, customerId),
    }),
    route({
      method: 'POST',
      path: '/customers/{customerId}/disbursements',
      access: 'transactions:write',
      reviewerAccess: 'reviews:write',
      tag,
      params: wire.CustomerParams,
      summary: 'Pay out money that is kept for a customer',
      description:
        'Pays returned funds, or the balance of a service wallet that the customer cannot use, to a registered ' +
        'external account of the same customer. A wallet can be the source when it was deleted, or when its customer ' +
        'is not ACTIVE; an ACTIVE customer uses a transaction. Money of a customer who is not ACTIVE also needs the ' +
        'scope `reviews:write`, and after a confirmed match a caller who may clear matches; decide an open review of the ' +
        'customer first. The oldest returned funds are paid first, ' +
        'and a repayment of the same funds is no longer possible.',
      body: wire.CreateDisbursementBody,
      refusals: ['CONFLICT', 'INSUFFICIENT_BALANCE', 'POLICY_REFUSED'],
      answer: { status: 201, description: 'The disbursement', schema: wire.DisbursementAnswer },
      handle: ({ caller, params: { customerId }, readBody, once }) =>
        once(
          (tx, prepared: PreparedDisbursement) => disbursements.create(tx, caller, prepared),
          () => disbursements.prepare(caller, customerId, readBody),
        ),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/disbursements',
      access: 'transactions:read',
      tag,
      params: wire.CustomerParams,
      query: wire.DisbursementQuery,
      summary: 'List the disbursements of a customer',
      description: 'Newest first.',
      answer: { status: 200, description: 'A page of disbursements', schema: wire.DisbursementPage },
      handle: ({ caller, params: { customerId }, query }) => disbursements.list(caller, customerId, query),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/disbursements/{disbursementId}',
      access: 'transactions:read',
      tag,
      params: wire.DisbursementParams,
      summary: 'Read one disbursement',
      answer: oneDisbursement,
      handle: ({ caller, params: { customerId, disbursementId } }) =>
        disbursements.read(caller, customerId, disbursementId),
    }),
    route({
      method: 'POST',
      path: '/customers/{customerId}/disbursements/{disbursementId}/cancel',
      access: 'transactions:write',
      tag,
      params: wire.DisbursementParams,
      summary: 'Cancel a disbursement',
      description: 'Possible until it is sent. The money is available again.',
      refusals: ['CONFLICT'],
      answer: oneDisbursement,
      handle: ({ caller, params: { customerId, disbursementId }, once }) =>
        once(
          (tx, found: Awaited<ReturnType<DisbursementService['find']>>) => disbursements.cancel(tx, caller, found),
          () => disbursements.find(caller, customerId, disbursementId),
        ),
    }),
  ]
}
