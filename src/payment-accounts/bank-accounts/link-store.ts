import type { Queryable, Tx } from '../../db/database.ts'
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

/** Replaces the link of the hosted form, which ends every session of the former one; undefined for a deleted account. */
export async function replaceLink(
  tx: Tx,
  { organizationId, paymentAccountId }: Pick<PaymentAccount, 'organizationId' | 'paymentAccountId'>,
): Promise<PaymentAccount | undefined> {
  const [changed] = await tx.query<PaymentAccount>({
    name: 'replace payment account link',
    text: `update svc.payment_accounts as account set link_version = link_version + 1, version = version + 1
            where account.organization_id = $1 and account.payment_account_id = $2
              and account.payment_account_type = 'EXTERNAL_BANK_ACCOUNT' and account.status in ('PENDING', 'ACTIVE')
        returning ${columns}`,
    values: [organizationId, paymentAccountId],
  })
  return changed
}
