import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { CustomerService } from './service.ts'
import * as wire from './wire.ts'

export type CustomerRoutesOptions = {
  customers: CustomerService
  /** Called after a POST is committed, to review its data right away. */
  onCreated(organizationId: string, customerId: string): void
}

const tag = 'Customers'
const params = Type.Object({ customerId: Uuid })
const oneCustomer = { status: 200, description: 'The customer', schema: wire.CustomerAnswer } as const

export function customerRoutes({ customers, onCreated }: CustomerRoutesOptions): Route[] {
  const read = (path: string, summary: string) =>
    route({
      method: 'GET',
      path,
      access: 'customers:read',
      tag,
      summary,
      params,
      query: wire.ReadCustomerQuery,
      answer: oneCustomer,
      handle: ({ caller, params: { customerId }, query }) => customers.read(caller, customerId, query),
    })
  return [
    route({
      method: 'POST',
      path: '/customers',
      access: 'customers:write',
      tag,
      summary: 'Create a customer',
      description:
        'The answer shows CREATED. With kycData or kybData the submission is queued at once, and the customer moves ' +
        'to UNDER_REVIEW right after.',
      body: wire.CreateCustomerBody,
      refusals: ['NOT_FOUND', 'EXTERNAL_ID_ALREADY_USED'],
      answer: { status: 201, description: 'The customer', schema: wire.CustomerAnswer },
      handle: async ({ caller, inspectBody, once }) => {
        const created = await once(
          (tx, prepared: Awaited<ReturnType<CustomerService['prepareCreate']>>) => customers.create(tx, prepared),
          () => customers.prepareCreate(caller, inspectBody()),
          ({ key }) => key,
        )
        onCreated(created.organizationId, created.customerId)
        return created
      },
    }),
    route({
      method: 'GET',
      path: '/customers',
      access: 'customers:read',
      tag,
      summary: 'List customers',
      description:
        'Newest first, including customers of child organizations. Email and name are found through keyed hashes, ' +
        'without case, accents and punctuation. `type` needs one of the other filters beside `status`.',
      query: wire.CustomerQuery,
      work: { isFiltered: true },
      refusals: ['SEARCH_TOO_WIDE'],
      answer: { status: 200, description: 'One page', schema: wire.CustomerPage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await customers.list(caller, filter, page)
        return { customers: items, nextPageToken }
      },
    }),
    read('/customers/{customerId}', 'Read one customer'),
    read('/customer/{customerId}', 'Read one customer, by the other path of the contract'),
    route({
      method: 'PATCH',
      path: '/customers/{customerId}',
      access: 'customers:write',
      tag,
      params,
      summary: 'Submit or correct verification data',
      description:
        'Possible in CREATED and NEEDS_ADDITIONAL_INFORMATION. Objects are merged, lists replaced, and null clears a ' +
        'field; then the review restarts. Email, names, externalId and metadata alone are changed without a review.',
      body: wire.ChangeCustomerBody,
      refusals: ['PATCH_NOT_ALLOWED', 'EXTERNAL_ID_ALREADY_USED'],
      answer: oneCustomer,
      handle: ({ caller, params: { customerId }, inspectBody }) => customers.change(caller, customerId, inspectBody),
    }),
    ...(['deactivate', 'reactivate'] as const).map((move) =>
      route({
        method: 'POST',
        path: `/customers/{customerId}/${move}`,
        access: 'customers:write',
        tag,
        params,
        summary: move === 'deactivate' ? 'Stop serving a customer' : 'Serve a customer again',
        description: 'A DEACTIVATED customer starts no new payment. Its history stays readable.',
        body: wire.ReasonBody,
        refusals: ['CONFLICT'],
        answer: oneCustomer,
        handle: ({ caller, params: { customerId }, readBody, once }) =>
          once(
            (tx, customer: Awaited<ReturnType<CustomerService['openFor']>>) =>
              customers.moveByCaller(tx, caller, customer, move, () => readBody().reason),
            () => customers.openFor(caller, customerId),
            ({ key }) => key,
          ),
      }),
    ),
    route({
      method: 'POST',
      path: '/customers/{customerId}/verification-link/revoke',
      access: 'customers:write',
      tag,
      params,
      summary: 'Revoke the verification link of a customer',
      description:
        'For a link that went to a wrong address. It stops working at once, and every form that it opened closes. The ' +
        'answer has the new verificationLink. Saved answers stay.',
      body: wire.ReasonBody,
      refusals: ['CONFLICT'],
      answer: oneCustomer,
      handle: ({ caller, params: { customerId }, readBody, once }) =>
        once(
          (tx, customer: Awaited<ReturnType<CustomerService['openFor']>>) =>
            customers.revokeLink(tx, customer, { actor: `api_key:${caller.apiKeyId}`, reason: readBody().reason }),
          () => customers.openFor(caller, customerId),
          ({ key }) => key,
        ),
    }),
    route({
      method: 'POST',
      path: '/customers/{customerId}/erase',
      access: 'customers:write',
      tag,
      params,
      summary: 'Erase a customer for good',
      description:
        'Destroys the key that seals all data about this person or business. Possible when the customer is not ' +
        'active, has no open review or money, and its retention period is over. Postings and the audit log stay.',
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The customer without personal data', schema: wire.CustomerAnswer },
      handle: ({ caller, params: { customerId }, once }) =>
        once(
          (tx, customer: Awaited<ReturnType<CustomerService['openFor']>>) => customers.erase(tx, caller, customer),
          () => customers.openFor(caller, customerId),
        ),
    }),
  ]
}
