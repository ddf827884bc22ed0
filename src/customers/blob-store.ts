/** Keeps files that were sealed before they came here. Names are random and say nothing. */
export type BlobStore = {
  put(blobId: string, sealed: Buffer): Promise<void>
  /** Undefined for a file that is not there. */
  get(blobId: string): Promise<Buffer | undefined>
  remove(blobId: string): Promise<void>
  /** Every file there is, for the collector of orphans. */
  list(): AsyncIterable<{ blobId: string; storedAt: Date }>
}
