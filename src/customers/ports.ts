/** What checks a document file away from the main thread. */
export type DocumentChecker = {
  check(file: { pieces: readonly Buffer[] }): Promise<CheckedDocument | { ok: false; problem: string }>
}

export type CheckedDocument = {
  ok: true
  mediaType: 'image/jpeg' | 'image/png' | 'application/pdf'
  /** What is kept: our own re-encoding of a picture. */
  bytes: Buffer
  /** Of the file as it was sent. */
  byteLength: number
  width?: number
  height?: number
  screenHints: string[]
}
