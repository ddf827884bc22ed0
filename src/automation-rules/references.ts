import type { CustomerStatus } from '../customers/customer.ts'
import type { PaymentAccount } from '../payment-accounts/payment-account.ts'

/** Whose rule it is. */
export type RuleCustomer = {
  organizationId: string
  customerId: string
  status: CustomerStatus
  /** Which rails and networks are open to the customer, by that edition of the catalog. */
  allowedMethods: string[] | null
  allowedBy: string | null
}

/** What a rule needs to know of an account that it names. */
export type RuleAccount = Pick<
  PaymentAccount,
  'paymentAccountId' | 'paymentAccountType' | 'status' | 'currency' | 'paymentMethod' | 'walletType'
>
