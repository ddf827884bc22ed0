import cluster from 'node:cluster'
import { parseArgs } from 'node:util'
import type { Siblings } from '../../http/metrics.ts'

/** The place of this process among several API processes that share a port. */
export type Place = { number: number; port: number }

/** Messages between an API process and the process that supervises it. */
export type ToSupervisor =
  | { kind: 'started'; baseUrl: string }
  | { kind: 'pong' }
  | { kind: 'ask'; question: number }
  | { kind: 'tell'; question: number; asker: number; text: string }
export type ToSibling =
  | { kind: 'stop' }
  | { kind: 'ping' }
  | { kind: 'asked'; question: number; count: number }
  | { kind: 'wanted'; question: number; asker: number }
  | { kind: 'told'; question: number; text: string }

/**
 * Linux spreads the connections over the processes that listen. Elsewhere they share one socket through node:cluster, and
 * the process that is fastest gets the connection.
 */
const hasReusePort = process.platform === 'linux'

/** A process that is busy for longer is missing from the answer of that scrape. Prometheus waits for 10 seconds. */
const longestAnswerMs = 8_000

/** Reads the arguments that `startApiProcesses` gives to its children; undefined in every other process. */
export function findPlace(args: string[]): Place | undefined {
  if (!cluster.isWorker || !args.includes('--process')) return undefined
  const { values } = parseArgs({ args, options: { process: { type: 'string' }, port: { type: 'string' } } })
  return { number: Number(values.process), port: Number(values.port) }
}

/** Calls the listener when the supervisor asks this process to stop. */
export function onStopMessage(listener: () => void): void {
  if (!cluster.isWorker) return
  process.on('message', (message: ToSibling) => {
    if (message?.kind === 'stop') listener()
  })
}

/** Tells the supervisor, whenever it asks, that this process is not hung. */
export function answerPings(): void {
  process.on('message', (message: ToSibling) => {
    if (message.kind === 'ping') send({ kind: 'pong' })
  })
}

/** Tells the supervisor that this process answers requests. From now on, it drains when the supervisor ends. */
export function tellStarted(baseUrl: string): void {
  // Otherwise Node would end this process at once when the channel closes.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  send({ kind: 'started', baseUrl })
}

/** Connects this process with the others through the supervisor. */
export function joinSiblings({ number }: Place): Siblings {
  type Open = { texts: string[]; count: number; end(): void }
  const open = new Map<number, Open>()
  let questions = 0
  let renderOwn: () => Promise<string> = async () => ''
  const note = (question: number, change: (asked: Open) => void) => {
    const asked = open.get(question)
    if (!asked) return
    change(asked)
    if (asked.texts.length >= asked.count) asked.end()
  }
  process.on('message', (message: ToSibling) => {
    if (message.kind === 'asked') note(message.question, (asked) => Object.assign(asked, { count: message.count }))
    if (message.kind === 'told') note(message.question, ({ texts }) => texts.push(message.text))
    if (message.kind !== 'wanted') return
    const { question, asker } = message
    renderOwn().then(
      (text) => send({ kind: 'tell', question, asker, text }),
      () => {},
    )
  })
  return {
    number,
    listenOptions: hasReusePort ? { reusePort: true, exclusive: true } : {},
    answerWith: (render) => {
      renderOwn = render
    },
    readMetrics: () =>
      new Promise((resolve) => {
        questions += 1
        const question = questions
        const texts: string[] = []
        const end = () => {
          clearTimeout(timer)
          open.delete(question)
          resolve(texts)
        }
        const timer = setTimeout(end, longestAnswerMs)
        open.set(question, { texts, count: Number.POSITIVE_INFINITY, end })
        send({ kind: 'ask', question })
      }),
  }
}

function send(message: ToSupervisor): void {
  // Without a supervisor this process is about to stop.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
