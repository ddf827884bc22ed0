import { accountOfEntry, postingKeys } from '../db/checks/posting-keys.ts'
import { type SlicePart, sliceByKeys } from '../db/checks/slices.ts'
import type { Check } from '../db/verify.ts'
import { balanceSlices } from './balance-check-store.ts'
import { foldSlices } from './fold-check-store.ts'
import { accountKeys, entryKeys, reserveKeys } from './slice-store.ts'

/**
 * Creates a check of the ledger. Each statement reads one snapshot of a ledger in use and raises no false alarm. It reads
 * rows by their keys, and tests them afterwards ("offset 0") where an index has only the rows that pass: the planner would
 * read all of those for each row of a slice, if there were none when PostgreSQL last counted.
 */
function check(name: string, ...parts: SlicePart[]): Check {
  return { name, isMoney: true, ...sliceByKeys(parts) }
}

export const ledgerChecks: readonly Check[] = [
  check('postings sum to zero in each asset', {
    keys: entryKeys,
    sql: `select format('posting %s of organization %s is off by %s of %s', slice.posting_id, slice.organization_id,
                        sum(entry.amount), account.asset) as violation, slice.organization_id, account.asset
            from slice
            join svc.entries as entry on entry.organization_id = slice.organization_id
             and entry.posting_id = slice.posting_id
            join svc.ledger_accounts as account on account.organization_id = entry.organization_id
             and account.account_id = entry.account_id
           group by slice.organization_id, slice.posting_id, account.asset having sum(entry.amount) <> 0`,
  }),
  check('every entry has its posting and its account, and every posting its entries', {
    keys: entryKeys,
    sql: `select format('entry %s of posting %s of organization %s has no account', entry.entry_number,
                        slice.posting_id, slice.organization_id) as violation, slice.organization_id, null as asset
            from slice
            join svc.entries as entry on entry.organization_id = slice.organization_id
             and entry.posting_id = slice.posting_id
           where not exists (
                 select from svc.ledger_accounts as account
                  where account.organization_id = entry.organization_id and account.account_id = entry.account_id)
           union all
          select format('posting %s of organization %s does not exist, but has entries', slice.posting_id,
                        slice.organization_id), slice.organization_id, null
            from slice
           where not exists (
                 select from svc.postings as posting
                  where posting.organization_id = slice.organization_id and posting.posting_id = slice.posting_id)
           union all
          select format('posting %s of organization %s has no entries', slice.posting_id, slice.organization_id),
                 slice.organization_id, null
            from slice
           where not exists (
                 select from svc.entries as entry
                  where entry.organization_id = slice.organization_id and entry.posting_id = slice.posting_id)`,
  }),
  check('postings are unaltered since they were written', {
    keys: postingKeys,
    sql: `select format('posting %s of organization %s was altered', slice.posting_id, slice.organization_id)
                 as violation, slice.organization_id, written.asset
            from slice
            join svc.postings as posting on posting.organization_id = slice.organization_id
             and posting.posting_id = slice.posting_id
           cross join lateral (
                 select string_agg(concat_ws(' ', kind, holder, asset, amount), e'\\n' order by entry_number) as entries,
                        case when min(asset) = max(asset) then min(asset) end as asset
                   from svc.entries as entry
                  ${accountOfEntry}
                  where entry.organization_id = slice.organization_id and entry.posting_id = slice.posting_id
                 ) as written
           where posting.content_hash is distinct from
                 svc.hash_posting(posting.organization_id, posting.reference, posting.fact, posting.captures,
                                  written.entries)`,
  }),
  check('a fact is posted once', {
    keys: postingKeys,
    sql: `select format('reference %s of organization %s was posted more than once', posting.reference,
                        slice.organization_id) as violation, slice.organization_id
            from slice
            join svc.postings as posting on posting.organization_id = slice.organization_id
             and posting.posting_id = slice.posting_id
            join svc.postings as other on other.organization_id = posting.organization_id
             and other.reference = posting.reference and other.posting_id <> posting.posting_id`,
  }),
  {
    name: 'customer balances are the sum of their entries, whose sequence has no gap',
    isMoney: true,
    ...balanceSlices,
  },
  check('each statement balance follows from the one before', {
    keys: entryKeys,
    sql: `select format('entry %s of account %s of organization %s shows the balance %s', entry.account_sequence,
                        entry.account_id, entry.organization_id, entry.balance) as violation,
                 entry.organization_id, account.asset
            from slice
           cross join lateral (
                 select organization_id, account_id, account_sequence, amount, balance from svc.entries as entry
                  where entry.organization_id = slice.organization_id and entry.posting_id = slice.posting_id
                 offset 0) as entry
            left join svc.ledger_accounts as account on account.organization_id = entry.organization_id
             and account.account_id = entry.account_id
            left join svc.entries as before on before.organization_id = entry.organization_id
             and before.account_id = entry.account_id and before.account_sequence = entry.account_sequence - 1
           where entry.account_sequence is not null and entry.balance is distinct from
                 case when entry.account_sequence = 1 then entry.amount else before.balance + entry.amount end`,
  }),
  check('no customer balance is below its reserved amount', {
    keys: accountKeys,
    sql: `select format('account %s of organization %s has %s, of which %s are reserved', account.account_id,
                        account.organization_id, posted, reserved) as violation, account.organization_id, account.asset
            from slice
            join svc.ledger_accounts as account on account.organization_id = slice.organization_id
             and account.account_id = slice.account_id
           where (reserved < 0 or posted < reserved) and (keeps_balance or reserved <> 0)`,
  }),
  check('reserved amounts are the sum of open reserves', {
    keys: accountKeys,
    sql: `select format('account %s of organization %s has %s reserved, and open reserves of %s', account.account_id,
                        account.organization_id, account.reserved, coalesce(open.amount, 0)) as violation,
                 account.organization_id, account.asset
            from slice
            join svc.ledger_accounts as account on account.organization_id = slice.organization_id
             and account.account_id = slice.account_id
           cross join lateral (
                 select sum(amount) as amount from svc.reserves as reserve
                  where reserve.organization_id = account.organization_id and reserve.account_id = account.account_id
                    and reserve.status = 'OPEN') as open
           where account.reserved <> coalesce(open.amount, 0)`,
  }),
  check(
    'a reserve is captured at most once, by the posting that took its money',
    {
      keys: reserveKeys,
      sql: `select format('reserve %s of organization %s is %s, %s postings captured it, for %s of %s',
                          reserve.reserve_id, reserve.organization_id, reserve.status, coalesce(taken.postings, 0),
                          coalesce(taken.amount, 0), reserve.amount) as violation, reserve.organization_id,
                   account.asset
              from slice
              join svc.reserves as reserve on reserve.organization_id = slice.organization_id
               and reserve.reserve_id = slice.reserve_id
              left join svc.ledger_accounts as account on account.organization_id = reserve.organization_id
               and account.account_id = reserve.account_id
             cross join lateral (
                   select count(distinct posting.posting_id) as postings, -sum(entry.amount) as amount
                     from svc.postings as posting
                     join svc.entries as entry on entry.organization_id = posting.organization_id
                      and entry.posting_id = posting.posting_id
                    where posting.organization_id = reserve.organization_id and posting.captures = reserve.reference
                      and entry.account_id = reserve.account_id) as taken
             where (reserve.status = 'CAPTURED')::int <> coalesce(taken.postings, 0)
                or reserve.captured <> coalesce(taken.amount, 0) or reserve.captured > reserve.amount`,
    },
    {
      keys: postingKeys,
      sql: `select format('posting %s of organization %s captured a reserve that does not exist', posting.posting_id,
                          posting.organization_id) as violation, posting.organization_id
              from slice
             cross join lateral (
                   select organization_id, posting_id, captures from svc.postings as posting
                    where posting.organization_id = slice.organization_id and posting.posting_id = slice.posting_id
                   offset 0) as posting
             where posting.captures is not null and not exists (
                   select from svc.reserves as reserve
                    where reserve.organization_id = posting.organization_id and reserve.reference = posting.captures)`,
    },
  ),
  { name: 'folded balances are the sum of their entries', isMoney: true, ...foldSlices },
  check('lines of bank accounts are their folded entries', {
    keys: entryKeys,
    sql: `select format('entry %s of posting %s of organization %s is %s, and its line %s', entry.entry_number,
                        slice.posting_id, slice.organization_id, entry.amount, coalesce(line.amount::text, 'missing'))
                 as violation, slice.organization_id, account.asset
            from slice
            join svc.entries as entry on entry.organization_id = slice.organization_id
             and entry.posting_id = slice.posting_id
           ${accountOfEntry}
            left join svc.ledger_lines as line on line.organization_id = entry.organization_id
             and line.posting_id = entry.posting_id and line.entry_number = entry.entry_number
           where account.kind = 'BANK'
             and (line.amount, line.holder, line.asset) is distinct from (entry.amount, account.holder, account.asset)
             and not exists (
                 select from svc.unfolded_postings as unfolded
                  where unfolded.organization_id = slice.organization_id and unfolded.posting_id = slice.posting_id)
           union all
          select format('line %s of posting %s of organization %s has no entry of a bank account', line.entry_number,
                        slice.posting_id, slice.organization_id), slice.organization_id, line.asset
            from slice
            join svc.ledger_lines as line on line.organization_id = slice.organization_id
             and line.posting_id = slice.posting_id
           where not exists (
                 select from svc.entries as entry
                  ${accountOfEntry}
                  where entry.organization_id = line.organization_id and entry.posting_id = line.posting_id
                    and entry.entry_number = line.entry_number and account.kind = 'BANK')`,
  }),
]
