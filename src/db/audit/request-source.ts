import { AsyncLocalStorage } from 'node:async_hooks'

/** The API key of the running request and the IP address that it came from. */
export type RequestSource = { apiKeyId: string; address: string }

const running = new AsyncLocalStorage<RequestSource | undefined>()

/** Runs work for a request. Everything that the work awaits knows its source. */
export function fromSource<Result>(source: RequestSource, work: () => Result): Result {
  return running.run(source, work)
}

/** Runs work that belongs to no single request, such as a batch of several callers or a background job. */
export function withoutSource<Result>(work: () => Result): Result {
  return running.run(undefined, work)
}

/**
 * The address of the running request, if this actor makes it. An act of another actor that runs meanwhile, such as a
 * worker, never gets the address of a request.
 */
export function addressOfActor(actor: string): string | null {
  const source = running.getStore()
  return source && actor === `api_key:${source.apiKeyId}` ? source.address : null
}
