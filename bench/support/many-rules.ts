import type { App } from '../../src/app.ts'
import type { Database } from '../../src/db/database.ts'
import { depositToWallet } from '../../src/ledger/postings.ts'
import { type Calls, makeWalletQuote } from './customers.ts'
import type { BenchDatabase } from './database.ts'

type Places = { database: BenchDatabase; owner: Database; calls: Calls }
type Wanted = { rules: number; wallets: number; quoteCount: number }

/** One customer with wallet, quote and rule, made as anybody makes them, and then as many copies as are needed. */
export async function fillWithRules(app: App, { database, owner, calls }: Places, wanted: Wanted) {
  const { rules, wallets, quoteCount } = wanted
  await app.rates.refresh()
  await app.rates.load()
  const made = await makeWalletQuote(database, calls)
  const { organizationId, customerId, wallet, quoteId } = made
  const rule = await makeRule(calls, made)
  const copy = (table: string, key: string, id: string, count: number, more: string) =>
    owner.query({
      text: `insert into svc.${table}
             select (jsonb_populate_record(original, jsonb_build_object(${more}))).*
               from svc.${table} as original, generate_series(1, $2) as number where ${key} = $1`,
      values: [id, count],
    })
  const idOf = (kind: string) => `md5('${kind} ' || number % ${wallets})::uuid`
  const ofCustomer = `'customer_id', ${idOf('customer')}`
  const fromWallet = `${ofCustomer}, 'source_payment_account_id', ${idOf('wallet')}`
  await copy('customers', 'customer_id', customerId, wallets, ofCustomer)
  const account = `${ofCustomer}, 'payment_account_id', ${idOf('wallet')}`
  await copy('payment_accounts', 'payment_account_id', wallet, wallets, account)
  const bank = `${ofCustomer}, 'payment_account_id', ${idOf('bank')}`
  await copy('payment_accounts', 'payment_account_id', made.bank, wallets, bank)
  const toBank = `'destination_payment_account_id', ${idOf('bank')}`
  const later = `'expires_at', original.expires_at + interval '2 days'`
  const quote = `'quote_id', md5('quote ' || number)::uuid, ${fromWallet}, ${toBank}, ${later}`
  await copy('quotes', 'quote_id', quoteId, quoteCount, quote)
  await copy(
    'automation_rules',
    'rule_id',
    rule.id,
    rules - 1,
    `'rule_id', md5('rule ' || number)::uuid, ${fromWallet}, ${toBank}`,
  )
  await creditWallets(app, owner, organizationId)
  const quotes = await owner.query<{ id: string }>({
    text: 'select quote_id as id from svc.quotes where quote_id <> $1 order by quote_id',
    values: [quoteId],
  })
  await owner.query({ text: 'vacuum analyze' })
  return { quotes: quotes.map(({ id }) => id), dueAt: new Date(rule.nextRunAt) }
}

type Made = Awaited<ReturnType<typeof makeWalletQuote>>

/** A dollar's worth to the bank, every day at noon. */
async function makeRule({ send }: Calls, { customerId, wallet, bank }: Made) {
  const source = { sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const destination = {
    ...{ destinationPaymentAccountId: bank, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH' },
  }
  const { id = '', nextRunAt = '' } = await send('POST', '/automation-rules', {
    ...{ name: 'Every day', customerId, trigger: { type: 'TIME_BASED', cronSchedule: '0 12 * * *' } },
    transactionTemplate: { source, destination, amount: { type: 'FLAT', value: '1' } },
  })
  return { id, nextRunAt }
}

/** More in each wallet than its rules and quotes can move. */
async function creditWallets(app: App, owner: Database, organizationId: string): Promise<void> {
  const ids = await owner.query<{ id: string }>({
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
