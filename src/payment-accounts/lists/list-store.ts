import type { Queryable } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import type { CreatedRange } from '../../lib/resources/filters.ts'
import type { PaymentAccount, PaymentAccountStatus, PaymentAccountType } from '../payment-account.ts'
import { columns } from '../store.ts'
import type { AccountReach } from './reach.ts'

/** The filters of the list. Deleted accounts are listed only by their status. */
export type AccountFilter = CreatedRange & {
  customerId?: string
  status?: PaymentAccountStatus
  type?: PaymentAccountType
  rail?: string
  externalId?: string
}

/** The filters as the statement needs them. */
export type StoredFilter = Omit<AccountFilter, 'rail'> & { reach?: AccountReach }

/** Lists accounts, newest first (ids grow with time). An account is found by its customer or by the caller's id. */
export function listAccounts(
  database: Queryable,
  organizationIds: readonly string[],
  filter: StoredFilter,
  slice: PageSlice,
): Promise<PaymentAccount[]> {
  const { customerId, status, type, reach, externalId } = filter
  return database.query<PaymentAccount>({
    name: customerId === undefined ? 'list payment accounts by external id' : 'list payment accounts',
    text: `select ${columns} from svc.payment_accounts as account
            where account.organization_id = any($1)
              and ${customerId === undefined ? '$2::uuid is null and account.external_id = $10' : 'account.customer_id = $2'}
              and ($5::text is null and account.status <> 'DEACTIVATED' or account.status = $5)
              and ($3::uuid is null or account.payment_account_id < $3)
              and ($6::text is null or account.payment_account_type = $6)
              and ($7::text is null or account.payment_method = $7 or account.wallet_type = $11
                   or (account.payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT' and account.currency = $12))
              and ($8::timestamptz is null or account.created_at >= $8)
              and ($9::timestamptz is null or account.created_at < $9)
              and ($10::text is null or account.external_id = $10)
            order by account.payment_account_id desc limit $4`,
    values: [
      organizationIds,
      customerId ?? null,
      slice.after ?? null,
      slice.limit,
      status ?? null,
      type ?? null,
      reach?.rail ?? null,
      filter.createdFrom ?? null,
      filter.createdTo ?? null,
      externalId ?? null,
      reach?.walletType ?? null,
      reach?.currency ?? null,
    ],
  })
}
