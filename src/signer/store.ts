import type { NetworkKind, ServiceRole } from '../catalog/network-kinds.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Due } from '../db/work.ts'
import { anyDue, literal } from '../db/workers/due.ts'
import type { PublicAddress } from './derivation.ts'
import type { SeedPurpose } from './seed.ts'

export type StoredSeed = {
  seedId: string
  purpose: SeedPurpose
  sealedEntropy: Buffer
  signerKeyId: string
  fingerprint: string
  createdAt: Date
  retiredAt: Date | null
}
export type NewSeed = Omit<StoredSeed, 'createdAt' | 'retiredAt'>
export type CustodyAct = 'CREATED' | 'IMPORTED' | 'RESEALED' | 'EXPORTED' | 'RETIRED'
export type IndexedAddress = { addressIndex: number; address: string }

/** Reads all seeds, retired ones included, oldest first. */
export function readSeeds(database: Queryable): Promise<StoredSeed[]> {
  return database.query<StoredSeed>({
    text: `select seed_id as "seedId", purpose, sealed_entropy as "sealedEntropy", signer_key_id as "signerKeyId",
                  fingerprint, created_at as "createdAt", retired_at as "retiredAt"
             from svc.signer_seeds order by created_at, purpose desc`,
  })
}

export async function readSeedIdsInUse(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ seedId: string }>({
    name: 'read seeds in use',
    text: 'select seed_id as "seedId" from svc.signer_seeds where retired_at is null',
  })
  return rows.map((row) => row.seedId)
}

/** Inserts a seed; false when the purpose has one in use, so that two concurrent first starts create one seed. */
export async function insertSeed(database: Queryable, seed: NewSeed): Promise<boolean> {
  const inserted = await database.query({
    text: `insert into svc.signer_seeds (seed_id, purpose, sealed_entropy, signer_key_id, fingerprint)
           values ($1, $2, $3, $4, $5) on conflict (purpose) where retired_at is null do nothing returning seed_id`,
    values: [seed.seedId, seed.purpose, seed.sealedEntropy, seed.signerKeyId, seed.fingerprint],
  })
  return inserted.length > 0
}

export async function resealSeed(database: Queryable, seed: NewSeed): Promise<void> {
  await database.query({
    text: 'update svc.signer_seeds set sealed_entropy = $2, signer_key_id = $3 where seed_id = $1',
    values: [seed.seedId, seed.sealedEntropy, seed.signerKeyId],
  })
}

/**
 * Locks the seed in use until the database transaction ends, so that signers and commands add addresses to it or
 * replace it one after another.
 */
export async function lockSeed(tx: Tx, purpose: SeedPurpose): Promise<string | undefined> {
  const [locked] = await tx.query<{ seedId: string }>({
    name: 'lock seed',
    text: `select seed_id as "seedId" from svc.signer_seeds where purpose = $1 and retired_at is null for update`,
    values: [purpose],
  })
  return locked?.seedId
}

/** Retires a seed with its free addresses. Customers keep the addresses that they have. */
export async function retireSeed(tx: Tx, seedId: string): Promise<void> {
  const values = [seedId]
  await tx.query({
    text: `update svc.wallet_addresses set retired_at = clock_timestamp()
            where seed_id = $1 and taken_at is null and retired_at is null`,
    values,
  })
  await tx.query({
    text: 'update svc.service_addresses set retired_at = clock_timestamp() where seed_id = $1 and retired_at is null',
    values,
  })
  await tx.query({
    text: 'update svc.signer_seeds set retired_at = clock_timestamp() where seed_id = $1',
    values,
  })
}

export async function countAssigned(database: Queryable, seedId: string): Promise<number> {
  const [count] = await database.query<{ assigned: number }>({
    text: 'select count(*)::int as assigned from svc.wallet_addresses where seed_id = $1 and taken_at is not null',
    values: [seedId],
  })
  return count?.assigned ?? 0
}

export async function countFree(database: Queryable, seedId: string, kind: NetworkKind): Promise<number> {
  const [count] = await database.query<{ free: number }>({
    name: 'count free addresses of a seed',
    text: `select count(*)::int as free from svc.wallet_addresses
            where seed_id = $1 and kind = $2 and taken_at is null and retired_at is null`,
    values: [seedId, kind],
  })
  return count?.free ?? 0
}

/**
 * Holds while a kind has too few free addresses, or a seed that was imported has not published its addresses. Addresses
 * are taken in the order of their index, so the lowest and the highest free one tell how many are left.
 */
export function duePool(kinds: readonly NetworkKind[], poolSize: number): Due {
  const isLow = kinds.map(
    (kind) => `coalesce((select max(address_index) - min(address_index) + 1 < ${poolSize} from svc.wallet_addresses
      where kind = ${literal(kind)} and taken_at is null and retired_at is null), true)`,
  )
  const isUnpublished = `exists (select from svc.signer_seeds as seed where purpose = 'SERVICE' and retired_at is null
    and not exists (select from svc.service_addresses as own where own.seed_id = seed.seed_id))`
  return anyDue(...isLow, isUnpublished)
}

export async function readNextIndex(tx: Tx, seedId: string, kind: NetworkKind): Promise<number> {
  const [index] = await tx.query<{ next: number }>({
    name: 'read next address index',
    text: `select coalesce(max(address_index) + 1, 0) as next from svc.wallet_addresses where seed_id = $1 and kind = $2`,
    values: [seedId, kind],
  })
  return index?.next ?? 0
}

/** Inserts addresses with consecutive indexes from `firstIndex` on. */
export async function insertAddresses(
  tx: Tx,
  pool: { seedId: string; kind: NetworkKind; firstIndex: number },
  addresses: readonly PublicAddress[],
): Promise<void> {
  await tx.query({
    name: 'insert wallet addresses',
    text: `insert into svc.wallet_addresses (seed_id, kind, address_index, address, public_key)
           select $1, $2, $3 + position - 1, address, public_key
             from unnest($4::text[], $5::bytea[]) with ordinality as derived (address, public_key, position)`,
    values: [
      pool.seedId,
      pool.kind,
      pool.firstIndex,
      addresses.map((each) => each.address),
      addresses.map((each) => each.publicKey),
    ],
  })
}

/** Reads a page of the pool by index: all addresses, or only free ones. */
export function readAddresses(
  database: Queryable,
  { seedId, kind, from, limit, onlyFree }: AddressPage,
): Promise<IndexedAddress[]> {
  return database.query<IndexedAddress>({
    name: 'read wallet addresses',
    text: `select address_index as "addressIndex", address from svc.wallet_addresses
            where seed_id = $1 and kind = $2 and address_index >= $3
              and (not $5 or (taken_at is null and retired_at is null))
            order by address_index limit $4`,
    values: [seedId, kind, from, limit, onlyFree],
  })
}
export type AddressPage = { seedId: string; kind: NetworkKind; from: number; limit: number; onlyFree: boolean }

/** Registers our reserve on a kind of network, and retires the former one. */
export async function registerReserve(tx: Tx, kind: NetworkKind, address: string, actor: string): Promise<void> {
  await tx.query({
    text: 'update svc.reserve_addresses set retired_at = clock_timestamp() where kind = $1 and retired_at is null',
    values: [kind],
  })
  await tx.query({
    text: 'insert into svc.reserve_addresses (kind, address, registered_by) values ($1, $2, $3)',
    values: [kind, address, actor],
  })
}

export type ServiceAddress = { seedId: string; kind: NetworkKind; role: ServiceRole; address: string }

export async function insertServiceAddress(database: Queryable, service: ServiceAddress): Promise<void> {
  await database.query({
    text: `insert into svc.service_addresses (seed_id, kind, role, address) values ($1, $2, $3, $4)
           on conflict (seed_id, kind, role) do nothing`,
    values: [service.seedId, service.kind, service.role, service.address],
  })
}

export function readServiceAddresses(database: Queryable, seedId: string): Promise<ServiceAddress[]> {
  return database.query<ServiceAddress>({
    text: `select seed_id as "seedId", kind, role, address from svc.service_addresses
            where seed_id = $1 order by kind, role desc`,
    values: [seedId],
  })
}

export async function recordAct(
  tx: Tx,
  { actId, act, seedId, actor }: { actId: string; act: CustodyAct; seedId: string; actor: string },
): Promise<void> {
  await tx.query({
    text: 'insert into svc.custody_acts (act_id, act, seed_id, actor) values ($1, $2, $3, $4)',
    values: [actId, act, seedId, actor],
  })
}

export async function findLastExport(database: Queryable, seedId: string): Promise<Date | undefined> {
  const [lastExport] = await database.query<{ at: Date | null }>({
    text: `select max(at) as at from svc.custody_acts where seed_id = $1 and act = 'EXPORTED'`,
    values: [seedId],
  })
  return lastExport?.at ?? undefined
}
