import { Worker } from 'node:worker_threads'
import { documentProblems, type RefusedDocument } from './document-check.ts'
import type { Answer, FromWorker, Task, ToWorker, WorkerSettings } from './document-worker.ts'
import type { MemoryBudget } from './memory-budget.ts'

export type ThreadOptions = { timeLimitMs: number; heapLimitMb: number; budget: MemoryBudget }

const tooComplex: RefusedDocument = { ok: false, problem: documentProblems.tooComplex }

/** A worker that works on one file at a time. A file that exceeds its limits ends this worker only. */
export class DocumentThread {
  readonly #worker: Worker
  readonly #options: ThreadOptions
  #isReady = false
  #isUsable = true
  #isStopped = false
  #underWay: PromiseWithResolvers<Answer> | undefined
  #timer: NodeJS.Timeout | undefined
  #timeLimitMs = 0
  #organizationId = ''
  #releaseMemory: (() => void) | undefined

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#worker = new Worker(new URL('./document-worker.ts', import.meta.url), {
      name: 'document check',
      workerData: { timeLimitMs: options.timeLimitMs } satisfies WorkerSettings,
      resourceLimits: { maxOldGenerationSizeMb: options.heapLimitMb, maxYoungGenerationSizeMb: 32 },
      // The worker needs no settings, and its output is not logged.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (report: FromWorker) => this.#hear(report))
    // A full heap raises an error, followed by the exit.
    this.#worker.on('error', (error) => this.#die(error))
    this.#worker.on('exit', () => this.#die(new Error('The worker that checks documents has ended')))
    this.#worker.unref()
  }

  /** False once the worker has ended or must be replaced. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Works on a file and takes its bytes over from the caller. Rejects only when the worker itself cannot run. */
  run(organizationId: string, task: Task): Promise<Answer> {
    this.#organizationId = organizationId
    // A stored document was checked before: only a busy machine makes it slow.
    this.#timeLimitMs = this.#options.timeLimitMs * (task.kind === 'watermark' ? 4 : 1)
    this.#underWay = Promise.withResolvers<Answer>()
    this.#worker.ref()
    if (this.#isReady) this.#startTimer()
    this.#worker.postMessage(task satisfies ToWorker, [task.bytes.buffer])
    return this.#underWay.promise
  }

  async stop(): Promise<void> {
    this.#isUsable = false
    this.#isStopped = true
    await this.#worker.terminate()
  }

  #hear(report: FromWorker): void {
    if (report.kind === 'ready') {
      this.#isReady = true
      if (this.#underWay) this.#startTimer()
    } else if (report.kind === 'memory requested') void this.#grantMemory(report.bytes)
    else {
      if (report.isSpent) this.#isUsable = false
      this.#end((underWay) => underWay.resolve(withBuffer(report.answer)))
    }
  }

  /** Waits for memory. The wait does not count towards the file's time limit. */
  async #grantMemory(bytes: number): Promise<void> {
    clearTimeout(this.#timer)
    const release = await this.#options.budget.take(this.#organizationId, bytes)
    if (!this.#underWay) return release()
    this.#releaseMemory = release
    this.#startTimer()
    this.#worker.postMessage({ kind: 'memory granted' } satisfies ToWorker)
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isUsable = false
      void this.#worker.terminate()
    }, this.#timeLimitMs)
  }

  #die(error: Error): void {
    this.#isUsable = false
    // A worker that never started says nothing about the file.
    const isAboutFile = this.#isReady && !this.#isStopped
    this.#end((underWay) => (isAboutFile ? underWay.resolve(tooComplex) : underWay.reject(error)))
  }

  #end(answer: (underWay: PromiseWithResolvers<Answer>) => void): void {
    const underWay = this.#underWay
    if (!underWay) return
    this.#underWay = undefined
    clearTimeout(this.#timer)
    this.#releaseMemory?.()
    this.#releaseMemory = undefined
    this.#worker.unref()
    answer(underWay)
  }
}

/** Restores the Buffer that arrived from another thread as a plain Uint8Array. */
function withBuffer(answer: Answer): Answer {
  if (!answer.ok) return answer
  const { buffer, byteOffset, byteLength } = answer.bytes
  return { ...answer, bytes: Buffer.from(buffer, byteOffset, byteLength) }
}
