import type { TokenAsset } from '../../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import { realNow } from '../../../db/workers/due.ts'
import type { ScanProblem } from '../../scanner/scan.ts'
import type { Held } from '../../scanner/store.ts'
import type { Cursor, WatchedAccount } from './account.ts'

type StoredAccount = Omit<WatchedAccount, 'slot' | 'balance'> & { slot: string; balance: string }

const columns = `account, owner_address as owner, asset, receiver, signature, slot::text as slot,
  balance::text as balance, slot_signatures as "slotSignatures",
  problem is not null and due_at > clock_timestamp() as "isResting"`

function open({ slot, balance, ...rest }: StoredAccount): WatchedAccount {
  return { ...rest, slot: BigInt(slot), balance: BigInt(balance) }
}

/** An address of ours whose token accounts are not watched yet. */
export type NewOwner = { owner: string; receiver: 'WALLET' | 'SERVICE' }

/** Finds addresses in use that are not watched: of wallets and transactions, and our own. */
export function findUnwatched(database: Queryable, limit: number): Promise<NewOwner[]> {
  return database.query<NewOwner>({
    name: 'find unwatched owners',
    text: `select owned.owner, owned.receiver
             from (select address as owner, 'WALLET' as receiver from svc.wallet_addresses
                    where kind = 'SOLANA' and taken_at is not null
                    union all
                   select address, 'SERVICE' from svc.service_addresses where kind = 'SOLANA') as owned
            where not exists (select from svc.token_accounts as watched where watched.account = owned.owner)
            limit $1`,
    values: [limit],
  })
}

export async function insertWatched(
  tx: Tx,
  accounts: readonly Pick<WatchedAccount, 'account' | 'owner' | 'asset' | 'receiver'>[],
): Promise<void> {
  await tx.query({
    name: 'insert watched accounts',
    text: `insert into svc.token_accounts (account, owner_address, asset, receiver)
           select account, owner, asset, receiver
             from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as given (account, owner, asset, receiver)
               on conflict do nothing`,
    values: [
      accounts.map(({ account }) => account),
      accounts.map(({ owner }) => owner),
      accounts.map(({ asset }) => asset),
      accounts.map(({ receiver }) => receiver),
    ],
  })
}

/** Reads a slice of the token accounts, in the order of their addresses. */
export async function readSlice(database: Queryable, after: string, limit: number): Promise<WatchedAccount[]> {
  const found = await database.query<StoredAccount>({
    name: 'read slice of watched accounts',
    text: `select ${columns} from svc.token_accounts
            where account > $1 and asset is not null order by account limit $2`,
    values: [after, limit],
  })
  return found.map(open)
}

/** Reads the accounts whose time has come, the longest overdue first. */
export async function readDue(database: Queryable, limit: number): Promise<WatchedAccount[]> {
  const found = await database.query<StoredAccount>({
    name: 'read due watched accounts',
    text: `select ${columns} from svc.token_accounts where due_at <= ${realNow} order by due_at limit $1`,
    values: [limit],
  })
  return found.map(open)
}

export async function readAccounts(database: Queryable, accounts: readonly string[]): Promise<WatchedAccount[]> {
  if (accounts.length === 0) return []
  const found = await database.query<StoredAccount>({
    name: 'read watched accounts',
    text: `select ${columns} from svc.token_accounts where account = any($1)`,
    values: [accounts],
  })
  return found.map(open)
}

/** The pauses between two looks without a reason: the first, and the longest, in seconds. */
export type Pauses = { first: number; longest: number }

/**
 * Moves the cursor of an account and ends its problem; false when the cursor is not where it was read. An account in use
 * is re-checked soon, a quiet one later and later.
 */
export async function moveAccount(
  tx: Tx,
  from: WatchedAccount,
  to: Cursor,
  { first, longest }: Pauses,
): Promise<boolean> {
  const moved = await tx.query({
    name: 'move watched account',
    text: `update svc.token_accounts
              set signature = $3, slot = $4, balance = $5, slot_signatures = $8, pause_seconds = next.pause,
                  problem = null, problem_detail = null, problem_since = null, retry_seconds = 0,
                  due_at = clock_timestamp() + next.pause * interval '1 second'
             from (select case when $2 is distinct from $3 or pause_seconds = 0 then $6
                               else least(pause_seconds * 2, $7) end as pause
                     from svc.token_accounts where account = $1) as next
            where account = $1 and signature is not distinct from $2 returning account`,
    values: [from.account, from.signature, to.signature, to.slot, to.balance, first, longest, to.slotSignatures],
  })
  return moved.length > 0
}

const longestRetry = 60

/** Records why an account cannot be read, and when to retry; answers whether that is news. */
export async function recordProblem(
  database: Queryable,
  { network, fence }: Held,
  { account }: Pick<WatchedAccount, 'account'>,
  { problem, detail }: { problem: ScanProblem; detail: string },
): Promise<boolean> {
  const [recorded] = await database.query<{ isNew: boolean }>({
    name: 'record problem of watched account',
    text: `update svc.token_accounts as watched
              set problem = $4, problem_detail = $5, problem_since = coalesce(watched.problem_since, clock_timestamp()),
                  retry_seconds = next.retry, due_at = clock_timestamp() + next.retry * interval '1 second'
             from (select account, problem, least(greatest(retry_seconds * 2, 1), $6) as retry
                     from svc.token_accounts where account = $3) as next
            where watched.account = next.account
              and exists (select from svc.chain_scans where network = $1 and fence = $2)
           returning next.problem is distinct from $4 as "isNew"`,
    values: [network, fence, account, problem, detail.slice(0, 500), longestRetry],
  })
  return recorded?.isNew ?? false
}

/** Tells how many seconds ago the scanner last compared itself with the nodes. */
export async function readIdleSeconds(database: Queryable, { network }: Held): Promise<bigint> {
  const [scan] = await database.query<{ seconds: string }>({
    name: 'read idle seconds of chain scan',
    text: `select ceil(extract(epoch from clock_timestamp() - coalesce(scanned_at, due_at)))::text as seconds
             from svc.chain_scans where network = $1`,
    values: [network],
  })
  return BigInt(scan?.seconds ?? 0)
}

/** Lists our own final transfers from or to owners, which the transactions of their token accounts must include. */
export function listOwnTransfers(
  database: Queryable,
  owners: readonly string[],
  upToSlot: bigint,
): Promise<{ signature: string; slot: string; from: string; asset: TokenAsset }[]> {
  return database.query({
    name: 'list own transfers of owners',
    text: `select transfer.signature, transfer.slot::text as slot, transfer.from_address as "from", transfer.asset
             from svc.solana_transfers as transfer
            where transfer.from_address = any($1) and transfer.state = 'FINAL' and transfer.slot <= $2
              and transfer.slot > (select min(watched.slot) from svc.token_accounts as watched
                                    where watched.owner_address = transfer.from_address
                                      and watched.asset = transfer.asset)`,
    values: [owners, upToSlot],
  })
}
