import { Worker } from 'node:worker_threads'

export type Load = {
  url: string
  headers: Record<string, string>
  /** Sent in turn. */
  bodies: readonly string[]
  /** Asked for in turn, with GET and no body; then the address tells only whom to ask. */
  paths?: readonly string[]
  connections: number
  seconds: number
  expectStatus: number
  /** Each request with an idempotency key of its own. */
  isKeyed?: boolean
}

export type Result = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  answers: number
  /** CPU time of the thread that made the load. */
  clientMicros: number
}

/** Keeps so many connections busy from a thread of its own, so that the client's work is not the server's. */
export function runLoad(load: Load): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./load-thread.ts', import.meta.url), { workerData: load })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
