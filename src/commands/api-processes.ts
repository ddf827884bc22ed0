import cluster, { type Worker } from 'node:cluster'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { watchProcess } from './processes/liveness.ts'
import { program } from './processes/program.ts'
import { listExceededLimits } from './processes/shares.ts'
import type { ToSibling, ToSupervisor } from './processes/siblings.ts'
import type { Running } from './serve.ts'
import { prepareDatabase } from './start/database.ts'
import { findFreePort } from './start/ports.ts'

const firstDelayMs = 100
const longestDelayMs = 5_000
/** A process that ran for this long is restarted with the shortest delay again. */
const steadyMs = 30_000
/** Beside the delay of the load balancer: longer than an API process takes to cut its last requests. */
const longestStopMs = 35_000

type Child = {
  worker: Worker
  started: Promise<string>
  ended: Promise<{ code: number | null; signal: string | null }>
}

/**
 * Runs several API processes that share one port, and restarts one that ends or hangs. This process answers no request itself. The
 * first child finds faults of the settings before the others start.
 */
export async function startApiProcesses(config: Config, log: Logger): Promise<Running> {
  const port = await findFreePort(config)
  // The embedded database must outlive each child, and is migrated once.
  const location = config.databaseUrl ? undefined : await prepareDatabase(config, log, { runsAllRoles: false })
  for (const limit of listExceededLimits(config))
    log.warn({ ...limit, processes: config.processes }, 'the API processes together allow more than this setting')
  const stopping = new AbortController()
  const children = new Map<number, Child>()
  // In turn would lose connections: Node leaves those open, and unanswered, that it was handing to a process that died.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.on('message', (worker, message: ToSupervisor) => relay(worker, message))

  const start = (number: number): Child => {
    const child = startChild(['--process', String(number), '--port', String(port)])
    children.set(number, child)
    killWhenHung(child, number, log)
    return child
  }
  const keep = async (number: number, first: Child) => {
    let [child, startedAt, delayMs] = [first, Date.now(), firstDelayMs]
    for (;;) {
      const { code, signal } = await child.ended
      if (Date.now() - startedAt > steadyMs) delayMs = firstDelayMs
      // A signal to the whole process group ends the children before this process begins to stop.
      await setTimeout(delayMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      const pid = child.worker.process.pid
      log.warn({ process: number, pid, code, signal, delayMs }, 'an API process ended and is restarted')
      delayMs = Math.min(2 * delayMs, longestDelayMs)
      startedAt = Date.now()
      try {
        child = start(number)
      } catch (error) {
        // Node throws without memory. The next turn comes at once, waits longer, and tries again.
        log.error({ process: number, err: error }, 'an API process could not be started')
      }
    }
  }

  const first = start(1)
  const baseUrl = await Promise.race([first.started, first.ended.then(() => undefined)])
  if (baseUrl === undefined) {
    await location?.stop()
    throw new Error('The API could not start, for the reason above.')
  }
  const kept = [keep(1, first)]
  const others = Array.from({ length: config.processes - 1 }, (_, at) => at + 2).map((number) => {
    const child = start(number)
    kept.push(keep(number, child))
    return Promise.race([child.started, child.ended])
  })
  await Promise.all(others)
  log.info({ baseUrl, processes: config.processes }, 'the API is listening')
  return {
    stop: async () => {
      stopping.abort()
      for (const { worker } of children.values()) stopChild(worker)
      const kill = globalThis.setTimeout(() => {
        for (const { worker } of children.values()) worker.process.kill('SIGKILL')
      }, config.drainDelayMs + longestStopMs)
      await Promise.all(kept)
      clearTimeout(kill)
      await location?.stop()
    },
  }
}

const startedWorkers = new WeakSet<Worker>()

function startChild(args: string[]): Child {
  cluster.setupPrimary({ exec: program, args: ['serve', ...args] })
  const worker = cluster.fork()
  return {
    worker,
    started: new Promise((resolve) => {
      worker.on('message', (message: ToSupervisor) => {
        if (message.kind !== 'started') return
        startedWorkers.add(worker)
        resolve(message.baseUrl)
      })
    }),
    ended: new Promise((resolve) => {
      worker.process.once('exit', (code, signal) => resolve({ code, signal }))
      // A machine without room for a process starts none, and none exits. Node repeats the error at the worker, where it
      // would end this process if nothing listened.
      worker.on('error', () => {
        if (worker.process.pid === undefined) resolve({ code: null, signal: null })
      })
    }),
  }
}

/** Kills a process that does not answer; `keep` then restarts it. */
function killWhenHung({ worker }: Child, number: number, log: Logger): void {
  watchProcess(worker, {
    ping: () => send(worker, { kind: 'ping' }),
    onHung: () => {
      log.warn({ process: number, pid: worker.process.pid }, 'an API process does not answer and is killed')
      worker.process.kill('SIGKILL')
    },
  })
}

/** Asks a process to drain. One that has not started yet has nothing to drain, and ends with its channel. */
function stopChild(worker: Worker): void {
  if (startedWorkers.has(worker)) send(worker, { kind: 'stop' })
  else if (worker.isConnected()) worker.process.disconnect()
}

/** Passes a question of one process to the others, and their answers back. */
function relay(asker: Worker, message: ToSupervisor): void {
  if (message.kind === 'ask') {
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker !== undefined && worker !== asker && startedWorkers.has(worker),
    ) as Worker[]
    send(asker, { kind: 'asked', question: message.question, count: others.length })
    for (const other of others) send(other, { kind: 'wanted', question: message.question, asker: asker.id })
  } else if (message.kind === 'tell') {
    const { question, text } = message
    const worker = cluster.workers?.[message.asker]
    if (worker) send(worker, { kind: 'told', question, text })
  }
}

function send(worker: Worker, message: ToSibling): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {})
}
