import type { Queryable } from '../db/database.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { ListedTransaction } from './transaction.ts'

export type TransactionFilter = { customerId?: string; paymentAccountId?: string }

const stamp = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** `writtenAt` is ours. In jsonb the longest key of an object comes last. */
const shownHistory = `regexp_replace(transaction.status_history::text, ', "writtenAt": "[^"]*"', '', 'g')`

/** What presentTransaction shows, made of the JSON that is stored: nothing of a page is parsed on its way out. */
const listed = `transaction.transaction_id as "transactionId", transaction.source_asset as "sourceAsset",
  concat('{"transactionId":"', transaction.transaction_id, '","customerId":"', transaction.customer_id,
    '","quoteId":"', transaction.quote_id, '","transactionStatus":"', transaction.status, '"',
    ',"correlationId":' || to_json(transaction.correlation_id)::text, ',',
    case when transaction.source_reference_id = '' and transaction.destination_reference_id = '' then transaction.parts
         else replace(replace(transaction.parts,
                '"sourceReferenceId":""', concat('"sourceReferenceId":', to_json(transaction.source_reference_id))),
                '"destinationReferenceId":""',
                concat('"destinationReferenceId":', to_json(transaction.destination_reference_id))) end,
    ',"transferInstructions":' || transaction.transfer_instructions,
    ',"createdAt":"', ${stamp('transaction.created_at')}, '","updatedAt":"', ${stamp('transaction.updated_at')}, '"',
    case transaction.status when 'AWAITING_TRANSFER'
         then ',"expiresAt":"' || ${stamp('transaction.expires_at')} || '"' end,
    ',"statusHistory":', ${shownHistory},
    ',"failureReason":"' || transaction.failure_reason || '"',
    ',"labels":', case transaction.labels when '{}' then '[]' else array_to_json(transaction.labels)::text end) as shown,
  transaction.refund || jsonb_build_object('currency',
    concat('{', transaction.parts, '}')::jsonb -> 'source' -> 'sourceCurrency') as refund, transaction.repayment`

/**
 * Newest first. One organization's page is read row by row off the index of its filter; both sides of an account are
 * merged, and no transaction has the same account on both.
 */
export async function listTransactions(
  database: Queryable,
  organizationIds: readonly string[],
  filter: TransactionFilter,
  slice: PageSlice,
): Promise<ListedTransaction[]> {
  const [first, ...others] = organizationIds
  if (first === undefined) return []
  const isOne = others.length === 0
  const { customerId, paymentAccountId } = filter
  return database.query<ListedTransaction>({
    name: [
      'list transactions',
      ...[isOne ? 'of one' : '', customerId ? 'customer' : '', paymentAccountId ? 'account' : ''],
    ].join(' '),
    text: isOne ? ofOne(filter) : ofMany(filter),
    values: [
      ...[isOne ? first : organizationIds, slice.after ?? null, slice.limit],
      ...[customerId, paymentAccountId].filter((value) => value !== undefined),
    ],
  })
}

function ofOne({ customerId, paymentAccountId }: TransactionFilter): string {
  const rows = (side: string) => `
    select ${listed} from svc.transactions as transaction
     where transaction.organization_id = $1 and ${wanted('$1', customerId, side)}
     order by transaction.transaction_id desc limit $3`
  if (!paymentAccountId) return rows('')
  return `(${rows('source_payment_account_id')}) union all (${rows('destination_payment_account_id')})
           order by "transactionId" desc limit $3`
}

/** Ids alone are in the indexes: which rows are shown is known before the first of them is read. */
function ofMany({ customerId, paymentAccountId }: TransactionFilter): string {
  const ids = (side: string) => `
    select transaction.transaction_id from svc.transactions as transaction
     where transaction.organization_id = mine.organization_id and ${wanted('mine.organization_id', customerId, side)}
     order by transaction.transaction_id desc limit $3`
  const found = paymentAccountId
    ? `(${ids('source_payment_account_id')}) union all (${ids('destination_payment_account_id')})`
    : ids('')
  return `select ${listed}
            from (select mine.organization_id, ids.transaction_id from unnest($1::uuid[]) as mine (organization_id)
                   cross join lateral (${found}) as ids order by ids.transaction_id desc limit $3) as page
            join svc.transactions as transaction
              on transaction.organization_id = page.organization_id and transaction.transaction_id = page.transaction_id
           order by transaction.transaction_id desc`
}

/**
 * After the last page, or after nothing: a bound that any plan can look up, whether or not it knows the parameter. The
 * accounts of a transaction are its customer's: one of them tells whether any are, before all of them are looked through.
 */
function wanted(organizationId: string, customerId: string | undefined, side: string): string {
  const owner = `(select one.customer_id from svc.transactions as one
                   where one.organization_id = ${organizationId} and one.${side} = $5 limit 1)`
  return [
    `transaction.transaction_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
    ...(customerId ? ['transaction.customer_id = $4'] : []),
    ...(customerId && side ? [`$4 = ${owner}`] : []),
    ...(side ? [`transaction.${side} = $${customerId ? 5 : 4}`] : []),
  ].join(' and ')
}
