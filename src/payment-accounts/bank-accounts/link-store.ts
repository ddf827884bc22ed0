import type { Queryable } from '../../db/database.ts'
import type { PaymentAccount } from '../payment-account.ts'
import { columns } from '../store.ts'

/** Finds the account that a link names. Its id is unique in the deployment, and a MAC guards the link. */
export async function findAccountOfLink(
  database: Queryable,
  paymentAccountId: string,
): Promise<PaymentAccount | undefined> {
  const [found] = await database.query<PaymentAccount>({
    name: 'find payment account of link',
    text: `select ${columns} from svc.payment_accounts as account where account.payment_account_id = $1`,
    values: [paymentAccountId],
  })
  return found
}

/** Tells whether the account was completed by the save that has this hash. */
export async function isSavedBy(
  database: Queryable,
  { organizationId, paymentAccountId }: Pick<PaymentAccount, 'organizationId' | 'paymentAccountId'>,
  saveHash: Buffer,
): Promise<boolean> {
  const found = await database.query({
    name: 'find save of payment account',
    text: `select payment_account_id from svc.payment_accounts
            where organization_id = $1 and payment_account_id = $2 and status = 'ACTIVE' and save_hash = $3`,
    values: [organizationId, paymentAccountId, saveHash],
  })
  return found.length > 0
}
