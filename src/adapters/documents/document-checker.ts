import { setImmediate } from 'node:timers/promises'
import type { CheckedDocument } from '../../customers/ports.ts'
import { documentLimits, documentProblems, type RefusedDocument } from './document-check.ts'
import { DocumentThread } from './document-thread.ts'
import { createMemoryRoom } from './memory-room.ts'

/** A data URI: as the bytes between the quotes of a JSON string, escapes and all, or as text. */
export type DocumentFile = { pieces: readonly Buffer[] } | { text: string }

export type DocumentCheckerOptions = {
  /** So many files are checked at once; the others wait, as they came, in order. */
  threads?: number
  /** For one file. Waiting for a thread or for memory does not count. */
  timeLimitMs?: number
  /** Of one thread. No file that keeps the limits of pdf-parser.ts comes near it. */
  heapLimitMb?: number
  /** For pictures that must be unpacked as a whole. */
  roomBytes?: number
}

export type DocumentChecker = ReturnType<typeof createDocumentChecker>

type Job = { file: DocumentFile } & PromiseWithResolvers<CheckedDocument | RefusedDocument>

// Base64 takes four bytes for three; twice that leaves room for what JSON writers escape.
const mostEncodedBytes = Math.ceil(documentLimits.mostBytes / 3) * 4 * 2
const copiedAtOnce = 512 * 1024

/**
 * Checks document files away from the main thread, which only copies their bytes, a little at a time: the buffers a
 * request arrived in belong to it, and neighbours share them.
 */
export function createDocumentChecker({
  threads = 2,
  timeLimitMs = 15_000,
  heapLimitMb = 320,
  roomBytes = 160 * 1024 * 1024,
}: DocumentCheckerOptions = {}) {
  const room = createMemoryRoom(roomBytes)
  const waiting: Job[] = []
  const idle: DocumentThread[] = []
  const busy = new Set<DocumentThread>()
  let running = 0
  let isClosed = false

  async function run({ file, resolve, reject }: Job): Promise<void> {
    try {
      const bytes = await gather(file)
      if (isClosed) throw closed()
      const thread = takeThread()
      resolve(await thread.check(bytes, 'pieces' in file).finally(() => putBack(thread)))
    } catch (error) {
      reject(error)
    }
  }

  function takeThread(): DocumentThread {
    const thread = idle.pop() ?? new DocumentThread({ timeLimitMs, heapLimitMb, room })
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
    /** Rejects only when no file could be checked, or when closed. */
    check: async (file: DocumentFile): Promise<CheckedDocument | RefusedDocument> => {
      if (isClosed) throw closed()
      if (encodedLength(file) > mostEncodedBytes) return { ok: false, problem: documentProblems.size }
      const job: Job = { file, ...Promise.withResolvers<CheckedDocument | RefusedDocument>() }
      waiting.push(job)
      startNext()
      return job.promise
    },

    /** Gives up what is under way. */
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

/** One run of bytes that can be handed to a thread, copied with pauses in which others get their turn. */
async function gather(file: DocumentFile): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = 'text' in file ? [Buffer.from(file.text)] : file.pieces
  const gathered = new Uint8Array(new ArrayBuffer(pieces.reduce((sum, piece) => sum + piece.length, 0)))
  let at = 0
  let sincePause = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += copiedAtOnce) {
      const part = piece.subarray(from, from + copiedAtOnce)
      gathered.set(part, at)
      at += part.length
      sincePause += part.length
      if (sincePause < copiedAtOnce) continue
      await setImmediate()
      sincePause = 0
    }
  }
  return gathered
}
