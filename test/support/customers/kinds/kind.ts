import { expect } from 'vitest'
import type { TestApi } from '../../runner/api.ts'
import { eventually } from '../../runner/eventually.ts'
import { createCustomer, patchCustomer, readCustomer } from '../customers.ts'
import { listReviews, readReview } from '../reviews.ts'

/** The places where a submission can end. A submission `with a reviewer` leaves its customer UNDER_REVIEW. */
export type Ending = 'ACTIVE' | 'NEEDS_ADDITIONAL_INFORMATION' | 'with a reviewer'

/** One kind of submission, with the place where it has to end and why. */
export type Kind = {
  kind: string
  /** The fields of POST /customers, beside type and email. */
  profile?: object
  data: object
  ends: Ending
  /** The codes of the issues that the customer sees, or of the findings that the reviewer sees. */
  codes: string[]
  why?: string
}

export type Ended = { ends: Ending; codes: string[] }

/** Submits data as an integrator does and waits until the checks are done with it. */
export async function submit(
  api: TestApi,
  customerType: 'INDIVIDUAL' | 'BUSINESS',
  { profile = {}, data }: Pick<Kind, 'profile' | 'data'>,
): Promise<Ended> {
  const customer = await createCustomer(api, { customerType, ...profile })
  const patched = await patchCustomer(
    api,
    customer,
    customerType === 'INDIVIDUAL' ? { kycData: data } : { kybData: data },
  )
  expect(patched.body).toMatchObject({ customerStatus: 'UNDER_REVIEW' })
  return eventually(async () => {
    const { customerStatus, verificationIssues = [] } = await readCustomer(api, customer)
    if (customerStatus === 'ACTIVE') return { ends: 'ACTIVE' as const, codes: [] }
    if (customerStatus === 'NEEDS_ADDITIONAL_INFORMATION') {
      return { ends: customerStatus, codes: uniqueCodes(verificationIssues) }
    }
    const { reviews } = await listReviews(api, `customerId=${customer.customerId}`)
    expect(reviews).toHaveLength(1)
    return { ends: 'with a reviewer' as const, codes: uniqueCodes((await readReview(api, customer)).findings) }
  })
}

/** Submits many at a time, so that the checks never wait for the test. */
export async function submitAll<Item>(items: readonly Item[], submitOne: (item: Item) => Promise<Ended>) {
  const ended = new Map<Item, Ended>()
  const waiting = items[Symbol.iterator]()
  const submitInTurn = async () => {
    for (const item of waiting) ended.set(item, await submitOne(item))
  }
  await Promise.all(Array.from({ length: 6 }, submitInTurn))
  return ended
}

function uniqueCodes(found: readonly { code: string }[]): string[] {
  return [...new Set(found.map(({ code }) => code))].toSorted()
}
