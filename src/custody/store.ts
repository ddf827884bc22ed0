import type { NetworkKind, ServiceRole } from '../catalog/network-kinds.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Check } from '../db/verify.ts'
import type { WalletOwner } from './wallet.ts'

/**
 * Assigns the free address with the lowest index, in one statement. It skips addresses that other requests have locked,
 * so no request waits; undefined when no free address is left.
 */
export async function assignAddress(
  tx: Tx,
  { organizationId, paymentAccountId, customerId, kind }: WalletOwner,
): Promise<string | undefined> {
  const [assigned] = await tx.query<{ address: string }>({
    name: 'assign wallet address',
    text: `with free as (
             select seed_id, kind, address_index from svc.wallet_addresses
              where kind = $4 and taken_at is null and retired_at is null
              order by address_index limit 1 for update skip locked),
           taken as (
             update svc.wallet_addresses as pool set payment_account_id = $2, taken_at = clock_timestamp()
               from free
              where pool.seed_id = free.seed_id and pool.kind = free.kind and pool.address_index = free.address_index
             returning pool.kind, pool.address)
           insert into svc.wallets (organization_id, payment_account_id, customer_id, kind, address)
           select $1, $2, $3, kind, address from taken
           returning address`,
    values: [organizationId, paymentAccountId, customerId, kind],
  })
  return assigned?.address
}

export async function isOwnAddress(database: Queryable, kind: NetworkKind, address: string): Promise<boolean> {
  const [found] = await database.query<{ isOwn: boolean }>({
    name: 'is own address',
    text: `select exists (select from svc.wallet_addresses where kind = $1 and address = $2)
               or exists (select from svc.service_addresses where kind = $1 and address = $2)
               or exists (select from svc.reserve_addresses where kind = $1 and address = $2) as "isOwn"`,
    values: [kind, address],
  })
  return found?.isOwn ?? false
}

/** Finds our addresses among these: those of the pool, assigned or free, and those of treasury and relayer. */
export async function findReceivers(
  database: Queryable,
  kind: NetworkKind,
  addresses: readonly string[],
): Promise<{ address: string; receiver: 'WALLET' | 'SERVICE' }[]> {
  return database.query({
    name: 'find receivers among addresses',
    text: `select address, 'WALLET' as receiver from svc.wallet_addresses where kind = $1 and address = any($2)
            union all
           select address, 'SERVICE' from svc.service_addresses where kind = $1 and address = any($2)`,
    values: [kind, addresses],
  })
}

export async function findServiceAddress(
  database: Queryable,
  kind: NetworkKind,
  role: ServiceRole,
): Promise<string | undefined> {
  const [found] = await database.query<{ address: string }>({
    name: 'find service address',
    text: 'select address from svc.service_addresses where kind = $1 and role = $2 and retired_at is null',
    values: [kind, role],
  })
  return found?.address
}

export async function findReserveAddress(database: Queryable, kind: NetworkKind): Promise<string | undefined> {
  const [found] = await database.query<{ address: string }>({
    name: 'find reserve address',
    text: 'select address from svc.reserve_addresses where kind = $1 and retired_at is null',
    values: [kind],
  })
  return found?.address
}

/** Counts the free addresses of each kind. */
export async function countFreeAddresses(database: Queryable): Promise<Record<NetworkKind, number>> {
  const rows = await database.query<{ kind: NetworkKind; free: number }>({
    name: 'count free addresses',
    text: `select kind, count(*)::int as free from svc.wallet_addresses
            where taken_at is null and retired_at is null group by kind`,
  })
  return { EVM: 0, SOLANA: 0, ...Object.fromEntries(rows.map(({ kind, free }) => [kind, free])) }
}

export type OwnedAddress = { organizationId: string; paymentAccountId: string; address: string }

/** Lists every address of customers on a kind of network. */
export function listWallets(database: Queryable, kind: NetworkKind): Promise<OwnedAddress[]> {
  return database.query<OwnedAddress>({
    name: 'list wallets of all organizations',
    text: `select organization_id as "organizationId", payment_account_id as "paymentAccountId", address
             from svc.wallets where kind = $1 order by organization_id, payment_account_id`,
    values: [kind],
  })
}

/** Lists the addresses of our treasury, the one in use first. A former seed's may still hold tokens. */
export async function listTreasuries(database: Queryable, kind: NetworkKind): Promise<string[]> {
  const rows = await database.query<{ address: string }>({
    name: 'list treasuries of a kind',
    text: `select address from svc.service_addresses where kind = $1 and role = 'TREASURY'
            order by retired_at is null desc, published_at desc`,
    values: [kind],
  })
  return rows.map(({ address }) => address)
}

export type PublicSealingKey = { keyId: string; publicKey: Buffer }

/** Reads the public keys of seals that are still valid. */
export function readSealingKeys(database: Queryable): Promise<PublicSealingKey[]> {
  return database.query<PublicSealingKey>({
    name: 'read public sealing keys',
    text: 'select key_id as "keyId", public_key as "publicKey" from svc.sealing_keys where retired_at is null',
  })
}

export const custodyChecks: readonly Check[] = [
  {
    name: 'every assigned address belongs to one payment account',
    sql: `select format('%s address %s is assigned to payment account %s, but has %s wallets', pool.kind,
                        pool.address, pool.payment_account_id, count(wallets.address)) as violation
            from svc.wallet_addresses as pool
            left join svc.wallets on wallets.kind = pool.kind and wallets.address = pool.address
           where pool.taken_at is not null
           group by pool.kind, pool.address, pool.payment_account_id having count(wallets.address) <> 1`,
  },
  {
    name: 'only the signer creates addresses and reads seeds',
    sql: `select format('%s may %s %s', current_user, power, relname) as violation
            from pg_class, unnest(array['select', 'insert', 'update']) as power
           where relnamespace = 'svc'::regnamespace
             and (relname, power) in (('signer_seeds', 'select'), ('signer_seeds', 'insert'), ('signer_seeds', 'update'),
                                      ('wallet_addresses', 'insert'), ('service_addresses', 'insert'),
                                      ('service_addresses', 'update'), ('sealing_keys', 'insert'),
                                      ('sealing_keys', 'update'))
             and has_any_column_privilege(current_user, pg_class.oid, power)`,
  },
  {
    name: 'only the signer writes seals and signatures',
    sql: `select format('%s may %s %s.%s', current_user, power, relname, attname) as violation
            from pg_class
            join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
           cross join unnest(array['select', 'insert', 'update']) as power
           where relnamespace = 'svc'::regnamespace
             and ((relname in ('payouts', 'payment_accounts') and power <> 'select'
                    and attname in ('seal', 'seal_due_at', 'seal_problem'))
                  or (relname in ('transfer_authorizations', 'relay_transactions') and power <> 'select'
                    and attname in ('asset', 'chain_id', 'contract', 'from_address', 'to_address', 'value', 'signature',
                                    'counts', 'raw', 'hash', 'problem', 'decided_at'))
                  or (relname = 'solana_transfers' and power <> 'select'
                    and attname in ('asset', 'mint', 'from_address', 'to_address', 'value', 'signature', 'raw', 'counts',
                                    'problem', 'decided_at'))
                  or (relname = 'transfer_authorizations' and power = 'update')
                  or (relname = 'signing_stops' and power <> 'select')
                  or (relname = 'sealing_keys' and attname = 'sealed_secret'))
             and has_column_privilege(current_user, pg_class.oid, attnum, power)`,
  },
  {
    name: 'addresses are assigned once',
    sql: `select format('svc.%s has no row security: an address could be assigned a second time', relname) as violation
            from pg_class where oid = 'svc.wallet_addresses'::regclass and not relrowsecurity`,
  },
  {
    name: 'the login of the API cannot become the signer',
    sql: `select format('%s may assume the role svc_signer: give the signer its own login', session_user) as violation
            from svc.deployment
           where environment = 'production' and pg_has_role(session_user, 'svc_signer', 'member')`,
  },
]
