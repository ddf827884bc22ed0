import type { App } from '../../src/app.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { depositToWallet } from '../../src/ledger/postings.ts'
import { type Calls, makeWalletQuote } from './customers.ts'
import type { BenchDatabase } from './database.ts'

/** The columns in which copies differ from their original, in SQL: `number` is that of the copy. */
export type Differences = Readonly<Record<string, string>>

/** Copies one row of a table `count` times. */
export async function copyRow(
  owner: Database,
  table: string,
  original: { key: string; id: string },
  count: number,
  differences: Differences,
): Promise<void> {
  const columns = await listColumns(owner, table)
  await owner.query({
    text: `insert into svc.${table} (${columns.join(', ')})
           select ${columns.map((column) => differences[column] ?? `original.${column}`).join(', ')}
             from svc.${table} as original, generate_series(1, $2) as number where original.${original.key} = $1`,
    values: [original.id, count],
  })
}

/** The columns of a quote, a transaction or a rule that name its customer. */
export function ofCustomer(idOf: (kind: 'customer' | 'wallet' | 'bank') => string): Differences {
  return {
    customer_id: idOf('customer'),
    source_payment_account_id: idOf('wallet'),
    destination_payment_account_id: idOf('bank'),
  }
}

/**
 * Creates a customer with a wallet, a bank account and a quote through the API, and copies the customer with both
 * accounts. `copy` copies a row of any table; `ofCopies` spreads the new rows over the copied customers.
 */
export async function copyCustomers(
  app: App,
  places: { database: BenchDatabase; owner: Database; calls: Calls },
  wallets: number,
) {
  await app.rates.refresh()
  await app.rates.load()
  const made = await makeWalletQuote(places.database, places.calls)
  const copy = (table: string, key: string, id: string, count: number, differences: Differences) =>
    copyRow(places.owner, table, { key, id }, count, differences)
  const idOf = (kind: string) => `md5('${kind} ' || number % ${wallets})::uuid`
  const ofCopies = ofCustomer(idOf)
  await copy('customers', 'customer_id', made.customerId, wallets, { customer_id: idOf('customer') })
  for (const kind of ['wallet', 'bank'] as const) {
    const account = { payment_account_id: idOf(kind), customer_id: idOf('customer') }
    await copy('payment_accounts', 'payment_account_id', made[kind], wallets, account)
  }
  return { made, copy, ofCopies }
}

/** Lists the columns of a table that are not generated. */
async function listColumns(owner: Database, table: string): Promise<string[]> {
  const found = await owner.query<{ column: string }>({
    text: `select quote_ident(attname) as column from pg_attribute
            where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
    values: [`svc.${table}`],
  })
  return found.map(({ column }) => column)
}

/** SQL for an expiry after the end of the benchmark. */
export const laterExpiry: Differences = { expires_at: `original.expires_at + interval '2 days'` }

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
  const named = (prefix: string) => ({ quote_id: `md5('${prefix} ' || number)::uuid`, ...laterExpiry })
  await copy('quotes', 'quote_id', quoteId, quoteCount, named('hot'))
  await copy('quotes', 'quote_id', quoteId, quoteCount, { ...named('many'), ...ofCopies })
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

/** Credits each wallet, or these alone, with more than the benchmark can move. */
export async function creditWallets(
  app: App,
  owner: Database,
  organizationId: string,
  only?: readonly string[],
): Promise<void> {
  const ids = await owner.query<{ id: string }>({
    text: `select payment_account_id as id from svc.payment_accounts
            where payment_account_type = 'SVC_CRYPTO_WALLET' and ($1::uuid[] is null or payment_account_id = any($1))`,
    values: [only ?? null],
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
