import type { Queryable, Tx } from '../../db/database.ts'

export type WatchList = {
  list: string
  version: number
  isRemoved: boolean
  contentHash: Buffer
  entryCount: number
  nameCount: number
  addressCount: number
  documentCount: number
  publishedAt: Date | null
  createdAt: Date
  /** The last import that confirmed this list. */
  importedAt: Date
  /** Real time since then. */
  ageSeconds: number
}

export type Chunk = { hash: Buffer; entries: Buffer }

/** Runs imports one at a time, because each is compared with the one before. */
export async function lockImports(tx: Tx): Promise<void> {
  await tx.query({ text: `select pg_advisory_xact_lock(hashtext('svc watch list'))` })
}

/** Finds the newest version of each list, also of removed ones. */
export function findNewestLists(database: Queryable): Promise<WatchList[]> {
  return database.query<WatchList>({
    name: 'find newest watch lists',
    text: `select newest.version, newest.list, is_removed as "isRemoved", content_hash as "contentHash",
                  entry_count as "entryCount", name_count as "nameCount", address_count as "addressCount",
                  document_count as "documentCount", published_at as "publishedAt", created_at as "createdAt",
                  imported_at as "importedAt",
                  extract(epoch from clock_timestamp() - imported_at)::float8 as "ageSeconds"
             from (select max(version) as version, list from svc.watch_lists group by list) as newest
             join svc.watch_lists as kept on kept.version = newest.version
            cross join lateral (select max(imported_at) as imported_at from svc.watch_list_imports
                                 where version = newest.version) as import
            order by newest.list`,
  })
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

export type NewWatchList = Omit<WatchList, 'createdAt' | 'importedAt' | 'ageSeconds'> & {
  chunkHashes: readonly Buffer[]
}

export async function insertList(tx: Tx, list: NewWatchList): Promise<void> {
  await tx.query({
    name: 'insert watch list',
    text: `insert into svc.watch_lists (version, list, is_removed, content_hash, chunk_hashes, entry_count, name_count,
                  address_count, document_count, published_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      list.version,
      list.list,
      list.isRemoved,
      list.contentHash,
      list.chunkHashes,
      list.entryCount,
      list.nameCount,
      list.addressCount,
      list.documentCount,
      list.publishedAt,
    ],
  })
}

export async function insertImport(tx: Tx, importId: string, version: number): Promise<void> {
  await tx.query({
    name: 'insert watch list import',
    text: 'insert into svc.watch_list_imports (import_id, version) values ($1, $2)',
    values: [importId, version],
  })
}
