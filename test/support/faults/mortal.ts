import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type TestApi, testMasterKey } from '../runner/api.ts'
import type { MortalWorker } from './mortal-worker.ts'

/** A worker in a process of its own, which dies or stops where a test wants it to. */
export type Mortal = {
  child: ChildProcess
  /** Resolves once it has come past this point since the last time that somebody waited for it. */
  passes(point: string): Promise<void>
}

export function startMortal(
  { database }: Pick<TestApi, 'database'>,
  more: Pick<MortalWorker, 'settings'> & Partial<MortalWorker>,
): Mortal {
  const masterKey = testMasterKey.toString('hex')
  const worker: MortalWorker = { connection: database.app.connection, masterKey, ...more }
  const child = fork(path.join(import.meta.dirname, 'mortal-worker.ts'), [JSON.stringify(worker)])
  onTestFinished(() => void child.kill('SIGKILL'))
  const passed: unknown[] = []
  child.on('message', (point) => passed.push(point))
  const passes = async (point: string) => {
    await expect.poll(() => passed, { timeout: 30_000, interval: 20 }).toContain(point)
    passed.length = 0
  }
  return { child, passes }
}
