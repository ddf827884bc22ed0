import { expect } from 'vitest'
import type { Answer, TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'

export type Customer = {
  customerId: string
  customerStatus: string
  customerType: string
  name: string
  email: string
  verificationLink: string
  updatedAt: string
  organizationId: string
  availablePaymentMethods?: string[]
  verificationIssues?: { code: string; message: string; timestamp: string }[]
  verification?: { kycData?: Record<string, never>; kybData?: Record<string, never> }
}

export const customerIn = (answer: Answer): Customer => answer.body as unknown as Customer

/** Creates a customer and expects it to work. */
export async function createCustomer(api: TestApi, body: object = {}): Promise<Customer> {
  const answer = await api.post('/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com', ...body })
  expect(answer.body).toMatchObject({ customerStatus: 'CREATED' })
  expect(answer.status).toBe(201)
  return customerIn(answer)
}

export async function readCustomer(api: TestApi, { customerId }: Customer, query = ''): Promise<Customer> {
  return customerIn(await api.get(`/customers/${customerId}${query}`))
}

/** Waits until a customer has a status; the workers bring it there. */
export function waitForStatus(api: TestApi, customer: Customer, status: string): Promise<Customer> {
  return eventually(async () => {
    const found = await readCustomer(api, customer)
    expect(found.customerStatus).toBe(status)
    return found
  })
}

export function patchCustomer(api: TestApi, { customerId }: Customer, body: object): Promise<Answer> {
  return api.call('PATCH', `/customers/${customerId}`, { body })
}

/** The types of a customer's events with the status each shows, oldest first. */
export async function eventsOf(api: TestApi, { customerId }: Customer): Promise<string[]> {
  const { events } = (await api.get(`/events?resourceId=${customerId}&pageSize=100`)).body as unknown as {
    events: { type: string; data: Customer }[]
  }
  return events.map((event) => `${event.type} ${event.data.customerStatus}`).reverse()
}
