import type { Queryable, Tx } from '../db/database.ts'
import { firstOf } from '../db/workers/due.ts'
import { newId } from '../lib/ids.ts'
import type { AccountKind, AccountName } from './account.ts'
import type {
  Balance,
  IncreasedWallet,
  NewPosting,
  NewReserve,
  ReleaseOutcome,
  ReserveName,
  ReserveOutcome,
  StatementEntry,
  SubjectEntry,
} from './posting.ts'

type PostedRow = { outcome: string; postingId: string | null; increasedHolders: string[]; increasedAssets: string[] }
export type PostingResult = { outcome: string; postingId: string | undefined; increased: IncreasedWallet[] }

/** Posts many in one statement, each with its own outcome. */
export async function post(tx: Tx, postings: readonly NewPosting[]): Promise<PostingResult[]> {
  const entries = postings.flatMap((posting, index) => posting.entries.map((entry) => ({ ...entry, place: index + 1 })))
  const rows = await tx.query<PostedRow>({
    name: 'post to the ledger',
    text: `select outcome, posting_id as "postingId", raised_holders as "increasedHolders", raised_assets as "increasedAssets"
             from svc.post($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      postings.map((posting) => posting.organizationId),
      postings.map(() => newId()),
      postings.map((posting) => posting.reference),
      postings.map((posting) => posting.fact),
      postings.map((posting) => posting.captures ?? null),
      entries.map((entry) => entry.place),
      entries.map((entry) => entry.kind),
      entries.map((entry) => entry.holder),
      entries.map((entry) => entry.asset),
      entries.map((entry) => entry.amount),
    ],
  })
  return rows.map(({ outcome, postingId, increasedHolders, increasedAssets }) => ({
    outcome,
    postingId: postingId ?? undefined,
    increased: increasedHolders.map((paymentAccountId, each) => {
      const asset = increasedAssets[each] ?? ''
      const causes = postings.filter((posting) => hasEntryOn(posting, paymentAccountId, asset))
      return {
        organizationId: causes[0]?.organizationId ?? '',
        paymentAccountId,
        asset,
        causes: causes.map(({ reference }) => reference),
      }
    }),
  }))
}

/** The database lists all increases with the first posting, which may belong to another organization. */
function hasEntryOn({ entries }: NewPosting, paymentAccountId: string, asset: string): boolean {
  return entries.some((entry) => entry.kind === 'WALLET' && entry.holder === paymentAccountId && entry.asset === asset)
}

export function reserve(tx: Tx, reserves: readonly NewReserve[]): Promise<ReserveOutcome[]> {
  return tx.query<ReserveOutcome>({
    name: 'reserve in the ledger',
    text: `select outcome, reserve_id as "reserveId" from svc.reserve($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      reserves.map((each) => each.organizationId),
      reserves.map(() => newId()),
      reserves.map((each) => each.reference),
      reserves.map((each) => each.account.kind),
      reserves.map((each) => each.account.holder),
      reserves.map((each) => each.account.asset),
      reserves.map((each) => each.amount),
    ],
  })
}

export type ReleaseResult = ReleaseOutcome & { holder: string | null; asset: string | null }

export function release(tx: Tx, reserves: readonly ReserveName[]): Promise<ReleaseResult[]> {
  return tx.query<ReleaseResult>({
    name: 'release in the ledger',
    text: 'select outcome, holder, asset from svc.release($1, $2)',
    values: [reserves.map((each) => each.organizationId), reserves.map((each) => each.reference)],
  })
}

export async function openAccounts(tx: Tx, organizationId: string, accounts: readonly AccountName[]): Promise<void> {
  await tx.query({
    name: 'open ledger accounts',
    text: 'select svc.open_ledger_accounts(array_fill($1::uuid, array[cardinality($2::text[])]), $2, $3, $4)',
    values: [
      organizationId,
      accounts.map((account) => account.kind),
      accounts.map((account) => account.holder),
      accounts.map((account) => account.asset),
    ],
  })
}

/** Reads the balances of this kind and holder, by asset; only accounts with an exact balance have one. */
export async function readBalances(
  database: Queryable,
  organizationId: string,
  { kind, holder }: Pick<AccountName, 'kind' | 'holder'>,
): Promise<Balance[]> {
  const rows = await database.query<{ asset: string; posted: string; available: string }>({
    name: 'read ledger balances',
    text: `select asset, posted, posted - reserved as available from svc.ledger_accounts
            where organization_id = $1 and kind = $2 and holder = $3 and keeps_balance order by asset`,
    values: [organizationId, kind, holder],
  })
  return rows.map(({ asset, posted, available }) => ({
    asset,
    posted: BigInt(posted),
    available: BigInt(available),
  }))
}

/**
 * Finds the entries of each posting in `unfolded`. The planner takes an organization that came after the last analysis
 * for empty, and would read all its entries for each of its postings: "offset 0" keeps it from that.
 */
export const entriesOfUnfolded = `cross join lateral (
  select account_id, amount from svc.entries as entry
   where entry.organization_id = unfolded.organization_id and entry.posting_id = unfolded.posting_id
     and entry.account_sequence is null
  offset 0) as entry`

/** Reads an account without an exact balance: the folded sum plus the entries since. */
export async function readPosition(
  database: Queryable,
  organizationId: string,
  { kind, holder, asset }: AccountName,
): Promise<bigint> {
  const [account] = await database.query<{ posted: string }>({
    name: 'read ledger position',
    text: `select account.posted + coalesce((
                    select sum(entry.amount) from svc.unfolded_postings as unfolded
                     ${entriesOfUnfolded}
                     where unfolded.organization_id = $1 and entry.account_id = account.account_id), 0) as posted
             from svc.ledger_accounts as account
            where account.organization_id = $1 and account.kind = $2 and account.holder = $3 and account.asset = $4`,
    values: [organizationId, kind, holder, asset],
  })
  return BigInt(account?.posted ?? 0)
}

export type AccountTotal = { organizationId: string; kind: AccountKind; holder: string; asset: string; posted: bigint }

/**
 * Sums accounts by organization, kind and asset, and bank accounts one by one: folded sums plus the entries since. Of
 * all organizations without an id.
 */
export async function readTotals(database: Queryable, organizationId: string | undefined): Promise<AccountTotal[]> {
  const rows = await database.query<Omit<AccountTotal, 'posted'> & { posted: string }>({
    name: 'read ledger totals',
    text: `with recent as materialized (
             select unfolded.organization_id, entry.account_id, sum(entry.amount) as amount
               from svc.unfolded_postings as unfolded
               ${entriesOfUnfolded}
              where unfolded.organization_id = coalesce($1, unfolded.organization_id)
              group by unfolded.organization_id, entry.account_id)
           select account.organization_id as "organizationId", account.kind, bank.holder, account.asset,
                  sum(account.posted + coalesce(recent.amount, 0)) as posted
             from svc.ledger_accounts as account
            cross join lateral (select case account.kind when 'BANK' then account.holder else '' end as holder) as bank
             left join recent on recent.organization_id = account.organization_id
              and recent.account_id = account.account_id
            where account.organization_id = coalesce($1, account.organization_id)
            group by account.organization_id, account.kind, bank.holder, account.asset`,
    values: [organizationId ?? null],
  })
  return rows.map(({ posted, ...account }) => ({ ...account, posted: BigInt(posted) }))
}

/** Sums the entries of each account of these kinds, folded or not. */
export async function readPositions(
  database: Queryable,
  organizationId: string,
  kinds: readonly AccountName['kind'][],
): Promise<(AccountName & { posted: bigint })[]> {
  const rows = await database.query<AccountName & { posted: string }>({
    name: 'read ledger positions',
    text: `with recent as materialized (
             select entry.account_id, sum(entry.amount) as amount from svc.unfolded_postings as unfolded
               ${entriesOfUnfolded}
              where unfolded.organization_id = $1 group by entry.account_id)
           select account.kind, account.holder, account.asset, account.posted + coalesce(recent.amount, 0) as posted
             from svc.ledger_accounts as account
             left join recent on recent.account_id = account.account_id
            where account.organization_id = $1 and account.kind = any($2)
            order by account.holder, account.asset, account.kind`,
    values: [organizationId, kinds],
  })
  return rows.map(({ posted, ...account }) => ({ ...account, posted: BigInt(posted) }))
}

type StatementRow = Omit<StatementEntry, 'sequence' | 'amount' | 'balance'> & {
  sequence: string
  amount: string
  balance: string
}

/** Reads the newest entries of each asset below the sequence that was shown last. */
export async function readStatement(
  database: Queryable,
  organizationIds: readonly string[],
  paymentAccountId: string,
  { below, limit, asset }: { below: ReadonlyMap<string, string>; limit: number; asset: string | undefined },
): Promise<StatementEntry[]> {
  const rows = await database.query<StatementRow>({
    name: 'read wallet statement',
    text: `select account.asset, entry.posting_id as "postingId", entry.account_sequence as sequence, entry.amount,
                  entry.balance, posting.fact, posting.reference, posting.created_at as "createdAt"
             from svc.ledger_accounts as account
             left join unnest($4::text[], $5::bigint[]) as shown (asset, sequence) on shown.asset = account.asset
            cross join lateral (
                  select organization_id, posting_id, account_sequence, amount, balance from svc.entries
                   where organization_id = account.organization_id and account_id = account.account_id
                     and account_sequence < coalesce(shown.sequence, 9223372036854775807)
                   order by account_sequence desc limit $6) as entry
             join svc.postings as posting on posting.organization_id = entry.organization_id
              and posting.posting_id = entry.posting_id
            where account.organization_id = any($1) and account.kind = 'WALLET' and account.holder = $2
              and ($3::text is null or account.asset = $3)
            order by account.asset, entry.account_sequence desc`,
    values: [organizationIds, paymentAccountId, asset ?? null, [...below.keys()], [...below.values()], limit],
  })
  return rows.map((entry) => ({
    ...entry,
    sequence: BigInt(entry.sequence),
    amount: BigInt(entry.amount),
    balance: BigInt(entry.balance),
  }))
}

/** Reads the entries of postings whose reference starts with this prefix, in posting order. */
export async function readSubjectEntries(
  database: Queryable,
  organizationId: string,
  prefix: string,
): Promise<SubjectEntry[]> {
  const rows = await database.query<Omit<SubjectEntry, 'amount'> & { amount: string }>({
    name: 'read entries of a subject',
    text: `select posting.posting_id as "postingId", posting.reference, posting.fact, posting.created_at as "createdAt",
                  account.kind, account.holder, account.asset, entry.amount
             from svc.postings as posting
             join svc.entries as entry on entry.organization_id = posting.organization_id
              and entry.posting_id = posting.posting_id
             join svc.ledger_accounts as account on account.organization_id = entry.organization_id
              and account.account_id = entry.account_id
            where posting.organization_id = $1 and starts_with(posting.reference, $2)
              and posting.reference >= $2 and posting.reference < $2 || chr(1114109)
            order by posting.created_at, posting.posting_id, entry.entry_number`,
    values: [organizationId, prefix],
  })
  return rows.map((entry) => ({ ...entry, amount: BigInt(entry.amount) }))
}

/** Holds while postings are not folded yet. */
export const hasUnfolded = firstOf('svc.unfolded_postings order by organization_id, posting_id')

/**
 * Folds at most `limit` postings into the accounts without an exact balance; answers how many. Postings that another
 * process folds at that moment are passed over, or waited for.
 */
export async function foldEntries(database: Queryable, limit: number, waits: boolean): Promise<number> {
  const [folded] = await database.query<{ taken: number }>({
    name: 'fold ledger entries',
    text: 'select svc.fold_entries($1, $2) as taken',
    values: [limit, waits],
  })
  return folded?.taken ?? 0
}
