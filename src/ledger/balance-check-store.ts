import { type SliceAnswer, type SlicedCheck, sliceByKeys } from '../db/checks/slices.ts'
import { type FoundRow, selectFound, toViolation, type Violation } from '../db/checks/violation.ts'
import type { Queryable } from '../db/database.ts'
import { lowestId } from '../lib/ids.ts'
import { accountKeys } from './slice-store.ts'

/** The last account that was checked; or, inside an account with many entries, the sum so far. */
type BalanceCursor = {
  organizationId: string
  accountId: string
  part?: { sequence: string; amount: string; entries: string }
}
type NextAccount = { organizationId: string; accountId: string; entryCount: string }

const mostAccounts = 5_000
const highestSequence = '9223372036854775807'

/** An account is compared with its last entry; the sequence of entries is another check. */
const lastEntries = sliceByKeys([
  {
    keys: accountKeys,
    sql: `select format('account %s of organization %s has %s after %s entries; its last entry is %s, with a balance of %s',
                        account.account_id, account.organization_id, account.posted, account.entry_count,
                        coalesce(last.account_sequence, 0), coalesce(last.balance, 0)) as violation,
                 account.organization_id, account.asset
            from slice
            join svc.ledger_accounts as account on account.organization_id = slice.organization_id
             and account.account_id = slice.account_id and account.keeps_balance
            left join lateral (
                 select account_sequence, balance from svc.entries as entry
                  where entry.organization_id = account.organization_id and entry.account_id = account.account_id
                    and entry.account_sequence is not null
                  order by entry.account_sequence desc limit 1) as last on true
           where (account.posted, account.entry_count) is distinct from
                 (coalesce(last.balance, 0), coalesce(last.account_sequence, 0))`,
  },
])

/** Sums the entries of each account that keeps a balance. An account with more entries than a slice is read in parts. */
export const balanceSlices: SlicedCheck = {
  recent: lastEntries.recent,
  slice: async (queryable, after, size) => {
    const cursor = (after as BalanceCursor | undefined) ?? { organizationId: lowestId, accountId: lowestId }
    if (cursor.part) return readPart(queryable, cursor, size)
    const accounts = await readNextAccounts(queryable, cursor)
    const [first] = accounts
    if (!first) return { found: [], next: undefined }
    if (BigInt(first.entryCount) > BigInt(size)) {
      const { organizationId, accountId } = first
      return readPart(
        queryable,
        { organizationId, accountId, part: { sequence: '0', amount: '0', entries: '0' } },
        size,
      )
    }
    let [rows, chosen] = [0n, 0]
    while (chosen < accounts.length) {
      rows += BigInt(accounts[chosen]?.entryCount ?? 0) + 1n
      if (chosen > 0 && rows > BigInt(size)) break
      chosen += 1
    }
    const last = accounts[chosen - 1] ?? first
    const next = { organizationId: last.organizationId, accountId: last.accountId }
    return { found: await findWrongSums(queryable, cursor, next), next }
  },
}

function readNextAccounts(queryable: Queryable, { organizationId, accountId }: BalanceCursor): Promise<NextAccount[]> {
  return queryable.query<NextAccount>({
    text: `select organization_id as "organizationId", account_id as "accountId", entry_count as "entryCount"
             from svc.ledger_accounts
            where (organization_id, account_id) > ($1::uuid, $2::uuid) and keeps_balance
            order by organization_id, account_id limit ${mostAccounts}`,
    values: [organizationId, accountId],
  })
}

async function findWrongSums(queryable: Queryable, after: BalanceCursor, upTo: BalanceCursor): Promise<Violation[]> {
  const rows = await queryable.query<FoundRow>({
    text: selectFound(`
             select ${describe} as violation, account.organization_id, account.asset
               from svc.ledger_accounts as account
              cross join lateral (
                    select coalesce(sum(amount), 0) as amount, count(*) as entries,
                           coalesce(max(account_sequence), 0) as highest
                      from svc.entries as entry
                     where entry.organization_id = account.organization_id and entry.account_id = account.account_id
                       and entry.account_sequence is not null) as found
              where (account.organization_id, account.account_id) > ($1::uuid, $2::uuid)
                and (account.organization_id, account.account_id) <= ($3::uuid, $4::uuid) and account.keeps_balance
                and (account.posted, account.entry_count, account.entry_count) is distinct from
                    (found.amount, found.entries, found.highest)`),
    values: [after.organizationId, after.accountId, upTo.organizationId, upTo.accountId],
  })
  return rows.map(toViolation)
}

/** Adds the next entries of one account. The last part is compared with the balance of the same moment. */
async function readPart(queryable: Queryable, cursor: BalanceCursor, size: number): Promise<SliceAnswer> {
  const { organizationId, accountId, part } = cursor
  const { sequence, amount, entries } = part ?? { sequence: '0', amount: '0', entries: '0' }
  const [account] = await queryable.query<{ entryCount: string }>({
    text: `select entry_count as "entryCount" from svc.ledger_accounts where organization_id = $1 and account_id = $2`,
    values: [organizationId, accountId],
  })
  const end = BigInt(sequence) + BigInt(size)
  const isLast = end + BigInt(size) / 2n >= BigInt(account?.entryCount ?? 0)
  const [sum] = await queryable.query<FoundRow & { amount: string; entries: string; isWrong: boolean }>({
    text: `select found.amount, found.entries,
                  (account.posted, account.entry_count, account.entry_count) is distinct from
                  (found.amount, found.entries, found.highest) as "isWrong",
                  jsonb_build_object('violation', ${describe}, 'organization_id', account.organization_id,
                                     'asset', account.asset) as found
             from svc.ledger_accounts as account
            cross join lateral (
                  select $5::numeric + coalesce(sum(amount), 0) as amount, $6::bigint + count(*) as entries,
                         coalesce(max(account_sequence), 0) as highest
                    from svc.entries as entry
                   where entry.organization_id = account.organization_id and entry.account_id = account.account_id
                     and entry.account_sequence > $3 and entry.account_sequence <= $4) as found
            where account.organization_id = $1 and account.account_id = $2`,
    values: [organizationId, accountId, sequence, isLast ? highestSequence : String(end), amount, entries],
  })
  if (!isLast && sum) {
    const summed = { sequence: String(end), amount: sum.amount, entries: sum.entries }
    return { found: [], next: { organizationId, accountId, part: summed } }
  }
  return { found: sum?.isWrong ? [toViolation(sum)] : [], next: { organizationId, accountId } }
}

const describe = `format('account %s of organization %s has %s after %s entries; its %s entries, up to %s, sum to %s',
                         account.account_id, account.organization_id, account.posted, account.entry_count,
                         found.entries, found.highest, found.amount)`
