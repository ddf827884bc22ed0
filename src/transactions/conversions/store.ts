import type { Queryable, Tx } from '../../db/database.ts'
import type { DisbursementPart } from '../disbursements/disbursement.ts'
import type { Transaction } from '../transaction.ts'

/** The quote of a conversion: the account that keeps the returned funds, and the holding where its rail keeps money. */
export type ConversionQuote = {
  organizationId: string
  customerId: string
  accountId: string
  holding: string
  amount: string
}

export async function findConversionQuote(
  database: Queryable,
  organizationIds: readonly string[],
  quoteId: string,
): Promise<ConversionQuote | undefined> {
  const [found] = await database.query<ConversionQuote>({
    name: 'find quote of a conversion',
    text: `select quote.organization_id as "organizationId", quote.customer_id as "customerId",
                  account.account_id as "accountId", svc.holding_of(quote.source_asset, quote.source_method) as holding,
                  quote.source_amount as amount
             from svc.quotes as quote
             join svc.ledger_accounts as account on account.organization_id = quote.organization_id
              and account.account_id = quote.source_payment_account_id and account.kind = 'RETURNED_FUNDS'
            where quote.organization_id = any($1) and quote.quote_id = $2`,
    values: [organizationIds, quoteId],
  })
  return found
}

type ConversionKey = Pick<Transaction, 'organizationId' | 'transactionId'>

export async function insertParts(
  tx: Tx,
  { organizationId, transactionId }: ConversionKey,
  parts: readonly DisbursementPart[],
): Promise<void> {
  await tx.query({
    name: 'insert parts of a conversion',
    text: `insert into svc.conversion_parts (organization_id, transaction_id, cause, cause_id, asset, amount)
           select $1, $2, part.cause, part.cause_id, converting.source_asset, part.amount
             from svc.transactions as converting
            cross join unnest($3::text[], $4::uuid[], $5::numeric[]) as part (cause, cause_id, amount)
            where converting.organization_id = $1 and converting.transaction_id = $2`,
    values: [
      organizationId,
      transactionId,
      parts.map(({ cause }) => cause),
      parts.map(({ causeId }) => causeId),
      parts.map(({ amount }) => amount),
    ],
  })
}

/** Reads the transactions whose returned funds a conversion takes. */
export async function readCauses(tx: Tx, { organizationId, transactionId }: ConversionKey): Promise<string[]> {
  const causes = await tx.query<{ causeId: string }>({
    name: 'read causes of a conversion',
    text: `select cause_id as "causeId" from svc.conversion_parts
            where organization_id = $1 and transaction_id = $2 and cause = 'TRANSACTION'`,
    values: [organizationId, transactionId],
  })
  return causes.map(({ causeId }) => causeId)
}
