import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { CustodyService } from '../../custody/service.ts'
import type { Logger } from '../../http/log.ts'
import type { Running } from '../serve.ts'

const program = path.join(import.meta.dirname, '..', '..', 'main.ts')
const restartAfterMs = 1_000
const longestStopMs = 10_000

/**
 * Runs the signer of `svc dev` in a process of its own, so that the process that answers requests holds no keys. The
 * signer ends when the channel to this process closes. When it dies alone, it is restarted.
 */
export function startSignerProcess(log: Logger): Running {
  let stopping = false
  let child: ChildProcess
  const start = () => {
    child = fork(program, ['signer'])
    child.once('exit', (code, signal) => {
      if (stopping) return
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
    stop: async () => {
      stopping = true
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
