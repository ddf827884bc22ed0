import type { App } from '../../src/app.ts'
import type { Database } from '../../src/db/database.ts'
import type { Calls } from './customers.ts'
import type { BenchDatabase } from './database.ts'
import { copyCustomers, creditWallets, laterExpiry } from './wallets.ts'

type Places = { database: BenchDatabase; owner: Database; calls: Calls }
type Wanted = { rules: number; wallets: number; quoteCount: number }

/** Fills the database with wallets, rules and quotes. Creates one of each through the API and copies the rows. */
export async function fillWithRules(app: App, places: Places, { rules, wallets, quoteCount }: Wanted) {
  const { owner, calls } = places
  const { made, copy, ofCopies } = await copyCustomers(app, places, wallets)
  const rule = await makeRule(calls, made)
  const quote = { quote_id: `md5('quote ' || number)::uuid`, ...ofCopies, ...laterExpiry }
  await copy('quotes', 'quote_id', made.quoteId, quoteCount, quote)
  const copied = { rule_id: `md5('rule ' || number)::uuid`, ...ofCopies }
  await copy('automation_rules', 'rule_id', rule.id, rules - 1, copied)
  await creditWallets(app, owner, made.organizationId)
  const quotes = await owner.query<{ id: string }>({
    text: 'select quote_id as id from svc.quotes where quote_id <> $1 order by quote_id',
    values: [made.quoteId],
  })
  await owner.query({ text: 'vacuum analyze' })
  return { quotes: quotes.map(({ id }) => id), dueAt: new Date(rule.nextRunAt) }
}

type Made = Awaited<ReturnType<typeof copyCustomers>>['made']

/** Creates a rule that sends a dollar's worth to the bank every day at noon. */
export async function makeRule(
  { send }: Calls,
  { customerId, wallet, bank }: Pick<Made, 'customerId' | 'wallet' | 'bank'>,
) {
  const source = { sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const destination = {
    destinationPaymentAccountId: bank,
    destinationCurrency: 'USD',
    destinationPaymentMethod: 'ACH',
  }
  const { id = '', nextRunAt = '' } = await send('POST', '/automation-rules', {
    name: 'Every day',
    customerId,
    trigger: { type: 'TIME_BASED', cronSchedule: '0 12 * * *' },
    transactionTemplate: { source, destination, amount: { type: 'FLAT', value: '1' } },
  })
  return { id, nextRunAt }
}
