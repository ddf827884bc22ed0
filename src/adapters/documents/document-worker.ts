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
  type RefusedDocument,
} from './document-check.ts'
import { reencodeImage } from './reencode-image.ts'

export type WorkerSettings = { timeLimitMs: number }

export type ToWorker =
  | { kind: 'check'; bytes: Uint8Array<ArrayBuffer>; isEscaped: boolean }
  | { kind: 'memory granted' }

export type FromWorker =
  | { kind: 'ready' }
  /** The picture needs this much memory to be unpacked. The worker waits for "memory granted". */
  | { kind: 'memory requested'; bytes: number }
  /** `isSpent`: the PDF library has filled too much of the heap, so this worker must be replaced. */
  | { kind: 'done'; answer: CheckedDocument | RefusedDocument; isSpent: boolean }

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
  const { rewritePdf } = await import('./rewrite-pdf.ts')
  const { isLibraryCacheFull } = await import('./pdf-parser.ts')
  try {
    return await rewritePdf(bytes)
  } finally {
    isSpent = isLibraryCacheFull()
  }
}

async function answerCheck(dataUri: Uint8Array<ArrayBuffer>, isEscaped: boolean): Promise<void> {
  try {
    const checked = await checkFile(dataUri, isEscaped)
    // Memory of a native library cannot be transferred between threads; this copy can.
    const bytes = Buffer.from(new Uint8Array(checked.bytes).buffer)
    const answer = { ...checked, bytes }
    port.postMessage({ kind: 'done', answer, isSpent } satisfies FromWorker, [bytes.buffer])
  } catch (error) {
    // Any error is blamed on this file. Messages of libraries may quote the file, so they end here.
    const problem = error instanceof DocumentRefused ? error.problem : documentProblems.damaged
    port.postMessage({ kind: 'done', answer: { ok: false, problem }, isSpent } satisfies FromWorker)
  }
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'memory granted') resumeWithMemory()
  else void answerCheck(message.bytes, message.isEscaped)
})
port.postMessage({ kind: 'ready' } satisfies FromWorker)
