import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, onTestFinished } from 'vitest'
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
    await expect.poll(() => passed, { timeout: 30_000, interval: 20 }).toContain(point)
    passed.length = 0
  }
  const died = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  return { child, passes, died }
}

const program = await bundleWorker()

/**
 * Joins the worker's thousand modules in one file, because each crash loads them all again: this halves the cost. Its
 * name depends on its contents, so that later runs find its compiled code.
 */
async function bundleWorker(): Promise<string> {
  const joined = /^(typebox|libphonenumber-js|jose)(\/|$)/
  const bundle = await rolldown({
    input: path.join(import.meta.dirname, 'mortal-worker.ts'),
    platform: 'node',
    treeshake: false,
    external: (id, _importer, isResolved) =>
      !isResolved && !id.startsWith('.') && !path.isAbsolute(id) && !joined.test(id),
    plugins: [{ name: 'keep places', transform: { filter: { id: /\.ts$/ }, handler: keepPlaces } }],
  })
  const dir = path.join(compileCache.NODE_COMPILE_CACHE, '..', 'mortal-worker')
  const { output } = await bundle.write({ dir, format: 'esm', entryFileNames: '[hash].mjs', codeSplitting: false })
  await bundle.close()
  return path.join(dir, output[0].fileName)
}

/** Lets a module find its files from another place. */
function keepPlaces(code: string, file: string) {
  const placed = code
    .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
  return { code: placed, moduleType: 'ts' as const }
}

function forkWorker(): ChildProcess {
  const env = { ...process.env, ...compileCache }
  const child = fork(program, { env })
  // No test waits for it to end.
  child.unref()
  child.channel?.unref()
  return child
}
