import { createTurns, createUse } from '../../lib/shares/turns.ts'
import { DocumentThread, type ThreadOptions } from './document-thread.ts'
import type { Answer, Task } from './document-worker.ts'
import { createMemoryBudget } from './memory-budget.ts'

export type ThreadsOptions = {
  /** The number of files worked on at once. Organizations take turns for them. */
  threads?: number
  /** How many of them work for one organization at most. Fewer than all: no backlog of one stops another. */
  threadsOfOne?: number
  /** The time for one file. Waiting for a thread or for memory does not count. */
  timeLimitMs?: number
  /** The heap of one thread, far above what a file within the limits of pdf/parser.ts needs. */
  heapLimitMb?: number
  /** The memory for pictures that must be unpacked as a whole. One organization uses half of it at most. */
  memoryBytes?: number
}

type Job = { organizationId: string; prepare(): Promise<Task> } & PromiseWithResolvers<Answer>

/** Threads that work on documents, organization by organization in turn, and share one memory budget. */
export function createDocumentThreads({
  threads = 3,
  threadsOfOne = threads - 1,
  timeLimitMs = 15_000,
  heapLimitMb = 320,
  memoryBytes = 320 * 1024 * 1024,
}: ThreadsOptions) {
  const pool = createPool({ timeLimitMs, heapLimitMb, budget: createMemoryBudget(memoryBytes) })
  const waiting = createTurns<Job>()
  const use = createUse()
  const most = Math.max(1, threadsOfOne)
  let running = 0

  async function work({ organizationId, prepare, resolve, reject }: Job): Promise<void> {
    try {
      const task = await prepare()
      const thread = pool.take()
      resolve(await thread.run(organizationId, task).finally(() => pool.putBack(thread)))
    } catch (error) {
      reject(error)
    }
  }

  function startNext(): void {
    while (running < threads) {
      const next = waiting.next((organizationId) => use.of(organizationId) < most)
      if (!next) return
      running += 1
      use.add(next.organizationId, 1)
      void work(next.taken).finally(() => {
        running -= 1
        use.add(next.organizationId, -1)
        startNext()
      })
    }
  }

  return {
    /**
     * Works on a file of an organization; `prepare` runs when its turn comes. Rejects when the threads are closed or
     * cannot start.
     */
    run: async (organizationId: string, prepare: Job['prepare']): Promise<Answer> => {
      pool.requireOpen()
      const job: Job = { organizationId, prepare, ...Promise.withResolvers<Answer>() }
      waiting.add(organizationId, job)
      startNext()
      return job.promise
    },

    /** Aborts the running work. */
    close: async (): Promise<void> => {
      const stopped = pool.close()
      for (const job of waiting.empty()) job.reject(closed())
      await stopped
    },
  }
}

/** The threads themselves, kept for the next file while they are usable. */
function createPool(options: ThreadOptions) {
  const idle: DocumentThread[] = []
  const busy = new Set<DocumentThread>()
  let isClosed = false
  const requireOpen = () => {
    if (isClosed) throw closed()
  }
  const take = (): DocumentThread => {
    requireOpen()
    const thread = idle.pop() ?? new DocumentThread(options)
    if (!thread.isUsable) return take()
    busy.add(thread)
    return thread
  }
  return {
    requireOpen,
    take,
    putBack: (thread: DocumentThread): void => {
      busy.delete(thread)
      if (thread.isUsable && !isClosed) idle.push(thread)
      else void thread.stop()
    },
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all([...idle, ...busy].map((thread) => thread.stop()))
    },
  }
}

function closed(): Error {
  return new Error('Documents are no longer checked: the process is stopping')
}
