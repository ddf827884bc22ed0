import { expect } from 'vitest'
import { asTx } from '../db/as-tx.ts'
import type { Answer, CallOptions, TestApi } from '../runner/api.ts'
import { type Customer, createCustomer, patchCustomer, waitForStatus } from './customers.ts'

export type Review = {
  reviewId: string
  customerId: string
  organizationId: string
  customerType: string
  customerStatus: string
  reviewStatus: string
  reason: string
  version: number
  submission: number
  findings: { code: string; message: string; field?: string; watchList?: Record<string, unknown> }[]
  openedAt: string
  dueAt: string
  isLate: boolean
  claimedBy?: string
  claimedUntil?: string
  decision?: string
  issues?: string[]
  decidedAt?: string
  decidedBy?: string
  notes?: { act: string; text: string; writtenAt: string }[]
}

export const reviewIn = (answer: Answer): Review => answer.body as unknown as Review

export const sandboxDecide = (api: TestApi, { customerId }: Customer, body: object) =>
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

export async function readReview(api: TestApi, { customerId }: Customer): Promise<Review> {
  return reviewIn(await api.get(`/reviews/${customerId}`))
}

export function decideReview(api: TestApi, customer: Customer, body: object, options: CallOptions = {}) {
  const { customerId } = customer
  return api.post(`/reviews/${customerId}/decision`, { reason: 'Looked at it', ...body }, options)
}

export async function listReviews(api: TestApi, query = ''): Promise<{ reviews: Review[]; nextPageToken: string }> {
  return (await api.get(`/reviews${query}`)).body as unknown as { reviews: Review[]; nextPageToken: string }
}

export function isBlocked(api: TestApi, { organizationId, customerId }: Customer): Promise<boolean> {
  return api.app.verification.isBlocked(asTx(api.app.database), organizationId, customerId)
}
