import type { App } from '../../src/app.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { depositToWallet } from '../../src/ledger/postings.ts'
import { type Calls, makeWalletQuote } from './customers.ts'
import type { BenchDatabase } from './database.ts'

/**
 * Creates a customer with a wallet, a bank account and a quote through the API, and copies the customer with both
 * accounts. `copy` copies a row of any table; `ofCopies` is SQL that spreads the new rows over the copied customers.
 */
export async function copyCustomers(
  app: App,
  places: { database: BenchDatabase; owner: Database; calls: Calls },
  wallets: number,
) {
  await app.rates.refresh()
  await app.rates.load()
  const made = await makeWalletQuote(places.database, places.calls)
  const copy = (table: string, key: string, id: string, count: number, more: string) =>
    places.owner.query({
      text: `insert into svc.${table}
             select (jsonb_populate_record(original, jsonb_build_object(${more}))).*
               from svc.${table} as original, generate_series(1, $2) as number where ${key} = $1`,
      values: [id, count],
    })
  const idOf = (kind: string) => `md5('${kind} ' || number % ${wallets})::uuid`
  const ofCustomer = `'customer_id', ${idOf('customer')}`
  await copy('customers', 'customer_id', made.customerId, wallets, ofCustomer)
  for (const kind of ['wallet', 'bank'] as const) {
    const account = `'payment_account_id', ${idOf(kind)}, ${ofCustomer}`
    await copy('payment_accounts', 'payment_account_id', made[kind], wallets, account)
  }
  const sides = `'source_payment_account_id', ${idOf('wallet')}, 'destination_payment_account_id', ${idOf('bank')}`
  return { made, copy, ofCopies: `${ofCustomer}, ${sides}` }
}

/** SQL for an expiry after the end of the benchmark. */
export const laterExpiry = `'expires_at', original.expires_at + interval '2 days'`

/** Creates wallets, with quotes spread over all of them and as many quotes of one hot wallet. */
export async function fillWallets(
  app: App,
  bench: BenchDatabase,
  calls: Calls,
  { wallets, quoteCount }: { wallets: number; quoteCount: number },
) {
  const owner = openDatabase({ connection: bench.owner, statementTimeoutMs: 600_000 })
  const { made, copy, ofCopies } = await copyCustomers(app, { database: bench, owner, calls }, wallets)
  const { organizationId, wallet, quoteId } = made
  const named = (prefix: string) => `'quote_id', md5('${prefix} ' || number)::uuid`
  await copy('quotes', 'quote_id', quoteId, quoteCount, `${named('hot')}, ${laterExpiry}`)
  await copy('quotes', 'quote_id', quoteId, quoteCount, `${named('many')}, ${ofCopies}, ${laterExpiry}`)
  await creditWallets(app, owner, organizationId)
  const list = async (condition: string) => {
    const rows = await owner.query<{ id: string }>({
      text: `select quote_id as id from svc.quotes
              where quote_id <> $1 and source_payment_account_id ${condition} $2 order by quote_id`,
      values: [quoteId, wallet],
    })
    return rows.map(({ id }) => id)
  }
  const [many, hot] = [await list('<>'), await list('=')]
  await owner.query({ text: 'vacuum analyze' })
  await owner.close()
  return { organizationId, many, hot }
}

/** Credits each wallet with more than the benchmark can move. */
export async function creditWallets(app: App, owner: Database, organizationId: string): Promise<void> {
  const ids = await owner.query<{ id: string }>({
    text: `select payment_account_id as id from svc.payment_accounts where payment_account_type = 'SVC_CRYPTO_WALLET'`,
  })
  for (let from = 0; from < ids.length; from += 500) {
    const deposits = ids.slice(from, from + 500).map(({ id: paymentAccountId }) => ({
      organizationId,
      reference: `bench:${paymentAccountId}`,
      ...depositToWallet({ paymentAccountId, asset: 'USDC/BASE', amount: 10n ** 15n }),
    }))
    await app.database.inTx((tx) => app.ledger.post(tx, deposits))
  }
}
