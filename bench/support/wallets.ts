import type { App } from '../../src/app.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { depositToWallet } from '../../src/ledger/postings.ts'
import { type Calls, makeWalletQuote } from './customers.ts'
import type { BenchDatabase } from './database.ts'

/**
 * One customer with a wallet and a quote, made as anybody makes them, and then as many copies as are needed; quotes
 * over all of the wallets, and as many over one of them.
 */
export async function fillWallets(
  app: App,
  bench: BenchDatabase,
  calls: Calls,
  { wallets, quoteCount }: { wallets: number; quoteCount: number },
) {
  await app.rates.refresh()
  await app.rates.load()
  const { organizationId, customerId, wallet, bank, quoteId } = await makeWalletQuote(bench, calls)
  const database = openDatabase({ connection: bench.owner, statementTimeoutMs: 600_000 })
  const copy = (table: string, key: string, id: string, count: number, more: string) =>
    database.query({
      text: `insert into svc.${table}
             select (jsonb_populate_record(original, jsonb_build_object(${more}))).*
               from svc.${table} as original, generate_series(1, $2) as number where ${key} = $1`,
      values: [id, count],
    })
  const idOf = (kind: string) => `md5('${kind} ' || number % ${wallets})::uuid`
  await copy('customers', 'customer_id', customerId, wallets, `'customer_id', ${idOf('customer')}`)
  const account = (kind: string) => `'payment_account_id', ${idOf(kind)}, 'customer_id', ${idOf('customer')}`
  await copy('payment_accounts', 'payment_account_id', wallet, wallets, account('wallet'))
  await copy('payment_accounts', 'payment_account_id', bank, wallets, account('bank'))
  const sides = `'source_payment_account_id', ${idOf('wallet')}, 'destination_payment_account_id', ${idOf('bank')}`
  const owned = `'customer_id', ${idOf('customer')}, ${sides}`
  const times = `'expires_at', original.expires_at + interval '1 day'`
  const named = (prefix: string) => `'quote_id', md5('${prefix} ' || number)::uuid`
  await copy('quotes', 'quote_id', quoteId, quoteCount, `${named('hot')}, ${times}`)
  await copy('quotes', 'quote_id', quoteId, quoteCount, `${named('many')}, ${owned}, ${times}`)
  await pay(app, database, organizationId)
  const list = async (condition: string) => {
    const rows = await database.query<{ id: string }>({
      text: `select quote_id as id from svc.quotes
              where quote_id <> $1 and source_payment_account_id ${condition} $2 order by quote_id`,
      values: [quoteId, wallet],
    })
    return rows.map(({ id }) => id)
  }
  const [many, hot] = [await list('<>'), await list('=')]
  await database.query({ text: 'vacuum analyze' })
  await database.close()
  return { organizationId, many, hot }
}

async function pay(app: App, database: Database, organizationId: string): Promise<void> {
  const ids = await database.query<{ id: string }>({
    text: `select payment_account_id as id from svc.payment_accounts where payment_account_type = 'SVC_CRYPTO_WALLET'`,
  })
  for (let from = 0; from < ids.length; from += 500) {
    const deposits = ids.slice(from, from + 500).map(({ id: paymentAccountId }) => ({
      ...{ organizationId, reference: `bench:${paymentAccountId}` },
      ...depositToWallet({ paymentAccountId, asset: 'USDC/BASE', amount: 10n ** 15n }),
    }))
    await app.database.transaction((transaction) => app.ledger.post(transaction, deposits))
  }
}
