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

/** Finds the customer of a virtual account that money was sent to. */
export async function findReceiver(database: Queryable, paymentAccountId: string): Promise<ExpectedSource | undefined> {
  const [found] = await database.query<ExpectedSource>({
    name: 'find customer of a virtual account',
    text: `select organization_id as "organizationId", customer_id as "customerId",
                  payment_account_id as "paymentAccountId"
             from svc.payment_accounts where payment_account_id = $1`,
    values: [paymentAccountId],
  })
  return found
}

/** Finds the transactions that messages name, in the order of the messages. */
export function findNamed(
  database: Queryable,
  messages: readonly string[],
): Promise<(Suggestion & { message: string })[]> {
  return database.query<Suggestion & { message: string }>({
    name: 'find transactions of messages of a bank credit',
    text: `select organization_id as "organizationId", customer_id as "customerId", transfer_message as message,
                  source_payment_account_id as "paymentAccountId", transaction_id as "transactionId"
             from svc.transactions where transfer_message = any($1)
            order by array_position($1::text[], transfer_message), transaction_id limit 20`,
    values: [messages],
  })
}

export type UnattributedCredit = {
  book: string
  asset: string
  amount: bigint
  message: string | null
  senderHashes: readonly Buffer[]
}

/** A transaction that a credit may be for: its message names it, or it awaits the amount from the sender's account. */
export type Suggestion = ExpectedSource & { transactionId: string }

/**
 * Finds the transactions that await exactly this amount at this account of ours, of customers who registered the
 * sender's account: the newest five of each customer, so that none crowds out others. Finds nothing for a credit whose
 * message names its transaction.
 */
export function findSuggestions(database: Queryable, credit: UnattributedCredit, days: number): Promise<Suggestion[]> {
  const { book, asset, amount, message, senderHashes } = credit
  return database.query<Suggestion>({
    name: 'find suggestions for a bank credit',
    text: `with awaiting as (
             select transaction.organization_id, transaction.customer_id, transaction.transaction_id,
                    min(account.payment_account_id::text) as payment_account_id,
                    row_number() over (partition by transaction.organization_id, transaction.customer_id
                                       order by transaction.transaction_id desc) as place
               from svc.payment_accounts as account
               join svc.transactions as transaction on transaction.organization_id = account.organization_id
                and transaction.customer_id = account.customer_id
               join svc.bank_account_rails as served on served.rail = transaction.source_method
                and served.bank_account_id = $1
              where account.account_hash = any($2) and account.status = 'ACTIVE'
                and account.payment_account_type = 'EXTERNAL_BANK_ACCOUNT'
                and transaction.status in ('AWAITING_TRANSFER', 'EXPIRED') and not transaction.is_from_wallet
                and transaction.source_asset = $3 and transaction.source_amount - transaction.received_amount = $4
                and transaction.expires_at > svc.now() - $5 * interval '1 day'
                and not exists (select from svc.transactions as named where named.transfer_message = $6)
              group by transaction.organization_id, transaction.customer_id, transaction.transaction_id)
           select organization_id as "organizationId", customer_id as "customerId",
                  payment_account_id as "paymentAccountId", transaction_id as "transactionId"
             from awaiting where place <= 5 order by place, transaction_id desc limit 100`,
    values: [book, senderHashes, asset, amount, days, message],
  })
}

/** Keeps suggestions for a credit, the best first. */
export async function insertSuggestions(
  tx: Tx,
  { book, externalId }: { book: string; externalId: string },
  suggestions: readonly Suggestion[],
): Promise<void> {
  await tx.query({
    name: 'suggest transactions for a bank credit',
    text: `insert into svc.deposit_suggestions (book, external_id, suggested_organization_id, suggested_customer_id,
                  suggested_transaction_id, rank, recorded_at)
           select $1, $2, organization_id, customer_id, transaction_id, rank, svc.now()
             from unnest($3::uuid[], $4::uuid[], $5::uuid[])
                  with ordinality as suggested (organization_id, customer_id, transaction_id, rank)
               on conflict do nothing`,
    values: [
      book,
      externalId,
      suggestions.map(({ organizationId }) => organizationId),
      suggestions.map(({ customerId }) => customerId),
      suggestions.map(({ transactionId }) => transactionId),
    ],
  })
}
