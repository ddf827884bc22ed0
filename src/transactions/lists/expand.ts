import type { CustomerView } from '../../customers/present.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Caller, Scope } from '../../lib/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { PaymentAccountView } from '../../payment-accounts/present.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import type { QuoteService } from '../../quotes/service.ts'
import type { StoredQuoteView } from '../../quotes/wire.ts'
import type { Expansion } from './expansions.ts'

export type ExpandDeps = {
  customers: Pick<CustomerService, 'openMany' | 'show'>
  quotes: Pick<QuoteService, 'readMany'>
  paymentAccounts: Pick<PaymentAccountService, 'readMany'>
}

/** The parts of a transaction that name other resources. */
export type Expandable = {
  customerId: string
  quoteId: string
  sourcePaymentAccountId: string
  destinationPaymentAccountId: string
}

/** The expanded resources of a transaction. Returned funds are no account, so such a source is left out. */
export type Expanded = {
  customer?: CustomerView
  quote?: StoredQuoteView
  sourcePaymentAccount?: PaymentAccountView
  destinationPaymentAccount?: PaymentAccountView
}

/** Reading a resource inside another one takes the same right as reading it alone. */
const neededScopes = {
  customer: 'customers:read',
  quote: 'quotes:read',
  accounts: 'payment_accounts:read',
} as const satisfies Record<Expansion, Scope>

export function requireExpansions({ scopes }: Caller, wanted: readonly Expansion[]): void {
  const missing = wanted.map((each) => neededScopes[each]).find((scope) => !scopes.has(scope))
  if (missing) throw new Refusal('FORBIDDEN', `This credential lacks the scope ${missing}`)
}

/** Reads the resources that transactions name, each kind with one read for all of them. */
export async function expand(
  deps: ExpandDeps,
  { organizationIds }: Caller,
  wanted: readonly Expansion[],
  transactions: readonly Expandable[],
): Promise<Expanded[]> {
  const idsOf = (read: (each: Expandable) => string[]) => [...new Set(transactions.flatMap(read))]
  const has = (each: Expansion) => wanted.includes(each) && transactions.length > 0
  const [customers, quotes, accounts] = await Promise.all([
    has('customer')
      ? deps.customers.openMany(
          organizationIds,
          idsOf(({ customerId }) => [customerId]),
        )
      : [],
    has('quote')
      ? deps.quotes.readMany(
          organizationIds,
          idsOf(({ quoteId }) => [quoteId]),
        )
      : [],
    has('accounts') ? deps.paymentAccounts.readMany(organizationIds, idsOf(accountsOf)) : [],
  ])
  const customerOf = new Map(customers.map((each) => [each.customer.customerId, deps.customers.show(each)]))
  const quoteOf = new Map(quotes.map((each) => [each.quoteId, each]))
  const accountOf = new Map(accounts.map(({ paymentAccountId, view }) => [paymentAccountId, view]))
  return transactions.map((each) => ({
    ...field('customer', customerOf.get(each.customerId)),
    ...field('quote', quoteOf.get(each.quoteId)),
    ...field('sourcePaymentAccount', accountOf.get(each.sourcePaymentAccountId)),
    ...field('destinationPaymentAccount', accountOf.get(each.destinationPaymentAccountId)),
  }))
}

function accountsOf({ sourcePaymentAccountId, destinationPaymentAccountId }: Expandable): string[] {
  return [sourcePaymentAccountId, destinationPaymentAccountId]
}

function field<Name extends keyof Expanded>(name: Name, value: Expanded[Name]): Expanded {
  return value === undefined ? {} : { [name]: value }
}
