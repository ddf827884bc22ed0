import type { Worker } from 'node:cluster'
import type { ToSupervisor } from './siblings.ts'

const pingEveryMs = 1_000
/** Pings without an answer until a process counts as hung. No request keeps the event loop for nearly as long. */
const mostUnanswered = 10
/** The same for a process that has not answered yet: it still loads its modules. */
const mostUnansweredAtStart = 60

/**
 * Pings a process each second, and calls `onHung` once when it does not answer. Counts pings, not time: a machine that
 * slept, or a supervisor that was stopped, hangs no process.
 */
export function watchProcess(worker: Worker, { ping, onHung }: { ping(): void; onHung(): void }): void {
  let [unanswered, most] = [0, mostUnansweredAtStart]
  worker.on('message', (message: ToSupervisor) => {
    if (message.kind !== 'pong') return
    unanswered = 0
    most = mostUnanswered
  })
  const timer = setInterval(() => {
    if (unanswered < most) {
      unanswered += 1
      ping()
      return
    }
    clearInterval(timer)
    onHung()
  }, pingEveryMs)
  worker.process.once('exit', () => clearInterval(timer))
  worker.process.once('error', () => clearInterval(timer))
}
