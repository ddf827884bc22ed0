import type { SendOutcome, SendRefusal } from '../../../chains/node.ts'
import type { Hex } from '../../../lib/chains/node-error.ts'
import { broadcastTo, readSendFailure } from '../broadcast.ts'
import type { Endpoint } from '../json-rpc.ts'

/** The words of geth, and of the nodes that follow it. */
const words: readonly [pattern: RegExp, reason: SendRefusal][] = [
  [/nonce too low|old nonce|nonce .*already used/i, 'NONCE_TOO_LOW'],
  [/underpriced|fee too low|max fee per gas less than|fee cap/i, 'UNDERPRICED'],
  [/insufficient funds/i, 'NO_FUNDS'],
]
const isKnown = /already known|known transaction|already imported|already exists/i

/**
 * Hands signed transactions to every node; each has its outcome when one node has it, or all have answered. Transactions
 * of one moment go to a node in one request.
 */
export function createBroadcaster(endpoints: readonly Endpoint[]): (transaction: Hex) => Promise<SendOutcome> {
  const senders = new Map(endpoints.map((endpoint) => [endpoint, createSender(endpoint)]))
  return (transaction) =>
    broadcastTo(endpoints, (endpoint) => senders.get(endpoint)?.(transaction) as Promise<SendOutcome>)
}

type Waiting = { transaction: Hex; resolve(outcome: SendOutcome): void; reject(error: unknown): void }

/** The most transactions in one request: its fate is that of all of them. */
const mostTogether = 100

/** Collects the transactions of one iteration of the event loop, and sends them together, in their order. */
function createSender(endpoint: Endpoint): (transaction: Hex) => Promise<SendOutcome> {
  let waiting: Waiting[] = []
  const sendAll = async () => {
    const collected = waiting
    waiting = []
    // One request after another: a node takes the transactions of an account in the order of their nonces.
    for (let at = 0; at < collected.length; at += mostTogether) await send(collected.slice(at, at + mostTogether))
  }
  const send = async (sent: readonly Waiting[]) => {
    try {
      const answers = await endpoint.batchEach(
        sent.map(({ transaction }) => ({ method: 'eth_sendRawTransaction', params: [transaction] })),
      )
      for (const [at, { resolve }] of sent.entries()) resolve(outcomeOf(answers[at]))
    } catch (error) {
      try {
        for (const { resolve } of sent) resolve(outcomeOf(error))
      } catch (unexpected) {
        for (const { reject } of sent) reject(unexpected)
      }
    }
  }
  return (transaction) => {
    const { promise, resolve, reject } = Promise.withResolvers<SendOutcome>()
    if (waiting.push({ transaction, resolve, reject }) === 1) setImmediate(() => void sendAll())
    return promise
  }
}

/** Reads how a node took a transaction: an error in place of an answer tells why not. */
function outcomeOf(answer: unknown): SendOutcome {
  if (!(answer instanceof Error)) return { outcome: 'ACCEPTED' }
  const { kind, message } = readSendFailure(answer)
  if (kind === 'refused') return readRefusal(message)
  return kind === 'unknown' ? { outcome: 'UNKNOWN', message } : { outcome: 'REFUSED', reason: 'UNREACHED', message }
}

function readRefusal(message: string): SendOutcome {
  if (isKnown.test(message)) return { outcome: 'ACCEPTED' }
  const reason = words.find(([pattern]) => pattern.test(message))?.[1] ?? 'OTHER'
  return { outcome: 'REFUSED', reason, message }
}
