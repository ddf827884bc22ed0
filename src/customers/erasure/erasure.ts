import type { Customer, CustomerStatus } from '../customer.ts'

/** Nobody is served in these, and nobody waits for an answer. */
export const erasableStatuses: readonly CustomerStatus[] = [
  'CREATED',
  'NEEDS_ADDITIONAL_INFORMATION',
  'REJECTED',
  'DEACTIVATED',
]

type Erasable = Pick<Customer, 'status' | 'submission' | 'updatedAt'>

/** Records of somebody who was verified, or tried to be, are kept from the end of the matter; of others not at all. */
export function erasableFrom({ submission, updatedAt }: Erasable, retentionDays: number): Date {
  return submission === 0 ? updatedAt : new Date(updatedAt.getTime() + retentionDays * dayMs)
}

/** Why a customer cannot be forgotten now; undefined when it can. */
export function whyNotErase(customer: Erasable, retentionDays: number, now: Date): string | undefined {
  if (!erasableStatuses.includes(customer.status)) {
    return customer.status === 'ACTIVE'
      ? 'A customer who is ACTIVE cannot be erased: deactivate it first'
      : `A customer who is ${customer.status} cannot be erased`
  }
  const from = erasableFrom(customer, retentionDays)
  if (from > now) return `The records of this customer are kept until ${from.toISOString()}`
  return undefined
}

const dayMs = 86_400_000
