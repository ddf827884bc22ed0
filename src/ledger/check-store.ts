import { type Database, queryWithTimeout } from '../db/database.ts'
import type { Violation } from '../db/verify.ts'

/**
 * An invariant of the ledgers of the organizations in $1. Returns one row per violation, named by ids. It is a single
 * statement, so it reads one snapshot of a ledger in use and raises no false alarm.
 */
export type Invariant = { name: string; sql: string }

export const ledgerInvariants: readonly Invariant[] = [
  {
    name: 'postings sum to zero in each asset',
    sql: `select format('posting %s of organization %s is off by %s of %s', entry.posting_id, entry.organization_id,
                        sum(entry.amount), account.asset) as violation,
                 entry.organization_id, account.asset
            from svc.entries as entry
            join svc.ledger_accounts as account using (organization_id, account_id)
           where entry.organization_id = any($1)
           group by entry.organization_id, entry.posting_id, account.asset having sum(entry.amount) <> 0`,
  },
  {
    name: 'every entry has its posting and its account, and every posting its entries',
    sql: `select format('entry %s of posting %s of organization %s has no posting or no account', entry.entry_number,
                        entry.posting_id, entry.organization_id) as violation,
                 entry.organization_id, account.asset
            from svc.entries as entry
            left join svc.postings as posting using (organization_id, posting_id)
            left join svc.ledger_accounts as account using (organization_id, account_id)
           where entry.organization_id = any($1) and (posting.reference is null or account.kind is null)
           union all
          select format('posting %s of organization %s has no entries', posting.posting_id, posting.organization_id),
                 posting.organization_id, null
            from svc.postings as posting
            left join svc.entries as entry using (organization_id, posting_id)
           where posting.organization_id = any($1) and entry.entry_number is null`,
  },
  {
    name: 'postings are unaltered since they were written',
    sql: `select format('posting %s of organization %s was altered', posting.posting_id, posting.organization_id)
                 as violation, posting.organization_id
            from svc.postings as posting
            left join (
                 select entry.organization_id, entry.posting_id,
                        string_agg(concat_ws(' ', kind, holder, asset, amount), e'\\n' order by entry_number) as entries
                   from svc.entries as entry
                   join svc.ledger_accounts as account using (organization_id, account_id)
                  where entry.organization_id = any($1) group by entry.organization_id, entry.posting_id
                 ) as written using (organization_id, posting_id)
           where posting.organization_id = any($1)
             and posting.content_hash is distinct from
                 svc.hash_posting(posting.organization_id, reference, fact, captures, written.entries)`,
  },
  {
    name: 'a fact is posted once',
    sql: `select format('reference %s of organization %s was posted %s times', reference, organization_id, count(*))
                 as violation, organization_id
            from svc.postings where organization_id = any($1)
           group by organization_id, reference having count(*) > 1`,
  },
  {
    name: 'customer balances are the sum of their entries, whose sequence has no gap',
    sql: `select format('account %s of organization %s has %s after %s entries; its %s entries, up to %s, sum to %s',
                        account.account_id, account.organization_id, account.posted, account.entry_count,
                        coalesce(found.entries, 0), coalesce(found.highest, 0), coalesce(found.amount, 0)) as violation,
                 account.organization_id, account.asset
            from svc.ledger_accounts as account
            left join (
                 select organization_id, account_id, sum(amount) as amount, count(*) as entries,
                        max(account_sequence) as highest
                   from svc.entries where organization_id = any($1) and account_sequence is not null
                  group by organization_id, account_id) as found using (organization_id, account_id)
           where account.organization_id = any($1) and account.keeps_balance
             and (account.posted, account.entry_count, account.entry_count) is distinct from
                 (coalesce(found.amount, 0), coalesce(found.entries, 0), coalesce(found.highest, 0))`,
  },
  {
    name: 'each statement balance follows from the one before',
    sql: `select format('entry %s of account %s of organization %s shows the balance %s', account_sequence, account_id,
                        organization_id, balance) as violation, organization_id
            from (select organization_id, account_id, account_sequence, balance,
                         sum(amount) over (partition by organization_id, account_id order by account_sequence) as summed
                    from svc.entries where organization_id = any($1) and account_sequence is not null) as lines
           where balance is distinct from summed`,
  },
  {
    name: 'no customer balance is below its reserved amount',
    sql: `select format('account %s of organization %s has %s, of which %s are reserved', account_id, organization_id,
                        posted, reserved) as violation, organization_id, asset
            from svc.ledger_accounts
           where organization_id = any($1) and (reserved < 0 or posted < reserved) and (keeps_balance or reserved <> 0)`,
  },
  {
    name: 'reserved amounts are the sum of open reserves',
    sql: `select format('account %s of organization %s has %s reserved, and open reserves of %s', account.account_id,
                        account.organization_id, account.reserved, coalesce(open.amount, 0)) as violation,
                 account.organization_id, account.asset
            from svc.ledger_accounts as account
            left join (
                 select organization_id, account_id, sum(amount) as amount
                   from svc.reserves where organization_id = any($1) and status = 'OPEN'
                  group by organization_id, account_id) as open using (organization_id, account_id)
           where account.organization_id = any($1) and account.reserved <> coalesce(open.amount, 0)`,
  },
  {
    name: 'a reserve is captured at most once, by the posting that took its money',
    sql: `select format('reserve %s of organization %s is %s, %s postings captured it, for %s of %s',
                        reserve.reserve_id, reserve.organization_id, reserve.status, coalesce(taken.postings, 0),
                        coalesce(taken.amount, 0), reserve.amount) as violation, reserve.organization_id
            from svc.reserves as reserve
            left join (
                 select posting.organization_id, posting.captures as reference, entry.account_id,
                        count(distinct posting.posting_id) as postings, -sum(entry.amount) as amount
                   from svc.postings as posting
                   join svc.entries as entry using (organization_id, posting_id)
                  where posting.organization_id = any($1) and posting.captures is not null
                  group by posting.organization_id, posting.captures, entry.account_id
                 ) as taken using (organization_id, reference, account_id)
           where reserve.organization_id = any($1)
             and ((reserve.status = 'CAPTURED')::int <> coalesce(taken.postings, 0)
                  or reserve.captured <> coalesce(taken.amount, 0) or reserve.captured > reserve.amount)
           union all
          select format('posting %s of organization %s captured a reserve that does not exist', posting.posting_id,
                        posting.organization_id), posting.organization_id
            from svc.postings as posting
            left join svc.reserves as reserve on reserve.organization_id = posting.organization_id
             and reserve.reference = posting.captures
           where posting.organization_id = any($1) and posting.captures is not null and reserve.reserve_id is null`,
  },
  {
    name: 'folded balances are the sum of their entries',
    sql: `select format('account %s of organization %s was folded to %s in %s entries; they are %s in %s',
                        account.account_id, account.organization_id, account.posted, account.entry_count,
                        coalesce(found.amount, 0), coalesce(found.entries, 0)) as violation,
                 account.organization_id, account.asset
            from svc.ledger_accounts as account
            left join (
                 select entry.organization_id, entry.account_id, sum(entry.amount) as amount, count(*) as entries
                   from svc.entries as entry
                   left join svc.unfolded_postings as unfolded on unfolded.organization_id = entry.organization_id
                    and unfolded.posting_id = entry.posting_id
                  where entry.organization_id = any($1) and unfolded.posting_id is null
                  group by entry.organization_id, entry.account_id) as found using (organization_id, account_id)
           where account.organization_id = any($1) and not account.keeps_balance
             and (account.posted, account.entry_count) is distinct from
                 (coalesce(found.amount, 0), coalesce(found.entries, 0))`,
  },
]

/** Longer than any check takes today. */
const timeoutMs = 600_000
const maxShown = 20

/** Finds violations of these organizations. Every violation names its organization, and its asset where there is one. */
export async function findViolations(
  database: Database,
  { sql }: Invariant,
  organizationIds: readonly string[],
): Promise<Violation[]> {
  type Found = { violation: string; organization_id: string; asset?: string | null }
  const text = `select to_jsonb(violations) as found from (${sql}) as violations limit ${maxShown}`
  const rows = await queryWithTimeout<{ found: Found }>(database, { text, values: [organizationIds] }, timeoutMs)
  return rows.map(({ found: { violation, organization_id: organizationId, asset } }) => ({
    violation,
    organizationId,
    ...(asset ? { asset } : {}),
  }))
}

/** Lists every organization in any ledger table, so that a check also finds orphaned rows. */
export async function listOrganizations(database: Database): Promise<string[]> {
  const rows = await queryWithTimeout<{ organizationId: string }>(
    database,
    {
      text: `select organization_id as "organizationId" from svc.ledger_accounts
              union select organization_id from svc.postings union select organization_id from svc.entries
              union select organization_id from svc.reserves order by 1`,
    },
    timeoutMs,
  )
  return rows.map(({ organizationId }) => organizationId)
}
