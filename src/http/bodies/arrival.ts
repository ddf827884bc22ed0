import type { IncomingMessage } from 'node:http'
import { badField } from '../../lib/refusal.ts'

/** The least speed of a body, measured anew in each window. 0 bytes per second is no limit. */
export type Pace = { bytesPerSecond: number; windowMs: number }

export type Arrival = {
  /** Resolves when the last byte is here. Rejects when the caller disconnects, or with the reason of `end`. */
  whole: Promise<void>
  /** Ends the reading, and discards what still arrives: the connection stays usable for the answer. */
  end(reason: unknown): void
}

/** Receives a body piece by piece. What `take` throws ends the reading. */
export function receive(message: IncomingMessage, pace: Pace, take: (chunk: Buffer) => void): Arrival {
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>()
  let received = 0
  const stopTiming = keepPace(
    pace,
    () => received,
    (reason) => end(reason),
  )
  const onData = (chunk: Buffer) => {
    received += chunk.length
    try {
      take(chunk)
    } catch (error) {
      end(error)
    }
  }
  const onEnd = () => {
    stop()
    resolve()
  }
  const onClose = () => end(disconnected())
  const end = (reason: unknown) => {
    stop()
    message.resume()
    reject(reason)
  }
  const stop = () => {
    stopTiming()
    message.off('data', onData).off('end', onEnd).off('error', end).off('close', onClose)
  }
  message.on('data', onData).on('end', onEnd).on('error', end).on('close', onClose)
  if (message.destroyed && !message.readableEnded) onClose()
  return { whole, end }
}

function keepPace(
  { bytesPerSecond, windowMs }: Pace,
  received: () => number,
  end: (reason: unknown) => void,
): () => void {
  if (bytesPerSecond === 0) return () => {}
  const least = (bytesPerSecond * windowMs) / 1_000
  let before = 0
  let immediate: NodeJS.Immediate | undefined
  const check = () => {
    if (received() - before < least) return end(tooSlow(bytesPerSecond))
    before = received()
    timer.refresh()
  }
  // After a pause of this process the bytes may wait in the socket: they are read between the timer and the check.
  const timer = setTimeout(() => {
    immediate = setImmediate(check)
  }, windowMs)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

function tooSlow(bytesPerSecond: number): unknown {
  return badField('body', `arrives too slowly; send at least ${bytesPerSecond} bytes per second`)
}

function disconnected(): Error {
  return Object.assign(new Error('The caller disconnected while it sent the body'), { code: 'ECONNRESET' })
}
