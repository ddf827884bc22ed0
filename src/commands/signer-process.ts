import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { CustodyService } from '../custody/service.ts'
import type { Logger } from '../http/log.ts'
import type { Running } from './serve.ts'

const program = path.join(import.meta.dirname, '..', 'main.ts')
const restartAfterMs = 1_000
const longestStopMs = 10_000

/**
 * The signer beside `svc dev`, in a process of its own, so that no key is in the memory of what answers strangers. It ends
 * when the channel to us closes, however we end; if it dies alone it is started again.
 */
export function startSignerProcess(log: Logger): Running {
  let stopping = false
  let child: ChildProcess
  const start = () => {
    child = fork(program, ['signer'])
    child.once('exit', (code, signal) => {
      if (stopping) return
      log.warn({ code, signal }, 'the signer ended and is started again')
      globalThis.setTimeout(() => !stopping && start(), restartAfterMs)
    })
  }
  start()
  return {
    stop: async () => {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.connected) child.disconnect()
      const patience = globalThis.setTimeout(() => child.kill('SIGKILL'), longestStopMs)
      await ended
      clearTimeout(patience)
    },
  }
}

/** A newcomer's first request may be for a wallet. A start goes on without addresses after a while, and says so. */
export async function waitForAddresses({ countFree }: CustodyService, log: Logger, atMostMs: number): Promise<void> {
  const deadline = performance.now() + atMostMs
  while (performance.now() < deadline) {
    if (Object.values(await countFree()).every((free) => free > 0)) return
    await setTimeout(50)
  }
  log.warn('there are no addresses for wallets yet: until the signer has made some, wallets are refused with 503')
}
