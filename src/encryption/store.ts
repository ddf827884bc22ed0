import type { Queryable, Tx } from '../db/database.ts'
import type { Check } from '../db/verify.ts'

export type StoredDataKey = {
  organizationId: string
  dataKeyId: string
  /** Null when the key was destroyed. */
  wrappedKey: Buffer | null
  masterKeyId: string
}
export type WrappedDataKey = StoredDataKey & { wrappedKey: Buffer }
export type StoredSecret = { purpose: string; wrappedSecret: Buffer; masterKeyId: string }

const dataKeyColumns = `organization_id as "organizationId", data_key_id as "dataKeyId", wrapped_key as "wrappedKey",
  master_key_id as "masterKeyId"`
const secretColumns = 'purpose, wrapped_secret as "wrappedSecret", master_key_id as "masterKeyId"'

export async function insertDataKey(tx: Tx, key: WrappedDataKey): Promise<void> {
  await tx.query({
    name: 'insert data key',
    text: `insert into svc.data_keys (organization_id, data_key_id, wrapped_key, master_key_id)
           values ($1, $2, $3, $4)`,
    values: [key.organizationId, key.dataKeyId, key.wrappedKey, key.masterKeyId],
  })
}

export function findDataKeys(
  database: Queryable,
  wanted: readonly { organizationId: string; dataKeyId: string }[],
): Promise<StoredDataKey[]> {
  return database.query<StoredDataKey>({
    name: 'find data keys',
    text: `select ${dataKeyColumns} from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, data_key_id)
             join svc.data_keys using (organization_id, data_key_id)`,
    values: [wanted.map(({ organizationId }) => organizationId), wanted.map(({ dataKeyId }) => dataKeyId)],
  })
}

/** Destroys a data key. False when it is already destroyed. */
export async function destroyDataKey(tx: Tx, organizationId: string, dataKeyId: string): Promise<boolean> {
  const destroyed = await tx.query({
    name: 'destroy data key',
    text: `update svc.data_keys set wrapped_key = null, destroyed_at = clock_timestamp()
            where organization_id = $1 and data_key_id = $2 and destroyed_at is null returning data_key_id`,
    values: [organizationId, dataKeyId],
  })
  return destroyed.length > 0
}

/** Reads one key per master key in use, of any organization. Jumps from id to id along the index. */
export function sampleDataKeys(database: Queryable): Promise<WrappedDataKey[]> {
  return database.query<WrappedDataKey>({
    text: `with recursive used as (
             (select organization_id, data_key_id, wrapped_key, master_key_id from svc.data_keys
               where wrapped_key is not null order by master_key_id limit 1)
             union all
             select next.organization_id, next.data_key_id, next.wrapped_key, next.master_key_id
               from used cross join lateral (
                 select organization_id, data_key_id, wrapped_key, master_key_id from svc.data_keys
                  where wrapped_key is not null and master_key_id > used.master_key_id
                  order by master_key_id limit 1) as next)
           select ${dataKeyColumns} from used`,
  })
}

/** Lists the next keys under one master key, of every organization, after the given key. */
export function listDataKeysUnder(
  database: Queryable,
  masterKeyId: string,
  after: Pick<StoredDataKey, 'organizationId' | 'dataKeyId'> | undefined,
  limit: number,
): Promise<WrappedDataKey[]> {
  const first = '00000000-0000-0000-0000-000000000000'
  return database.query<WrappedDataKey>({
    name: 'list data keys under a master key',
    text: `select ${dataKeyColumns} from svc.data_keys
            where master_key_id = $1 and wrapped_key is not null and (organization_id, data_key_id) > ($2, $3)
            order by organization_id, data_key_id limit $4`,
    values: [masterKeyId, after?.organizationId ?? first, after?.dataKeyId ?? first, limit],
  })
}

/**
 * Replaces the wrapped keys that did not change since they were read, and returns their number. It skips locked rows:
 * workers never wait for each other, and a key that is being destroyed stays destroyed.
 */
export async function replaceWrappedKeys(
  database: Queryable,
  masterKeyId: string,
  changes: readonly { old: WrappedDataKey; rewrapped: Buffer }[],
): Promise<number> {
  const replaced = await database.query({
    name: 'replace wrapped keys',
    text: `with change as (
             select organization_id, data_key_id, old_key, new_key
               from unnest($2::uuid[], $3::uuid[], $4::bytea[], $5::bytea[])
                 as given (organization_id, data_key_id, old_key, new_key)),
           held as (
             select data_key.organization_id, data_key.data_key_id, change.old_key, change.new_key
               from svc.data_keys as data_key join change using (organization_id, data_key_id)
              where data_key.organization_id = change.organization_id and data_key.wrapped_key = change.old_key
                for no key update of data_key skip locked)
           update svc.data_keys as data_key set wrapped_key = held.new_key, master_key_id = $1
             from held
            where data_key.organization_id = held.organization_id and data_key.data_key_id = held.data_key_id
              and data_key.wrapped_key = held.old_key
        returning data_key.data_key_id`,
    values: [
      masterKeyId,
      changes.map(({ old }) => old.organizationId),
      changes.map(({ old }) => old.dataKeyId),
      changes.map(({ old }) => old.wrappedKey),
      changes.map(({ rewrapped }) => rewrapped),
    ],
  })
  return replaced.length
}

export function listDeploymentSecrets(database: Queryable): Promise<StoredSecret[]> {
  return database.query<StoredSecret>({ text: `select ${secretColumns} from svc.deployment_secrets order by purpose` })
}

export async function findDeploymentSecret(database: Queryable, purpose: string): Promise<StoredSecret | undefined> {
  const [found] = await database.query<StoredSecret>({
    text: `select ${secretColumns} from svc.deployment_secrets where purpose = $1`,
    values: [purpose],
  })
  return found
}

/** Keeps the first secret when two processes insert one for the same purpose. */
export async function insertDeploymentSecret(database: Queryable, secret: StoredSecret): Promise<void> {
  await database.query({
    text: `insert into svc.deployment_secrets (purpose, wrapped_secret, master_key_id) values ($1, $2, $3)
           on conflict (purpose) do nothing`,
    values: [secret.purpose, secret.wrappedSecret, secret.masterKeyId],
  })
}

export async function replaceWrappedSecret(
  database: Queryable,
  old: StoredSecret,
  rewrapped: Omit<StoredSecret, 'purpose'>,
): Promise<number> {
  const replaced = await database.query({
    text: `update svc.deployment_secrets set wrapped_secret = $3, master_key_id = $4
            where purpose = $1 and wrapped_secret = $2 returning purpose`,
    values: [old.purpose, old.wrappedSecret, rewrapped.wrappedSecret, rewrapped.masterKeyId],
  })
  return replaced.length
}

export async function countOtherMasterKeys(
  database: Queryable,
  masterKeyId: string,
): Promise<{ dataKeys: number; deploymentSecrets: number }> {
  const [counts] = await database.query<{ dataKeys: number; deploymentSecrets: number }>({
    // "Less" and "more" instead of "different" let the index serve: after a rotation the count costs nothing.
    text: `select (select count(*)::float8 from svc.data_keys where wrapped_key is not null and master_key_id < $1)
                  + (select count(*)::float8 from svc.data_keys
                      where wrapped_key is not null and master_key_id > $1) as "dataKeys",
                  (select count(*)::float8 from svc.deployment_secrets
                    where master_key_id <> $1) as "deploymentSecrets"`,
    values: [masterKeyId],
  })
  return counts ?? { dataKeys: 0, deploymentSecrets: 0 }
}

/** The invariants of the stored keys. A rotation in progress is no violation. */
export const encryptionChecks: readonly Check[] = [
  {
    name: 'every data key is wrapped or destroyed',
    sql: `select format('data key %s of organization %s is neither wrapped nor destroyed', data_key_id, organization_id)
                   as violation
            from svc.data_keys where wrapped_key is null and destroyed_at is null`,
  },
  {
    name: 'a destroyed data key is deleted',
    sql: `select format('data key %s of organization %s is destroyed but still stored', data_key_id, organization_id)
                   as violation
            from svc.data_keys where wrapped_key is not null and destroyed_at is not null`,
  },
]
