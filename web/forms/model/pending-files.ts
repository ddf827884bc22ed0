/** The files of this window that are not on the server yet: shown for a look, or on their way. */
export class PendingFiles {
  /** Fields whose new picture waits for the customer's "Use this picture". */
  readonly looked = new Set<string>()
  readonly #uploads = new Map<string, { work: Promise<unknown>; stop: AbortController }>()

  /** Runs the upload of a field. It ends with the page of that field, and with the session. */
  async upload<Answer>(field: string, start: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    this.stop(field)
    const stop = new AbortController()
    const work = start(stop.signal)
    const upload = { work, stop }
    this.#uploads.set(field, upload)
    try {
      return await work
    } finally {
      if (this.#uploads.get(field) === upload) this.#uploads.delete(field)
    }
  }

  stop(field: string): void {
    this.#uploads.get(field)?.stop.abort()
  }

  stopAll(): void {
    for (const { stop } of this.#uploads.values()) stop.abort()
  }

  /** Resolves when no upload of these fields is on its way. */
  async settle(fields: readonly string[]): Promise<void> {
    await Promise.allSettled(fields.map((field) => this.#uploads.get(field)?.work))
  }
}
