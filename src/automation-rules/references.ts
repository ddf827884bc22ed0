import type { CustomerStatus } from '../customers/customer.ts'
import type { PaymentAccount } from '../payment-accounts/payment-account.ts'

export type RuleCustomer = {
  organizationId: string
  customerId: string
  status: CustomerStatus
  /** Rails and networks open to the customer, according to the catalog edition `allowedBy`. */
  allowedMethods: string[] | null
  allowedBy: string | null
}

/** The fields of a payment account that decide whether a rule may use it. */
export type RuleAccount = Pick<
  PaymentAccount,
  'paymentAccountId' | 'paymentAccountType' | 'status' | 'currency' | 'paymentMethod' | 'walletType'
>
