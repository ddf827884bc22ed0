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
  /** Ends itself without a word when it comes past this point for the n-th time, or stops there until it is continued. */
  dieAt?: { point: string; times: number; by?: 'SIGKILL' | 'SIGSTOP' }
}

/**
 * A worker in a process of its own, which tells its parent of every point that it passes, and may die at one. Its first
 * message says what to work on; each later one wakes it.
 */
process.on('disconnect', () => process.exit())
const [{ connection, masterKey, settings, dieAt }] = (await once(process, 'message')) as [MortalWorker]
let timesLeft = dieAt?.times ?? 0
const app = await buildApp({
  config: readConfig(settings, process.cwd()),
  version: 'test',
  masterKeys: { current: Buffer.from(masterKey, 'hex'), previous: [] },
  database: { connection, role: appRole },
  log: createLogger('silent', new Writable({ write: (_line, _encoding, done) => done() })),
  onPoint: (point) => {
    process.send?.(point)
    if (point === dieAt?.point && --timesLeft === 0) process.kill(process.pid, dieAt.by ?? 'SIGKILL')
  },
})
// A worker that is killed has no other time to leave it for the next.
flushCompileCache()
const worker = await app.startWorker()
process.on('message', () => worker.wake())
process.send?.('started')
