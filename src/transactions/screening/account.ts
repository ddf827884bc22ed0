import type { Queryable } from '../../db/database.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import type { Counterparty, Screener } from './screening.ts'

export type AccountScreeningDeps = {
  paymentAccounts: Pick<PaymentAccountService, 'open' | 'readBankDetails'>
  screening: Screener<Queryable>
}

/** True when the owner or address of a registered account is blocked. Must run outside a database transaction. */
export async function isAccountBlocked(
  { paymentAccounts, screening }: AccountScreeningDeps,
  to: Pick<Counterparty, 'organizationId' | 'customerId' | 'method'> & { paymentAccountId: string },
): Promise<boolean> {
  const opened = await paymentAccounts.open([to.organizationId], to.paymentAccountId)
  const details = opened && paymentAccounts.readBankDetails(opened)
  const address = opened?.account.address
  return screening.isCounterpartyBlocked({
    ...to,
    ...(details ? { name: details.ownerName } : {}),
    ...(address ? { address } : {}),
  })
}
