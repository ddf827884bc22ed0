import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { CustomerService } from './service.ts'
import * as wire from './wire.ts'

export type CustomerRoutesOptions = {
  customers: CustomerService
  /** Called after the answer of a POST is certain: what came with it is reviewed right away. */
  onCreated(organizationId: string, customerId: string): void
}

const tag = 'Customers'
const params = Type.Object({ customerId: Uuid })
const oneCustomer = { status: 200, description: 'The customer', schema: wire.CustomerAnswer } as const

export function customerRoutes({ customers, onCreated }: CustomerRoutesOptions): Route[] {
  const read = (path: string, summary: string) =>
    route({
      ...({ method: 'GET', path, access: 'customers:read', tag, summary, params } as const),
      query: wire.ReadCustomerQuery,
      answer: oneCustomer,
      handle: ({ caller, params: { customerId }, query }) => customers.read(caller, customerId, query),
    })
  return [
    route({
      ...({ method: 'POST', path: '/customers', access: 'customers:write', tag } as const),
      summary: 'Create a customer',
      description:
        'Answers CREATED. With kycData or kybData the submission is queued at once, and the customer moves to ' +
        'UNDER_REVIEW right after.',
      body: wire.CreateCustomerBody,
      refusals: ['NOT_FOUND'],
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
      ...({ method: 'GET', path: '/customers', access: 'customers:read', tag } as const),
      summary: 'List customers',
      description: 'Newest first, those of child organizations among them.',
      query: wire.CustomerQuery,
      answer: { status: 200, description: 'One page', schema: wire.CustomerPage },
      handle: async ({ caller, query: { organizationId, ...page } }) => {
        const { items, nextPageToken } = await customers.list(caller, organizationId, page)
        return { customers: items, nextPageToken }
      },
    }),
    read('/customers/{customerId}', 'Read one customer'),
    read('/customer/{customerId}', 'Read one customer, by the other path of the interface'),
    route({
      ...({ method: 'PATCH', path: '/customers/{customerId}', access: 'customers:write', tag, params } as const),
      summary: 'Submit or correct verification data',
      description:
        'In CREATED and NEEDS_ADDITIONAL_INFORMATION. Objects are merged, lists are replaced, and the review starts again.',
      body: wire.ChangeCustomerBody,
      refusals: ['PATCH_NOT_ALLOWED'],
      answer: oneCustomer,
      handle: ({ caller, params: { customerId }, inspectBody }) => customers.change(caller, customerId, inspectBody),
    }),
    ...(['deactivate', 'reactivate'] as const).map((move) =>
      route({
        ...({
          method: 'POST',
          path: `/customers/{customerId}/${move}`,
          access: 'customers:write',
          tag,
          params,
        } as const),
        summary: move === 'deactivate' ? 'Stop serving a customer' : 'Serve a customer again',
        description: 'History stays readable; nothing new moves for a customer who is DEACTIVATED.',
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
      ...({ method: 'POST', path: '/customers/{customerId}/erase', access: 'customers:write', tag, params } as const),
      summary: 'Forget a customer for good',
      description:
        'Destroys the key that everything about this person or business is sealed with. Possible once nobody is served ' +
        'and the retention period is over. Postings and the audit log stay.',
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'What is left of the customer', schema: wire.CustomerAnswer },
      handle: ({ caller, params: { customerId }, once }) =>
        once(
          (tx, customer: Awaited<ReturnType<CustomerService['openFor']>>) => customers.erase(tx, caller, customer),
          () => customers.openFor(caller, customerId),
        ),
    }),
  ]
}
