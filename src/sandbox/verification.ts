import type { IssueCode } from '../catalog/verification-issues.ts'
import type { CustomerView } from '../customers/present.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Decision, VerificationService } from '../verification/service.ts'

export type SandboxVerification = ReturnType<typeof makeSandboxVerification>
type OpenedCustomer = Awaited<ReturnType<CustomerService['openFor']>>

/** Decides about a customer at once, so that every status and every issue code can be seen. */
export function makeSandboxVerification(customers: CustomerService, verification: VerificationService) {
  return {
    open: (caller: Caller, customerId: string) => customers.openFor(caller, customerId),

    decide: async (
      transaction: Queryable,
      customer: OpenedCustomer,
      outcome: Decision,
      issues: readonly IssueCode[] | undefined,
    ): Promise<CustomerView> => {
      if (customer.row.status !== 'UNDER_REVIEW') {
        throw new Refusal(
          'CONFLICT',
          `Only a customer who is UNDER_REVIEW can be decided about; this one is ${customer.row.status}`,
        )
      }
      const codes = issues ?? (outcome === 'NEEDS_INFO' ? (['VERIFICATION_ISSUE'] as const) : [])
      const decided = await verification.decide(transaction, customer, outcome, codes)
      return decided ?? customers.show(customer)
    },
  }
}
