import { expect } from 'vitest'
import type { BodyOf } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'

export type Customer = BodyOf<'POST /customers'>

/** A customer by its id. */
export type CustomerId = Pick<Customer, 'customerId'>

/** Creates a customer and expects it to work. */
export async function createCustomer(api: TestApi, body: object = {}): Promise<Customer> {
  const answer = await api.post('/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com', ...body })
  expect(answer.body).toMatchObject({ customerStatus: 'CREATED' })
  expect(answer.status).toBe(201)
  return answer.body
}

export async function readCustomer(api: TestApi, { customerId }: CustomerId, query = ''): Promise<Customer> {
  return (await api.get(`/customers/${customerId}${query}`)).body
}

/** Waits until a customer has a status; the workers bring it there. */
export function waitForStatus(api: TestApi, customer: CustomerId, status: string): Promise<Customer> {
  return eventually(async () => {
    const found = await readCustomer(api, customer)
    expect(found.customerStatus).toBe(status)
    return found
  })
}

export function patchCustomer(api: TestApi, { customerId }: CustomerId, body: object) {
  return api.call('PATCH', `/customers/${customerId}`, { body })
}

/** The types of a customer's events with the status each shows, oldest first. */
export async function eventsOf(api: TestApi, { customerId }: CustomerId): Promise<string[]> {
  const { events } = (await api.get(`/events?resourceId=${customerId}&pageSize=100`)).body
  return events.map(({ type, data }) => `${type} ${'customerStatus' in data && data.customerStatus}`).reverse()
}
