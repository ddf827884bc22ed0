import { fork } from 'node:child_process'

export type Load = {
  url: string
  headers: Record<string, string>
  /** Bodies to POST, one after the other. */
  bodies: readonly string[]
  /** Paths to GET, one after the other, instead of POST requests to `url`. */
  paths?: readonly string[]
  connections: number
  seconds: number
  /** Sends each body once, and ends early after the last. */
  isOnce?: boolean
  expectStatus: number
  /** Sends a new idempotency key with each request. */
  isKeyed?: boolean
}

export type Result = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  answers: number
}

/** Keeps the connections busy from another process, so that nothing of the client counts as the cost of the server. */
export function runLoad(load: Load): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./load-process.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: [],
    })
    child.once('message', resolve as (result: unknown) => void)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the load ended with code ${code}`)))
    child.send(load)
  })
}
