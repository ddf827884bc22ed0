import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import type { CustodyService } from '../../custody/service.ts'
import type { Logger } from '../../http/log.ts'
import type { Running } from '../serve.ts'
import { heldArgument, release } from './held.ts'
import { program } from './program.ts'

const restartAfterMs = 1_000
const longestStopMs = 10_000
/** The exit code of a command that threw. */
const failedStart = 1

/**
 * Runs the signer of `svc dev` in a process of its own, so that the process that answers requests holds no keys. It loads
 * its code at once, and begins with `release`: it needs the database and the addresses of the local chains. The signer ends when the channel to this process closes. When it dies alone, it is restarted. `started` rejects when it never
 * ran: a restart would only repeat the reason, which the signer has printed.
 */
export function startSignerProcess(log: Logger): Running & { started: Promise<void>; release(): void } {
  let stopping = false
  let isReleased = false
  let hasRun = false
  let child: ChildProcess
  const started = Promise.withResolvers<void>()
  started.promise.catch(() => {}) // the caller may have failed for another reason
  const start = () => {
    child = fork(program, ['signer', heldArgument])
    if (isReleased) child.send(release, () => {})
    child.once('message', () => {
      hasRun = true
      started.resolve()
    })
    child.once('exit', (code, signal) => {
      if (stopping) return
      if (!hasRun && code === failedStart) {
        started.reject(new Error('The signer could not start, for the reason above.'))
        return
      }
      // A signal to the whole process group ends the signer before this process begins to stop.
      globalThis.setTimeout(() => {
        if (stopping) return
        log.warn({ code, signal }, 'the signer ended and is restarted')
        start()
      }, restartAfterMs)
    })
  }
  start()
  return {
    started: started.promise,
    release: () => {
      isReleased = true
      if (child.connected) child.send(release, () => {})
    },
    stop: async () => {
      stopping = true
      started.resolve()
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.connected) child.disconnect()
      const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), longestStopMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Waits for the first wallet addresses, because a newcomer's first request may need one. Warns after the time-out. */
export async function waitForAddresses({ countFree }: CustodyService, log: Logger, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if (Object.values(await countFree()).every((free) => free > 0)) return
    await setTimeout(50)
  }
  log.warn('there are no wallet addresses yet: requests for a wallet get 503 until the signer has created some')
}
