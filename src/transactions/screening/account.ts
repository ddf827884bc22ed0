import type { Queryable } from '../../db/database.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import type { Counterparty, Screening } from './screening.ts'

export type AccountScreening = {
  paymentAccounts: Pick<PaymentAccountService, 'open' | 'readBankDetails'>
  screening: Screening<Queryable>
}

/** Whether money must not go to a registered account now: its owner or its address is on a list. Not in a transaction. */
export async function isAccountBlocked(
  { paymentAccounts, screening }: AccountScreening,
  to: Pick<Counterparty, 'organizationId' | 'customerId' | 'method'> & { paymentAccountId: string },
): Promise<boolean> {
  const opened = await paymentAccounts.open([to.organizationId], to.paymentAccountId)
  const details = opened && paymentAccounts.readBankDetails(opened)
  const address = opened?.account.address
  return screening.isCounterpartyBlocked({
    ...to,
    ...(details ? { name: details.ownerName } : {}),
    ...(details?.owner ? { kind: details.owner.type } : {}),
    ...(address ? { address } : {}),
  })
}
