import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { MachineZone } from '../../../verification/checks/documents/machine-zone.ts'
import type { FromZoneProcess } from './zone-process.ts'

export type ZoneReaderOptions = {
  /** The time for one picture. The first picture of a process has twice as much, to start the engine. */
  timeLimitMs?: number
  /** The process ends after this time without work. */
  idleMs?: number
  /** Told of a picture that took too long or broke the engine. It counts as one without a zone. */
  onFailure(reason: 'slow' | 'failed'): void
  /** Told of a picture that was read. */
  onRead?(isFound: boolean): void
}

export type ZoneReader = ReturnType<typeof createZoneReader>

type Started = {
  child: ChildProcess
  isWarm: boolean
  underWay: PromiseWithResolvers<MachineZone | undefined> | undefined
}

/**
 * Reads machine-readable zones in a child process, one picture at a time. The child starts with the first picture. A
 * thread would not do: after its end the process would keep two thirds of the engine's memory.
 */
export function createZoneReader({ timeLimitMs = 20_000, idleMs = 60_000, onFailure, onRead }: ZoneReaderOptions) {
  let started: Started | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idleTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const forget = (ended: Started) => {
    if (started === ended) started = undefined
  }

  async function readNow(bytes: Buffer): Promise<MachineZone | undefined> {
    if (isClosed) throw new Error('Zones are no longer read: the process is stopping')
    clearTimeout(idleTimer)
    const used = started ?? startProcess(forget)
    started = used
    const underWay = Promise.withResolvers<MachineZone | undefined>()
    used.underWay = underWay
    hold(used.child)
    let isSlow = false
    const limit = setTimeout(
      () => {
        isSlow = true
        used.child.kill('SIGKILL')
      },
      timeLimitMs * (used.isWarm ? 1 : 2),
    )
    used.child.send(bytes, (error) => error && underWay.reject(error))
    try {
      const zone = await underWay.promise
      used.isWarm = true
      onRead?.(zone !== undefined)
      return zone
    } catch (error) {
      if (isClosed) throw error
      used.child.kill('SIGKILL')
      onFailure(isSlow ? 'slow' : 'failed')
      return undefined
    } finally {
      clearTimeout(limit)
      used.underWay = undefined
      letGo(used.child)
      idleTimer = setTimeout(() => started?.child.kill('SIGKILL'), idleMs).unref()
    }
  }

  return {
    /** Reads the zone of a stored picture; undefined when none can be read. Rejects only when the reader is closed. */
    read: (bytes: Buffer): Promise<MachineZone | undefined> => {
      const reading = last.then(() => readNow(bytes))
      last = reading.catch(() => {})
      return reading
    },

    isRunning: (): boolean => started !== undefined,

    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(idleTimer)
      started?.child.kill('SIGKILL')
    },
  }
}

function startProcess(onEnd: (ended: Started) => void): Started {
  const child = fork(fileURLToPath(new URL('./zone-process.ts', import.meta.url)), [], {
    // The child needs no settings, and its output, which may quote a document, is not logged.
    env: {},
    execArgv: ['--max-old-space-size=256'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const started: Started = { child, isWarm: false, underWay: undefined }
  child.on('message', ({ zone }: FromZoneProcess) => started.underWay?.resolve(zone))
  const end = () => {
    onEnd(started)
    started.underWay?.reject(new Error('the process that reads zones has ended'))
  }
  child.on('error', end)
  child.on('exit', end)
  return started
}

function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

/** Lets this process end while the child is idle: the child ends with it. */
function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}
