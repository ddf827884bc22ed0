import { setImmediate } from 'node:timers/promises'
import type { CheckedDocument } from '../../customers/ports.ts'
import { documentLimits, documentProblems, type RefusedDocument } from './document-check.ts'
import { DocumentThread } from './document-thread.ts'
import { createMemoryBudget } from './memory-budget.ts'

/** A data URI, as the raw bytes between the quotes of a JSON string or as text. */
export type DocumentFile = { pieces: readonly Buffer[] } | { text: string }

export type DocumentCheckerOptions = {
  /** The number of files checked at once. Others wait in order of arrival. */
  threads?: number
  /** The time for one file. Waiting for a thread or for memory does not count. */
  timeLimitMs?: number
  /** The heap of one thread, far above what a file within the limits of pdf-parser.ts needs. */
  heapLimitMb?: number
  /** The memory for pictures that must be unpacked as a whole. */
  memoryBytes?: number
}

export type DocumentChecker = ReturnType<typeof createDocumentChecker>

type Job = { file: DocumentFile } & PromiseWithResolvers<CheckedDocument | RefusedDocument>

// Base64 takes four bytes for three; twice that leaves room for what JSON writers escape.
const mostEncodedBytes = Math.ceil(documentLimits.mostBytes / 3) * 4 * 2
const copiedAtOnce = 512 * 1024

/**
 * Checks document files in worker threads. The main thread only copies their bytes, in small parts: requests share the
 * buffers in which they arrive.
 */
export function createDocumentChecker({
  threads = 2,
  timeLimitMs = 15_000,
  heapLimitMb = 320,
  memoryBytes = 160 * 1024 * 1024,
}: DocumentCheckerOptions = {}) {
  const budget = createMemoryBudget(memoryBytes)
  const waiting: Job[] = []
  const idle: DocumentThread[] = []
  const busy = new Set<DocumentThread>()
  let running = 0
  let isClosed = false

  async function run({ file, resolve, reject }: Job): Promise<void> {
    try {
      const bytes = await copyBytes(file)
      if (isClosed) throw closed()
      const thread = takeThread()
      resolve(await thread.check(bytes, 'pieces' in file).finally(() => putBack(thread)))
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
      void run(job).finally(() => {
        running -= 1
        startNext()
      })
    }
  }

  return {
    /** Rejects only when the checker is closed or its worker cannot start. */
    check: async (file: DocumentFile): Promise<CheckedDocument | RefusedDocument> => {
      if (isClosed) throw closed()
      if (encodedLength(file) > mostEncodedBytes) return { ok: false, problem: documentProblems.size }
      const job: Job = { file, ...Promise.withResolvers<CheckedDocument | RefusedDocument>() }
      waiting.push(job)
      startNext()
      return job.promise
    },

    /** Aborts the running checks. */
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

function encodedLength(file: DocumentFile): number {
  return 'text' in file ? file.text.length : file.pieces.reduce((sum, piece) => sum + piece.length, 0)
}

/** Copies a file into one buffer that can be transferred to a thread, with pauses for other requests. */
async function copyBytes(file: DocumentFile): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = 'text' in file ? [Buffer.from(file.text)] : file.pieces
  const copy = new Uint8Array(new ArrayBuffer(pieces.reduce((sum, piece) => sum + piece.length, 0)))
  let at = 0
  let sincePause = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += copiedAtOnce) {
      const part = piece.subarray(from, from + copiedAtOnce)
      copy.set(part, at)
      at += part.length
      sincePause += part.length
      if (sincePause < copiedAtOnce) continue
      await setImmediate()
      sincePause = 0
    }
  }
  return copy
}
