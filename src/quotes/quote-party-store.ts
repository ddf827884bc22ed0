import type { Queryable } from '../db/database.ts'
import type { QuoteParties, QuotePartyIds } from './quote-parties.ts'

/** Shows a selected account to the process. */
export const shownAccount = (
  account: string,
) => `jsonb_build_object('paymentAccountType', ${account}.payment_account_type,
  'status', ${account}.status, 'currency', ${account}.currency, 'paymentMethod', ${account}.payment_method,
  'walletType', ${account}.wallet_type)`

/** Selects an account of the customer. */
export const accountOf = (id: string) => `
    select account.payment_account_type, account.status, account.currency, account.payment_method, account.wallet_type
      from svc.payment_accounts as account
     where account.organization_id = customer.organization_id and account.customer_id = customer.customer_id
       and account.payment_account_id = ${id}`

/**
 * Selects the account that keeps returned funds of the customer: as a source it fits every rail of its currency. Tokens
 * among them fit none, because their asset is no label.
 */
export const returnedFundsAs = (id: string, method: string) => `
    select 'RETURNED_FUNDS' as payment_account_type, 'ACTIVE' as status, asset as currency, ${method} as payment_method,
           null::text as wallet_type
      from svc.ledger_accounts
     where organization_id = customer.organization_id and account_id = ${id} and kind = 'RETURNED_FUNDS'
       and holder = customer.customer_id::text`

/** Finds the parties of a quote whose request is invalid, so that missing parties are reported first. */
export async function findQuoteParties(
  database: Queryable,
  organizationIds: readonly string[],
  { customerId, from, to }: QuotePartyIds,
): Promise<QuoteParties> {
  const shown = (selected: string) => `(select ${shownAccount('found')} from (${selected}) as found)`
  const [found] = await database.query<QuoteParties>({
    name: 'find parties of a quote',
    text: `select customer.status as "customerStatus",
                  coalesce(${shown(accountOf('$3'))}, ${shown(returnedFundsAs('$3', 'null::text'))}) as source,
                  ${shown(accountOf('$4'))} as destination
             from svc.customers as customer
            where customer.organization_id = any($1) and customer.customer_id = $2`,
    values: [organizationIds, customerId, from, to],
  })
  return found ?? { customerStatus: null, source: null, destination: null }
}
