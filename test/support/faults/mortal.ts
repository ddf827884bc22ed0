import { type ChildProcess, fork } from 'node:child_process'
import { expect, onTestFinished } from 'vitest'
import { bundleProgram } from '../project/bundle.ts'
import { type TestApi, testMasterKey } from '../runner/api.ts'
import { compileCache } from '../runner/process.ts'
import type { MortalWorker } from './mortal-worker.ts'

/** A worker in a separate process, which dies or stops at the point that a test names. */
export type Mortal = {
  child: ChildProcess
  /** Resolves once the worker has passed this point since the last wait for it. */
  passes(point: string): Promise<void>
  /** Resolves when the worker has died, with the signal that killed it. */
  died: Promise<NodeJS.Signals | null>
}

/**
 * A spare process that has loaded everything and waits for its first message: it starts while a test runs another. It
 * may stay for the next file of this test worker, and ends with it.
 */
let spare: ChildProcess | undefined

export function startMortal(
  { database }: Pick<TestApi, 'database'>,
  more: Pick<MortalWorker, 'settings'> & Partial<MortalWorker>,
): Mortal {
  const masterKey = testMasterKey.toString('hex')
  const worker: MortalWorker = { connection: database.app.connection, masterKey, ...more }
  const child = spare?.connected ? spare : forkWorker()
  onTestFinished(() => void child.kill('SIGKILL'))
  const passed: unknown[] = []
  child.on('message', (point) => passed.push(point))
  // A test may kill it before it has read this.
  child.send(worker, () => {})
  spare = forkWorker()
  const passes = async (point: string) => {
    await expect.poll(() => passed, { interval: 20 }).toContain(point)
    passed.length = 0
  }
  const died = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  return { child, passes, died }
}

// Each crash loads it again.
const program = await bundleProgram('test/support/faults/mortal-worker.ts', 'mortal-worker')

function forkWorker(): ChildProcess {
  const env = { ...process.env, ...compileCache }
  const child = fork(program, { env })
  // No test waits for it to end.
  child.unref()
  child.channel?.unref()
  return child
}
