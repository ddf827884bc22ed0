import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { Writable } from 'node:stream'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { appRole, type Connection } from '../../../src/db/database.ts'
import { createLogger } from '../../../src/http/log.ts'

export type MortalWorker = {
  connection: Connection
  masterKey: string
  settings: Record<string, string>
  /** Kills itself when it passes this point for the n-th time, or stops there until it gets SIGCONT. */
  dieAt?: { point: string; times: number; by?: 'SIGKILL' | 'SIGSTOP' }
}

/**
 * A worker in a separate process, which reports every point that it passes to its parent, and may die at one. The first
 * message gives it its work; each later one wakes it.
 */
process.on('disconnect', () => process.exit())
const [{ connection, masterKey, settings, dieAt }] = (await once(process, 'message')) as [MortalWorker]
let timesLeft = dieAt?.times ?? 0
const app = await buildApp({
  config: readConfig({ SVC_SANDBOX_BANK: 'memory', ...settings }, process.cwd()),
  version: 'test',
  masterKeys: { current: Buffer.from(masterKey, 'hex'), previous: [] },
  database: { connection, role: appRole },
  log: createLogger('silent', new Writable({ write: (_line, _encoding, done) => done() })),
  onPoint: (point) => {
    process.send?.(point)
    if (point === dieAt?.point && --timesLeft === 0) process.kill(process.pid, dieAt.by ?? 'SIGKILL')
  },
})
// A killed worker has no later chance to leave this to the next.
flushCompileCache()
const worker = await app.startWorker()
process.on('message', () => worker.wake())
process.send?.('started')
