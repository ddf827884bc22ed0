import type { Network } from '../../catalog/currencies.ts'
import type { ChainControl } from './control.ts'

type Request = { id: number; verb: keyof ChainControl; args: unknown[] }
type Reply = { id: number; result?: unknown; error?: string }
/** Tells the parent that a network has changed. It answers no request. */
type News = { news: Network }
type Listener = (message: unknown) => void

/** One end of the channel between the process of the chains and its parent. */
export type Channel = { send(message: unknown): void; onMessage(listener: Listener): void }

const verbs: Record<keyof ChainControl, true> = {
  status: true,
  mine: true,
  reorg: true,
  pause: true,
  resume: true,
  fees: true,
  fault: true,
  clearFaults: true,
  faucet: true,
  administer: true,
  setClock: true,
}

/** Answers requests of the parent process with the levers of this process. */
export function serveControl(control: ChainControl, channel: Channel): void {
  channel.onMessage((message) => {
    const { id, verb, args } = message as Request
    if (typeof id !== 'number' || !Object.hasOwn(verbs, verb)) return
    const act = control[verb] as (...args: unknown[]) => Promise<unknown>
    act(...args).then(
      (result) => channel.send({ id, result }),
      (error: unknown) => channel.send({ id, error: error instanceof Error ? error.message : String(error) }),
    )
  })
}

/** A scanner that looks this often sees all that it must; a chain that mines many blocks need not tell of each. */
const newsEveryMs = 100

/** Creates the function that tells the parent process of changes. */
export function createNewsSender({ send }: Pick<Channel, 'send'>): (network: Network) => void {
  const waiting = new Set<Network>()
  return (network) => {
    if (waiting.has(network)) return
    waiting.add(network)
    setTimeout(() => {
      waiting.delete(network)
      send({ news: network } satisfies News)
    }, newsEveryMs).unref()
  }
}

/** Calls the listener for each change that the process of the chains tells of. */
export function receiveNews({ onMessage }: Pick<Channel, 'onMessage'>, listener: (network: Network) => void): void {
  onMessage((message) => {
    const { news } = message as Partial<News>
    if (news !== undefined) listener(news)
  })
}

/** Creates levers that act through the channel. `end` fails the requests in flight. */
export function connectControl(channel: Channel): ChainControl & { end(why: string): void } {
  const open = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  let last = 0
  let ended: string | undefined
  channel.onMessage((message) => {
    const { id, result, error } = message as Reply
    const request = open.get(id)
    open.delete(id)
    if (error === undefined) request?.resolve(result)
    else request?.reject(new Error(error))
  })
  const ask = (verb: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (ended !== undefined) return reject(new Error(ended))
      last += 1
      open.set(last, { resolve, reject })
      channel.send({ id: last, verb, args })
    })
  const control = Object.fromEntries(
    Object.keys(verbs).map((verb) => [verb, (...args: unknown[]) => ask(verb, args)]),
  ) as unknown as ChainControl
  return {
    ...control,
    end: (why) => {
      ended = why
      for (const { reject } of open.values()) reject(new Error(why))
      open.clear()
    },
  }
}
