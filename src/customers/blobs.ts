/**
 * A store of sealed files under random names. A reader of it learns only the number, length and age of files. Ids are
 * UUIDs in upper or lower case; every function throws for another id.
 */
export type BlobStore = {
  /** Stores atomically; once it resolves, the bytes survive a power cut. A second put replaces the first. */
  put(blobId: string, sealed: Buffer): Promise<void>
  get(blobId: string): Promise<Buffer | undefined>
  /** Succeeds also when there is no such blob. */
  remove(blobId: string): Promise<void>
  /** Lists every blob, in no particular order. A concurrent put or remove may or may not show. */
  list(): AsyncIterable<StoredBlob>
}

export type StoredBlob = { blobId: string; storedAt: Date }
