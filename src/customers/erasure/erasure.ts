import type { Customer, CustomerStatus } from '../customer.ts'

/** The statuses in which Svc neither serves the customer nor owes it a decision. */
export const erasableStatuses: readonly CustomerStatus[] = [
  'CREATED',
  'NEEDS_ADDITIONAL_INFORMATION',
  'REJECTED',
  'DEACTIVATED',
]

type Erasable = Pick<Customer, 'status' | 'submission' | 'updatedAt'>

/** Counts the retention period from the last change of a customer that submitted data. Without data it is zero. */
export function erasableFrom({ submission, updatedAt }: Erasable, retentionDays: number): Date {
  return submission === 0 ? updatedAt : new Date(updatedAt.getTime() + retentionDays * dayMs)
}

/** Says why a customer cannot be erased now; undefined when it can. */
export function whyNotErase(customer: Erasable, retentionDays: number, now: Date): string | undefined {
  if (!erasableStatuses.includes(customer.status)) {
    return customer.status === 'ACTIVE'
      ? 'An ACTIVE customer cannot be erased: deactivate it first'
      : `A customer in ${customer.status} cannot be erased`
  }
  const from = erasableFrom(customer, retentionDays)
  if (from > now) return `The records of this customer must be kept until ${from.toISOString()}`
  return undefined
}

const dayMs = 86_400_000
