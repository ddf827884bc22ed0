import pg from 'pg'
import { type Connection, clientConfig } from '../../src/db/database.ts'
import { newId } from '../../src/lib/ids.ts'

/**
 * Creates the transaction of a quote whose money comes from a service wallet: one statement with the effect of POST
 * /transactions, and nothing else. It writes the transaction, its event, its key and the reserve, and
 * takes the money last. It makes none of the checks by which the service refuses a request.
 */
const statement = `
  with quote as (
    select quote.*, date_trunc('milliseconds', clock_timestamp()) as moment
      from svc.quotes as quote where organization_id = $1 and quote_id = $2),
  shown as (
    select quote.*, to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from quote),
  answer as (
    select shown.*, concat('{"transactionId":"', $3::uuid, '","customerId":"', customer_id, '","quoteId":"', quote_id,
             '","transactionStatus":"CREATED","source":{"sourcePaymentAccountId":"', source_payment_account_id,
             '","sourceCurrency":', transaction_parts -> 'sourceCurrency', ',"sourcePaymentMethod":"', source_method,
             '","sourceAmount":', transaction_parts -> 'sourceAmount',
             ',"sourceReferenceId":""},"destination":{"destinationPaymentAccountId":"', destination_payment_account_id,
             '","destinationPaymentMethod":"', destination_method,
             '","destinationCurrency":', transaction_parts -> 'destinationCurrency', ',"exchangeRate":"', exchange_rate,
             '","destinationAmount":"',
             (destination_amount::text || 'e-' || (transaction_parts ->> 'destinationDecimals'))::numeric,
             '","destinationReferenceId":""},"fees":', transaction_parts -> 'fees', ',"createdAt":"', at,
             '","updatedAt":"', at, '","statusHistory":[{"status":"CREATED","at":"', at, '"}],"labels":[]}') as answer
      from shown),
  transaction as (
    insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
           source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
           destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
           exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history,
           status_written_at, step, due_at, created_at, updated_at)
    select organization_id, $3, customer_id, quote_id, 'CREATED', source_payment_account_id, true, source_asset,
           source_method, source_amount, destination_payment_account_id, false, destination_asset, destination_method,
           destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, expires_at, transaction_parts,
           array[('{"status":"CREATED","at":"' || at || '"}')::json], '{null}', 'SCREEN', moment, moment, moment
      from answer),
  event as (
    insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data, created_at)
    select organization_id, $4, 'transaction.created', $3::uuid::text, 1, '2025-11-21', answer, moment from answer),
  key as (
    insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, event_id,
           resource_organization_id)
    select organization_id, 'POST /transactions', $5, $6, 201, $4, organization_id from answer),
  account as (
    select account.organization_id, account_id, source_amount as amount, moment, answer
      from answer join svc.ledger_accounts as account on account.organization_id = answer.organization_id
       and account.kind = 'WALLET' and account.holder = source_payment_account_id::text and account.asset = source_asset),
  reserve as (
    insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, created_at)
    select organization_id, $7, 'transaction:' || $3::uuid || ':source', account_id, amount, moment from account)
  update svc.ledger_accounts as changed set reserved = reserved + amount from account
   where changed.organization_id = account.organization_id and changed.account_id = account.account_id
     and posted - reserved >= amount
  returning answer`

const connections = 8

/** Calls the statement directly over eight connections, each with the statement prepared and durable commits. */
export async function openDirectClient(connection: Connection) {
  const clients = Array.from({ length: connections }, () => new pg.Client(clientConfig({ connection })))
  for (const client of clients) {
    await client.connect()
    await client.query("set synchronous_commit = on; set plan_cache_mode = 'force_generic_plan'")
  }
  const callNext = async (client: pg.Client, organizationId: string, quotes: string[], until: number) => {
    let made = 0
    for (let quoteId = quotes.pop(); quoteId && performance.now() < until; quoteId = quotes.pop()) {
      const fingerprint = Buffer.alloc(32, made)
      const values = [organizationId, quoteId, newId(), newId(), newId(), fingerprint, newId()]
      const { rowCount } = await client.query({ name: 'create transaction', text: statement, values })
      if (rowCount !== 1) throw new Error(`quote ${quoteId} made ${rowCount} transactions`)
      made += 1
    }
    return made
  }
  return {
    /** Uses quotes for some seconds. The client runs in the thread that it is called from, and counts as its cost. */
    run: async (organizationId: string, quotes: string[], seconds: number) => {
      const started = performance.now()
      const until = started + seconds * 1_000
      const made = await Promise.all(clients.map((client) => callNext(client, organizationId, quotes, until)))
      const answers = made.reduce((sum, each) => sum + each, 0)
      return { answers, perSecond: (answers * 1_000) / (performance.now() - started) }
    },
    stop: async (): Promise<void> => {
      for (const client of clients) await client.end()
    },
  }
}
