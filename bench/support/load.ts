import { Worker } from 'node:worker_threads'

export type Load = {
  url: string
  headers: Record<string, string>
  /** Bodies to POST, one after the other. */
  bodies: readonly string[]
  /** Paths to GET, one after the other, instead of POST requests to `url`. */
  paths?: readonly string[]
  connections: number
  seconds: number
  expectStatus: number
  /** Sends a new idempotency key with each request. */
  isKeyed?: boolean
}

export type Result = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  answers: number
  /** CPU time of the thread that generated the load. */
  clientMicros: number
}

/** Keeps the connections busy from another thread, so that the cost of the client does not count as the server's. */
export function runLoad(load: Load): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./load-thread.ts', import.meta.url), { workerData: load })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
