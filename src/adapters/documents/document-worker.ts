import { parentPort, workerData } from 'node:worker_threads'
import { fileTypeFromBuffer } from 'file-type'
import type { CheckedDocument } from '../../customers/ports.ts'
import { readDataUri } from './data-uri.ts'
import {
  checkSize,
  DocumentRefused,
  decideMediaType,
  documentLimits,
  documentProblems,
  type MediaType,
  type RefusedDocument,
} from './document-check.ts'
import { reencodeImage } from './reencode-image.ts'
import { watermarkImage } from './watermark-image.ts'

export type WorkerSettings = { timeLimitMs: number }

export type Task =
  | { kind: 'check'; bytes: Uint8Array<ArrayBuffer>; isEscaped: boolean }
  | { kind: 'watermark'; bytes: Uint8Array<ArrayBuffer>; mediaType: MediaType; lines: readonly string[] }

/** A stored document with a watermark. */
export type WatermarkedDocument = { ok: true; bytes: Buffer }

export type Answer = CheckedDocument | WatermarkedDocument | RefusedDocument

export type ToWorker = Task | { kind: 'memory granted' }

export type FromWorker =
  | { kind: 'ready' }
  /** The picture needs this much memory to be unpacked. The worker waits for "memory granted". */
  | { kind: 'memory requested'; bytes: number }
  /** `isSpent`: the PDF library has filled too much of the heap, so this worker must be replaced. */
  | { kind: 'done'; answer: Answer; isSpent: boolean }

const { timeLimitMs } = workerData as WorkerSettings
const port = parentPort!
let resumeWithMemory = () => {}
let isSpent = false

// The PDF library prints warnings that quote the file, and creates an error with a stack for each dead end.
Object.assign(console, { warn: () => {} })
Error.stackTraceLimit = 0

function requestMemory(bytes: number): Promise<void> {
  if (bytes === 0) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  resumeWithMemory = resolve
  port.postMessage({ kind: 'memory requested', bytes } satisfies FromWorker)
  return promise
}

async function checkFile(dataUri: Uint8Array<ArrayBuffer>, isEscaped: boolean): Promise<CheckedDocument> {
  const read = readDataUri([dataUri], { isEscaped, mostBytes: documentLimits.mostBytes })
  // Frees the memory at once: the garbage collector would keep it while the picture is unpacked.
  dataUri.buffer.transfer(0)
  if (!read.ok) throw new DocumentRefused(read.problem)
  const { bytes, declaredType } = read
  checkSize(bytes.length)
  const mediaType = decideMediaType(declaredType, (await fileTypeFromBuffer(bytes))?.mime)
  if (mediaType !== 'application/pdf') return reencodeImage(bytes, mediaType, { timeLimitMs, requestMemory })
  // Loaded on demand: most files are pictures, and loading the PDF library takes longer than checking one.
  const { rewritePdf } = await import('./pdf/rewrite.ts')
  const { isLibraryCacheFull } = await import('./pdf/parser.ts')
  try {
    return await rewritePdf(bytes)
  } finally {
    isSpent = isLibraryCacheFull()
  }
}

async function watermark({ bytes, mediaType, lines }: Task & { kind: 'watermark' }): Promise<WatermarkedDocument> {
  const stored = Buffer.from(bytes.buffer)
  if (mediaType !== 'application/pdf') return { ok: true, bytes: await watermarkImage(stored, mediaType, lines) }
  // The library keeps what it parsed, and does not count it here.
  isSpent = true
  const { watermarkPdf } = await import('./pdf/watermark.ts')
  return { ok: true, bytes: await watermarkPdf(stored, lines) }
}

async function answerTask(task: Task): Promise<void> {
  try {
    const done = await (task.kind === 'check' ? checkFile(task.bytes, task.isEscaped) : watermark(task))
    // Memory of a native library cannot be transferred between threads; this copy can.
    const bytes = Buffer.from(new Uint8Array(done.bytes).buffer)
    const answer = { ...done, bytes }
    port.postMessage({ kind: 'done', answer, isSpent } satisfies FromWorker, [bytes.buffer])
  } catch (error) {
    // Any error is blamed on this file. Messages of libraries may quote the file, so they end here.
    const problem = error instanceof DocumentRefused ? error.problem : documentProblems.damaged
    port.postMessage({ kind: 'done', answer: { ok: false, problem }, isSpent } satisfies FromWorker)
  }
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'memory granted') resumeWithMemory()
  else void answerTask(message)
})
port.postMessage({ kind: 'ready' } satisfies FromWorker)
