import { DocumentThread } from './document-thread.ts'
import type { Answer, Task } from './document-worker.ts'
import { createMemoryBudget } from './memory-budget.ts'

export type ThreadsOptions = {
  /** The number of files worked on at once. Others wait in order of arrival. */
  threads?: number
  /** The time for one file. Waiting for a thread or for memory does not count. */
  timeLimitMs?: number
  /** The heap of one thread, far above what a file within the limits of pdf/parser.ts needs. */
  heapLimitMb?: number
  /** The memory for pictures that must be unpacked as a whole. */
  memoryBytes?: number
}

type Job = { prepare(): Promise<Task> } & PromiseWithResolvers<Answer>

/** Threads that work on documents, in order of arrival, and share one memory budget. */
export function createDocumentThreads({
  threads = 2,
  timeLimitMs = 15_000,
  heapLimitMb = 320,
  memoryBytes = 160 * 1024 * 1024,
}: ThreadsOptions) {
  const budget = createMemoryBudget(memoryBytes)
  const waiting: Job[] = []
  const idle: DocumentThread[] = []
  const busy = new Set<DocumentThread>()
  let running = 0
  let isClosed = false

  async function work({ prepare, resolve, reject }: Job): Promise<void> {
    try {
      const task = await prepare()
      if (isClosed) throw closed()
      const thread = takeThread()
      resolve(await thread.run(task).finally(() => putBack(thread)))
    } catch (error) {
      reject(error)
    }
  }

  function takeThread(): DocumentThread {
    const thread = idle.pop() ?? new DocumentThread({ timeLimitMs, heapLimitMb, budget })
    if (!thread.isUsable) return takeThread()
    busy.add(thread)
    return thread
  }

  function putBack(thread: DocumentThread): void {
    busy.delete(thread)
    if (thread.isUsable && !isClosed) idle.push(thread)
    else void thread.stop()
  }

  function startNext(): void {
    while (running < threads) {
      const job = waiting.shift()
      if (!job) return
      running += 1
      void work(job).finally(() => {
        running -= 1
        startNext()
      })
    }
  }

  return {
    /** Works on a file; `prepare` runs when its turn comes. Rejects when the threads are closed or cannot start. */
    run: async (prepare: Job['prepare']): Promise<Answer> => {
      if (isClosed) throw closed()
      const job: Job = { prepare, ...Promise.withResolvers<Answer>() }
      waiting.push(job)
      startNext()
      return job.promise
    },

    /** Aborts the running work. */
    close: async (): Promise<void> => {
      isClosed = true
      for (const job of waiting.splice(0)) job.reject(closed())
      await Promise.all([...idle, ...busy].map((thread) => thread.stop()))
    },
  }
}

function closed(): Error {
  return new Error('Documents are no longer checked: the process is stopping')
}
