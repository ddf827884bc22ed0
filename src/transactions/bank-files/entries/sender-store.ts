import type { Queryable, Tx } from '../../../db/database.ts'

export type ExpectedSource = { organizationId: string; customerId: string; paymentAccountId: string }

/** Finds the account that a transaction awaits money from, by its message; undefined when no transaction has it. */
export async function findExpectedSource(database: Queryable, message: string): Promise<ExpectedSource | undefined> {
  const [found] = await database.query<ExpectedSource>({
    name: 'find expected source of a bank credit',
    text: `select organization_id as "organizationId", customer_id as "customerId",
                  source_payment_account_id as "paymentAccountId"
             from svc.transactions where transfer_message = $1 limit 1`,
    values: [message],
  })
  return found
}

export type UnattributedCredit = {
  book: string
  externalId: string
  asset: string
  amount: bigint
  message: string | null
  senderHashes: readonly Buffer[]
}

/**
 * Suggests the transactions that await exactly this amount at this account of ours, of customers who registered the
 * sender's account. Suggests nothing for a credit whose message names its transaction.
 */
export async function insertSuggestions(tx: Tx, credit: UnattributedCredit, days: number): Promise<void> {
  const { book, externalId, asset, amount, message, senderHashes } = credit
  await tx.query({
    name: 'suggest transactions for a bank credit',
    text: `insert into svc.deposit_suggestions (book, external_id, suggested_organization_id, suggested_customer_id,
                  suggested_transaction_id, recorded_at)
           select $1, $2, transaction.organization_id, transaction.customer_id, transaction.transaction_id, svc.now()
             from svc.payment_accounts as account
             join svc.transactions as transaction on transaction.organization_id = account.organization_id
              and transaction.customer_id = account.customer_id
             join svc.bank_account_rails as served on served.rail = transaction.source_method
              and served.bank_account_id = $1
            where account.account_hash = any($3) and account.status = 'ACTIVE'
              and account.payment_account_type = 'EXTERNAL_BANK_ACCOUNT'
              and transaction.status in ('AWAITING_TRANSFER', 'EXPIRED') and not transaction.is_from_wallet
              and transaction.source_asset = $4 and transaction.source_amount - transaction.received_amount = $5
              and transaction.expires_at > svc.now() - $6 * interval '1 day'
              and not exists (select from svc.transactions as named where named.transfer_message = $7)
            order by transaction.transaction_id limit 20
               on conflict do nothing`,
    values: [book, externalId, senderHashes, asset, amount, days, message],
  })
}
