import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'

export type Told = {
  cursor: string
  type: string
  event: { id: string; sequence: number; data: Record<string, unknown> }
}

/** A program that reads a stream of events as the HTML standard says, and can be killed, or stop reading. */
export type Listener = {
  status: number
  headers: IncomingMessage['headers']
  /** The events received so far, in order. */
  told: Told[]
  /** Comments so far: "caught up", "still here". */
  comments: string[]
  /** The last id, with or without data: the one to reconnect with. */
  lastEventId(): string | undefined
  /** Resolves when the received events fulfil a condition; rejects when the stream ends before. */
  until(condition: (listener: Listener) => boolean): Promise<void>
  /** Resolves when the stream is over, and says whether it ended or was cut. */
  ended: Promise<'ended' | 'cut'>
  message: IncomingMessage
  kill(): void
}

export type ListenOptions = { query?: string; lastEventId?: string | undefined; onTold?: (told: Told) => void }

export async function listen(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  { query = '', lastEventId, onTold }: ListenOptions = {},
): Promise<Listener> {
  const headers = { authorization: `Bearer ${apiKey}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) }
  const sent = request(`${baseUrl}/events/stream${query}`, { headers, agent: false })
  const kill = () => void sent.destroy()
  try {
    onTestFinished(kill)
  } catch {
    // Opened while a file loads: the file closes it.
  }
  const message = await responseTo(sent)
  return readMessage(message, kill, onTold)
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).end()
  })
}

function readMessage(message: IncomingMessage, kill: () => void, onTold: ListenOptions['onTold']): Listener {
  const told: Told[] = []
  const comments: string[] = []
  const watchers = new Set<() => void>()
  let lastEventId: string | undefined
  let rest = ''
  const readBlock = (block: string) => {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), after(line)] as const))
    const comment = fields.get('')
    const data = fields.get('data')
    lastEventId = fields.get('id') ?? lastEventId
    if (comment !== undefined) comments.push(comment)
    if (data === undefined) return
    const each = { cursor: lastEventId ?? '', type: fields.get('event') ?? '', event: JSON.parse(data) }
    told.push(each)
    onTold?.(each)
  }
  message.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) readBlock(block)
    for (const watch of watchers) watch()
  })
  const ended = new Promise<'ended' | 'cut'>((resolve) => {
    message.on('error', () => {}).on('close', () => resolve(message.complete ? 'ended' : 'cut'))
  })
  const listener: Listener = {
    status: message.statusCode ?? 0,
    headers: message.headers,
    told,
    comments,
    ended,
    message,
    kill,
    lastEventId: () => lastEventId,
    until: (condition) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (!condition(listener)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        void ended.then(() => reject(new Error(`the stream ended after ${told.length} events`)))
        watch()
      }),
  }
  return listener
}

function after(line: string): string {
  return line.slice(line.indexOf(':') + 1).replace(/^ /, '')
}
