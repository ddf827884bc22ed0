/**
 * Where files are kept. It sees sealed bytes and random names, so whoever reads it learns how many files there are, how
 * long and how old, and nothing else. Ids are UUIDs in either case; anything else is refused by throwing.
 */
export type BlobStore = {
  /** Once this resolves the bytes survive a power cut. Nobody sees half of them. A second put replaces the first. */
  put(blobId: string, sealed: Buffer): Promise<void>
  get(blobId: string): Promise<Buffer | undefined>
  /** The same when there is none. */
  remove(blobId: string): Promise<void>
  /** Every blob, in no particular order. One that is put or removed meanwhile may be among them or not. */
  list(): AsyncIterable<StoredBlob>
}

export type StoredBlob = { blobId: string; storedAt: Date }
