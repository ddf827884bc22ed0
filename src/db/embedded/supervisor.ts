import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from './server-process.ts'

/** Keeps a server running until `stop`. */
export type Supervisor = { stop(): Promise<void> }

const firstDelayMs = 100
const longestDelayMs = 5_000
/** A server that ran for this long is restarted with the shortest delay again. */
const steadyMs = 30_000
/** The time that the children of a killed server have to release its shared memory before the start fails. */
const leftoverTimeoutMs = 30_000

/** Starts the server and restarts it whenever it ends. Rejects when the first start fails. */
export async function supervise(
  prepare: () => Promise<void>,
  start: () => ServerProcess,
  log: (message: string) => void,
): Promise<Supervisor> {
  const stopping = new AbortController()
  let server = await startAfterLeftovers(prepare, start)

  const watch = async () => {
    let delayMs = firstDelayMs
    let startedAt = Date.now()
    for (;;) {
      const how = await server.ended
      if (stopping.signal.aborted) return
      log(`the database server ended unexpectedly (${how}): restarting it`)
      if (Date.now() - startedAt > steadyMs) delayMs = firstDelayMs
      await sleep(delayMs, null, { signal: stopping.signal }).catch(() => {})
      delayMs = Math.min(delayMs * 2, longestDelayMs)
      startedAt = Date.now()
      try {
        await prepare()
        if (stopping.signal.aborted) return
        server = start()
        await server.ready
        log('the database server is running again')
      } catch (error) {
        if (!stopping.signal.aborted) log(`the database server could not be restarted: ${messageOf(error)}`)
        await server.stop()
      }
    }
  }
  const watching = watch()
  return {
    async stop() {
      stopping.abort()
      await server.stop()
      await watching
    },
  }
}

async function startAfterLeftovers(prepare: () => Promise<void>, start: () => ServerProcess): Promise<ServerProcess> {
  const deadline = Date.now() + leftoverTimeoutMs
  for (;;) {
    await prepare()
    const server = start()
    try {
      await server.ready
      return server
    } catch (error) {
      await server.stop()
      const isTransient = /pre-existing shared memory block|lock file .* already exists/.test(messageOf(error))
      if (!isTransient || Date.now() > deadline) throw error
      await sleep(firstDelayMs)
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
