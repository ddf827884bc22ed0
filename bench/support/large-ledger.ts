import { type Database, openDatabase } from '../../src/db/database.ts'
import type { BenchDatabase } from './database.ts'

const organizations = 10
const wallets = 10_000
/** The first deposit of each wallet: more than its transactions spend. */
const funds = 1_000_000_000
const perStatement = 25_000
const writers = 4

/** The 12 entries of a payout from a wallet to a bank, by posting: capture, conversion and payout. */
const postings = [
  { step: 'capture', fact: 'CAPTURE', entries: ['wallet -1000', 'clearing 1000', 'treasury -1000', 'custody 1000'] },
  {
    step: 'conversion',
    fact: 'CONVERSION',
    entries: ['clearing -1000', 'revenue 10', 'fees 5', 'position 985', 'position_usd -98', 'clearing_usd 98'],
  },
  { step: 'payout', fact: 'PAYOUT', entries: ['clearing_usd -98', 'bank 98'] },
] as const

const token = 'USDC/BASE'
/** The accounts of each organization: kind, holder, asset. */
const accounts = {
  clearing: ['CLEARING', '', token],
  treasury: ['TREASURY', '', token],
  custody: ['CUSTODY', '', token],
  revenue: ['FEE_REVENUE', '', token],
  fees: ['DEVELOPER_FEES', '', token],
  position: ['FX_POSITION', '', token],
  position_usd: ['FX_POSITION', '', 'USD'],
  clearing_usd: ['CLEARING', '', 'USD'],
  bank: ['BANK', 'usd-main', 'USD'],
  suspense: ['SUSPENSE', '', 'USD'],
  own_funds: ['OWN_FUNDS', '', 'USD'],
} as const
type Account = keyof typeof accounts

/**
 * Fills a new database with completed transactions by SQL: every hash, sequence, balance, reserve and payout is as the
 * service would have written it. Also adds unmatched deposits, one for every 500 transactions.
 */
export async function fillLedger(
  bench: BenchDatabase,
  transactions: number,
  onProgress: (line: string) => void,
): Promise<Database> {
  const owner = openDatabase({ connection: bench.owner, statementTimeoutMs: 3_600_000, connections: writers })
  const run = (text: string) => owner.query({ text })
  await run(`create function public.bench_id(kind integer, number bigint) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from timestamptz '2026-01-01') * 1000)::bigint + number / 100), 12, '0')
            || '7' || lpad(to_hex(kind), 3, '0') || '8000' || lpad(to_hex(number), 12, '0'))::uuid $$`)
  await makeAccounts(run)
  const restoreIndexes = await dropIndexes(owner)
  await addFunds(run, transactions)
  let [from, done] = [0, 0]
  const write = async () => {
    while (from < transactions) {
      const first = from
      from = Math.min(transactions, from + perStatement)
      const last = from
      await addTransactions(run, first, last)
      done += last - first
      onProgress(`${done} transactions`)
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  await addDeposits(run, Math.ceil(transactions / 500))
  await restoreIndexes()
  onProgress('indexes')
  await run(`update svc.ledger_accounts as account set posted = sums.amount, entry_count = sums.entries
               from (select organization_id, account_id, sum(amount) as amount, count(*) as entries from svc.entries
                      group by organization_id, account_id) as sums
              where account.organization_id = sums.organization_id and account.account_id = sums.account_id`)
  await run(`insert into svc.liquidity (organization_id, holding, asset, available)
             select organization_id, case asset when 'USD' then 'usd-main' else 'TREASURY' end, asset, -sum(posted)
               from svc.ledger_accounts
              where kind in ('BANK', 'TREASURY', 'CUSTODY', 'WALLET', 'SUSPENSE', 'RETURNED_FUNDS', 'CLEARING')
              group by organization_id, asset`)
  onProgress('balances')
  await run('vacuum analyze')
  return owner
}

type Run = (text: string) => Promise<unknown>

/** Drops the indexes of the large tables, which are built faster at the end. Answers how to restore them. */
async function dropIndexes(owner: Database): Promise<() => Promise<void>> {
  const found = await owner.query<{ drop: string; restore: string }>({
    text: `select case when limits.oid is null then format('drop index svc.%I', index.relname)
                       else format('alter table svc.%I drop constraint %I', owned.relname, limits.conname) end as drop,
                  case when limits.oid is null then pg_get_indexdef(index.oid)
                       else format('alter table svc.%I add constraint %I %s', owned.relname, limits.conname,
                                   pg_get_constraintdef(limits.oid)) end as restore
             from pg_index
             join pg_class as index on index.oid = indexrelid
             join pg_class as owned on owned.oid = indrelid
             left join pg_constraint as limits on limits.conindid = indexrelid
            where owned.relnamespace = 'svc'::regnamespace
              and owned.relname in ('entries', 'postings', 'reserves', 'transactions', 'payouts')`,
  })
  for (const { drop } of found) await owner.query({ text: drop })
  return async () => {
    for (const { restore } of found) await owner.query({ text: restore })
  }
}

async function makeAccounts(run: Run): Promise<void> {
  const columns = Object.keys(accounts).map((name, index) => `bench_id(${index + 16}, place) as ${name}`)
  await run(`create table public.bench_organizations as
             select place, bench_id(1, place) as organization_id, ${columns.join(', ')}
               from generate_series(0, ${organizations - 1}) as place`)
  await run(`create table public.bench_wallets as
             select wallet, wallet % ${organizations} as place, bench_id(2, wallet) as account_id,
                    bench_id(3, wallet) as holder
               from generate_series(0, ${wallets - 1}) as wallet`)
  await run('alter table public.bench_wallets add primary key (wallet)')
  await run('alter table public.bench_organizations add primary key (place)')
  for (const [name, [kind, holder, asset]] of Object.entries(accounts)) {
    await run(`insert into svc.ledger_accounts (organization_id, account_id, kind, holder, asset, created_at)
               select organization_id, ${name}, '${kind}', '${holder}', '${asset}', now() from public.bench_organizations`)
  }
  await run(`insert into svc.ledger_accounts (organization_id, account_id, kind, holder, asset, created_at)
             select organization_id, account_id, 'WALLET', holder::text, '${token}', now()
               from public.bench_wallets join public.bench_organizations using (place)`)
}

/** SQL of the line of an entry in the content of a posting. */
function lineOf(entry: string): string {
  const [account = '', amount] = entry.split(' ')
  if (account === 'wallet') return `'WALLET ' || wallets.holder || ' ${token} ${amount}'`
  const [kind, holder, asset] = accounts[account as Account]
  return `'${kind} ${holder} ${asset} ${amount}'`
}

function hashOf(reference: string, fact: string, captures: string, entries: readonly string[]): string {
  const lines = entries.map(lineOf).join(` || e'\\n' || `)
  return `svc.hash_posting(tenant.organization_id, ${reference}, '${fact}', ${captures}, ${lines})`
}

async function addTransactions(run: Run, from: number, to: number): Promise<void> {
  const tables = `generate_series(${from}::bigint, ${to - 1}) as number
             join public.bench_wallets as wallets on wallets.wallet = number % ${wallets}
             join public.bench_organizations as tenant on tenant.place = wallets.place`
  for (const [place, { step, fact, entries }] of postings.entries()) {
    const reference = `'transaction:' || bench_id(4, number) || ':${step}'`
    const captures = step === 'capture' ? `'transaction:' || bench_id(4, number) || ':source'` : 'null'
    await run(`insert into svc.postings (organization_id, posting_id, reference, fact, captures, content_hash, created_at)
               select tenant.organization_id, bench_id(5, number * 3 + ${place}), ${reference}, '${fact}', ${captures},
                      ${hashOf(reference, fact, captures, entries)}, now()
                 from ${tables}`)
    const rows = entries.map((entry, index) => {
      const [account, amount] = entry.split(' ')
      if (account !== 'wallet')
        return `(${index + 1}, tenant.${account}, ${amount}::numeric, null::bigint, null::numeric)`
      const earlier = `number / ${wallets}`
      return `(${index + 1}, wallets.account_id, ${amount}, ${earlier} + 2, ${funds} - 1000 * (${earlier} + 1))`
    })
    await run(`insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount, account_sequence, balance)
               select tenant.organization_id, bench_id(5, number * 3 + ${place}), entry.line, entry.account_id,
                      entry.amount, entry.sequence, entry.balance
                 from ${tables}
                cross join lateral (values ${rows.join(', ')})
                      as entry (line, account_id, amount, sequence, balance)`)
  }
  await run(`insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, status, captured,
                    posting_id, created_at, resolved_at)
             select tenant.organization_id, bench_id(6, number), 'transaction:' || bench_id(4, number) || ':source',
                    wallets.account_id, 1000, 'CAPTURED', 1000, bench_id(5, number * 3), now(), now()
               from ${tables}`)
  await run(`insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
                    source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
                    destination_payment_account_id, is_to_wallet, destination_asset, destination_method,
                    destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts,
                    status_history, status_written_at, step, created_at, updated_at)
             select tenant.organization_id, bench_id(4, number), wallets.holder, bench_id(7, number), 'COMPLETED',
                    wallets.holder, true, '${token}', 'BASE', 1000, wallets.holder, false, 'USD', 'ACH', 98, '0.1', 10, 5,
                    true, now(), '{}', '{}', '{}', 'DONE', now(), now()
               from ${tables}`)
  await run(`insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset,
                    amount, payment_account_id, pays_from, status, attempts, seal, created_at, resolved_at)
             select tenant.organization_id, bench_id(8, number), bench_id(4, number), wallets.holder, 'PAYOUT', 'ACH',
                    'USD', 98, wallets.holder, 'usd-main', 'CONFIRMED', 1, '\\x00', now(), now()
               from ${tables}`)
}

/** Funds every wallet, and the bank accounts and treasuries. */
async function addFunds(run: Run, transactions: number): Promise<void> {
  const tables = `public.bench_wallets as wallets
             join public.bench_organizations as tenant on tenant.place = wallets.place`
  const entries = [`custody -${funds}`, `wallet ${funds}`]
  const reference = `'wallet ' || wallets.wallet`
  await run(`insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
             select tenant.organization_id, bench_id(9, wallet), ${reference}, 'DEPOSIT',
                    ${hashOf(reference, 'DEPOSIT', 'null', entries)}, now() from ${tables}`)
  await run(`insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount, account_sequence, balance)
             select tenant.organization_id, bench_id(9, wallet), 1, tenant.custody, -${funds}, null, null from ${tables}
              union all
             select tenant.organization_id, bench_id(9, wallet), 2, wallets.account_id, ${funds}, 1, ${funds} from ${tables}`)
  const own = transactions * 100
  const funding = [`bank -${own}`, `own_funds ${own}`]
  await run(`insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
             select tenant.organization_id, bench_id(10, tenant.place), 'funding', 'FUNDING',
                    ${hashOf(`'funding'`, 'FUNDING', 'null', funding)}, now() from public.bench_organizations as tenant`)
  await run(`insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount)
             select organization_id, bench_id(10, place), 1, bank, -${own} from public.bench_organizations
              union all
             select organization_id, bench_id(10, place), 2, own_funds, ${own} from public.bench_organizations`)
}

async function addDeposits(run: Run, count: number): Promise<void> {
  const tables = `generate_series(0::bigint, ${count - 1}) as number
             join public.bench_organizations as tenant on tenant.place = number % ${organizations}`
  const reference = `'deposit:' || bench_id(11, number) || ':received'`
  await run(`insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
                    seen_at, created_at, updated_at)
             select tenant.organization_id, bench_id(11, number), 'ACH', 'bench ' || number, 'USD', 500, 'usd-main',
                    'UNMATCHED', now(), now(), now() from ${tables}`)
  await run(`insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
             select tenant.organization_id, bench_id(12, number), ${reference}, 'DEPOSIT',
                    ${hashOf(reference, 'DEPOSIT', 'null', ['bank -500', 'suspense 500'])}, now() from ${tables}`)
  await run(`insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount)
             select tenant.organization_id, bench_id(12, number), 1, tenant.bank, -500 from ${tables}
              union all
             select tenant.organization_id, bench_id(12, number), 2, tenant.suspense, 500 from ${tables}`)
}
