import { expect } from 'vitest'
import { asTx } from '../db/as-tx.ts'
import type { BodyOf } from '../runner/answers.ts'
import type { CallOptions, TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { type Customer, type CustomerId, createCustomer, patchCustomer, readCustomer } from './customers.ts'

export type Review = BodyOf<'GET /reviews/{customerId}'>

export const sandboxDecide = (api: TestApi, { customerId }: CustomerId, body: object) =>
  api.post(`/sandbox/customers/${customerId}/verification`, body)

/** A customer about whom a reviewer has to decide, regardless of the checks. */
export async function customerInReview(api: TestApi, issues: string[] = ['AML_WARNING']): Promise<Customer> {
  const customer = await submitted(api)
  expect((await sandboxDecide(api, customer, { outcome: 'REVIEW', issues })).status).toBe(200)
  return customer
}

export async function activeCustomer(api: TestApi, kycData: object = {}): Promise<Customer> {
  const customer = await submitted(api, kycData)
  return eventually(async () => {
    await sandboxDecide(api, customer, { outcome: 'APPROVE' })
    const found = await readCustomer(api, customer)
    // A worker may have asked for the missing data first.
    if (found.customerStatus === 'NEEDS_ADDITIONAL_INFORMATION') await submitNames(api, customer, kycData)
    expect(found.customerStatus).toBe('ACTIVE')
    return found
  })
}

async function submitted(api: TestApi, kycData: object = {}): Promise<Customer> {
  const customer = await createCustomer(api)
  await submitNames(api, customer, kycData)
  return customer
}

const submitNames = (api: TestApi, customer: CustomerId, kycData: object) =>
  patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Example', ...kycData } })

/** Waits until a submission is left to a reviewer, and returns the customer. */
export function waitForReview(api: TestApi, customer: CustomerId): Promise<Customer> {
  return eventually(async () => {
    const found = await readCustomer(api, customer)
    expect(found.review).toBeDefined()
    return found
  })
}

export async function readReview(api: TestApi, { customerId }: CustomerId): Promise<Review> {
  return (await api.get(`/reviews/${customerId}`)).body
}

export function decideReview(api: TestApi, customer: CustomerId, body: object, options: CallOptions = {}) {
  const { customerId } = customer
  return api.post(`/reviews/${customerId}/decision`, { reason: 'Looked at it', ...body }, options)
}

export async function listReviews(api: TestApi, query = '') {
  return (await api.get(`/reviews?${query}`)).body
}

export function isBlocked(api: TestApi, { organizationId, customerId }: Customer): Promise<boolean> {
  return api.app.verification.isBlocked(asTx(api.app.database), organizationId, customerId)
}
