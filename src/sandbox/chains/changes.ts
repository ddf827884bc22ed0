import { RpcError } from './rpc-error.ts'

/**
 * The changes of one chain, one after the other. An error that is not the client's means that the chain in memory may
 * differ from its journal: `onLost` then ends the process.
 */
export class Changes {
  readonly #onLost: (error: unknown) => void
  /** The keys of the requests that took effect. */
  readonly done = new Set<string>()
  #tail: Promise<unknown> = Promise.resolve()

  constructor(onLost: (error: unknown) => void) {
    this.#onLost = onLost
  }

  /** Waits for the change in progress, so that a reader never sees half of it. */
  async settled(): Promise<void> {
    await this.#tail
  }

  run<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#tail.then(act)
    this.#tail = done.catch((error: unknown) => {
      if (!(error instanceof RpcError)) this.#onLost(error)
    })
    return done
  }

  /** Runs a change unless a request with this key took effect already. */
  runOnce(key: string | undefined, act: () => Promise<void>): Promise<void> {
    return this.run(async () => {
      if (key === undefined || !this.done.has(key)) await act()
    })
  }
}
