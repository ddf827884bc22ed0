import { expect } from 'vitest'
import { asTx } from '../db/as-tx.ts'
import type { BodyOf } from '../runner/answers.ts'
import type { CallOptions, TestApi } from '../runner/api.ts'
import { type Customer, type CustomerId, createCustomer, patchCustomer, waitForStatus } from './customers.ts'

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
  await sandboxDecide(api, customer, { outcome: 'APPROVE' })
  return waitForStatus(api, customer, 'ACTIVE')
}

async function submitted(api: TestApi, kycData: object = {}): Promise<Customer> {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Example', ...kycData } })
  return customer
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
