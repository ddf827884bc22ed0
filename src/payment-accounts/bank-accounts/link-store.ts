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
