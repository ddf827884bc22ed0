import type { Queryable, Tx } from '../../db/database.ts'

export type WatchList = {
  version: number
  contentHash: Buffer
  entryCount: number
  nameCount: number
  addressCount: number
  createdAt: Date
  /** The last import that confirmed this list. */
  importedAt: Date
}

export type Chunk = { hash: Buffer; entries: Buffer }

/** Runs imports one at a time, because each is compared with the one before. */
export async function lockImports(tx: Tx): Promise<void> {
  await tx.query({ text: `select pg_advisory_xact_lock(hashtext('svc watch list'))` })
}

/** Finds the current list: the one with the highest version. */
export async function findCurrentList(database: Queryable): Promise<WatchList | undefined> {
  const [list] = await database.query<WatchList>({
    name: 'find current watch list',
    text: `select list.version, content_hash as "contentHash", entry_count as "entryCount", name_count as "nameCount",
                  address_count as "addressCount", created_at as "createdAt",
                  (select max(imported_at) from svc.watch_list_imports where version = list.version) as "importedAt"
             from svc.watch_lists as list order by list.version desc limit 1`,
  })
  return list
}

/** Finds the hashes of a list's chunks, in the order of its entries. */
export async function findChunkHashes(database: Queryable, version: number): Promise<Buffer[]> {
  const [list] = await database.query<{ chunkHashes: Buffer[] }>({
    name: 'find watch list chunk hashes',
    text: 'select chunk_hashes as "chunkHashes" from svc.watch_lists where version = $1',
    values: [version],
  })
  return list?.chunkHashes ?? []
}

export async function findChunks(database: Queryable, hashes: readonly Buffer[]): Promise<Chunk[]> {
  return database.query<Chunk>({
    name: 'find watch list chunks',
    text: 'select chunk_hash as hash, entries from svc.watch_list_chunks where chunk_hash = any($1)',
    values: [hashes],
  })
}

export async function insertChunks(tx: Tx, chunks: readonly Chunk[]): Promise<void> {
  await tx.query({
    name: 'insert watch list chunks',
    text: `insert into svc.watch_list_chunks (chunk_hash, entries)
           select chunk_hash, entries from unnest($1::bytea[], $2::bytea[]) as new (chunk_hash, entries)
               on conflict do nothing`,
    values: [chunks.map(({ hash }) => hash), chunks.map(({ entries }) => entries)],
  })
}

export async function insertList(
  tx: Tx,
  list: Omit<WatchList, 'createdAt' | 'importedAt'> & { chunkHashes: readonly Buffer[] },
): Promise<void> {
  await tx.query({
    name: 'insert watch list',
    text: `insert into svc.watch_lists
             (version, content_hash, chunk_hashes, entry_count, name_count, address_count)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [list.version, list.contentHash, list.chunkHashes, list.entryCount, list.nameCount, list.addressCount],
  })
}

export async function insertImport(tx: Tx, importId: string, version: number): Promise<void> {
  await tx.query({
    name: 'insert watch list import',
    text: 'insert into svc.watch_list_imports (import_id, version) values ($1, $2)',
    values: [importId, version],
  })
}

/** Returns the seconds since the last import; undefined when there was none. */
export async function findListAge(database: Queryable): Promise<number | undefined> {
  const [newest] = await database.query<{ seconds: number | null }>({
    name: 'find watch list age',
    text: `select extract(epoch from clock_timestamp() - max(imported_at))::float8 as seconds
             from svc.watch_list_imports`,
  })
  return newest?.seconds ?? undefined
}
