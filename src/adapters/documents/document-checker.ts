import { setImmediate } from 'node:timers/promises'
import type { CheckedDocument } from '../../customers/ports.ts'
import { documentLimits, documentProblems, type MediaType, type RefusedDocument } from './document-check.ts'
import { createDocumentThreads, type ThreadsOptions } from './document-threads.ts'

/** A data URI, as the raw bytes between the quotes of a JSON string or as text. */
export type DocumentFile = { pieces: readonly Buffer[] } | { text: string }

export type DocumentCheckerOptions = ThreadsOptions
export type DocumentChecker = ReturnType<typeof createDocumentChecker>

// Base64 takes four bytes for three; twice that leaves room for what JSON writers escape.
const mostEncodedBytes = Math.ceil(documentLimits.mostBytes / 3) * 4 * 2
const copiedAtOnce = 512 * 1024

/**
 * Checks document files in worker threads, for one organization after the other. The main thread only copies their bytes, in small parts: requests share the
 * buffers in which they arrive.
 */
export function createDocumentChecker(options: DocumentCheckerOptions = {}) {
  const threads = createDocumentThreads(options)
  return {
    /** Rejects only when the checker is closed or its worker cannot start. */
    check: async (organizationId: string, file: DocumentFile): Promise<CheckedDocument | RefusedDocument> => {
      if (encodedLength(file) > mostEncodedBytes) return { ok: false, problem: documentProblems.size }
      const answer = await threads.run(organizationId, async () => {
        const bytes = await copyBytes(file)
        return { kind: 'check', bytes, isEscaped: 'pieces' in file }
      })
      return answer as CheckedDocument | RefusedDocument
    },

    /** Writes lines of text all over a stored document, read when its turn comes; undefined when it takes too long. */
    watermark: async (
      organizationId: string,
      mediaType: MediaType,
      lines: readonly string[],
      read: () => Promise<Buffer>,
    ): Promise<Buffer | undefined> => {
      const answer = await threads.run(organizationId, async () => {
        const bytes = await copyBytes({ pieces: [await read()] })
        return { kind: 'watermark', bytes, mediaType, lines }
      })
      return answer.ok ? answer.bytes : undefined
    },

    /** Aborts the running work. */
    close: threads.close,
  }
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
