import { NodeError } from '../../lib/chains/node-error.ts'
import { type Endpoint, type RpcCall, RpcError, Unanswered } from './json-rpc.ts'

type Outcome = { outcome: 'ACCEPTED' | 'REFUSED' | 'UNKNOWN' }

export type Broadcast<Transaction, Sent extends Outcome> = {
  callOf(transaction: Transaction): RpcCall
  /** Reads how a node took a transaction: an error in place of an answer tells why not. */
  outcomeOf(answer: unknown): Sent
  /** The most requests to a node at the same time; one, where it needs the transactions in their order. */
  requestsTogether: number
}

/**
 * Hands signed transactions to every node; each has its outcome when one node has it, or all have answered. Transactions
 * of one moment share requests to a node.
 */
export function createBroadcaster<Transaction, Sent extends Outcome>(
  endpoints: readonly Endpoint[],
  broadcast: Broadcast<Transaction, Sent>,
): (transaction: Transaction) => Promise<Sent> {
  const senders = endpoints.map((endpoint) => createSender(endpoint, broadcast))
  return (transaction) => firstAccepted(senders.map((send) => send(transaction)))
}

/** Answers when one node has accepted, or all have answered. */
function firstAccepted<Sent extends Outcome>(sent: readonly Promise<Sent>[]): Promise<Sent> {
  const outcome = Promise.withResolvers<Sent>()
  for (const each of sent) {
    void each.then((answered) => {
      if (answered.outcome === 'ACCEPTED') outcome.resolve(answered)
    }, outcome.reject)
  }
  void Promise.all(sent).then(
    // A node that may have the bytes outweighs one that refuses them.
    (all) => outcome.resolve(all.find((each) => each.outcome === 'UNKNOWN') ?? (all[0] as Sent)),
    outcome.reject,
  )
  return outcome.promise
}

type Waiting<Transaction, Sent> = { transaction: Transaction; resolve(sent: Sent): void; reject(error: unknown): void }

/** The most transactions in one request. Some nodes take them one after another, within the time of one request. */
const mostTogether = 20

/** Collects the transactions of one iteration of the event loop, and sends them in few requests, in their order. */
function createSender<Transaction, Sent extends Outcome>(
  endpoint: Endpoint,
  { callOf, outcomeOf, requestsTogether }: Broadcast<Transaction, Sent>,
): (transaction: Transaction) => Promise<Sent> {
  type Each = Waiting<Transaction, Sent>
  let waiting: Each[] = []
  const askAll = async (sent: readonly Each[]): Promise<unknown[]> => {
    try {
      return await endpoint.batchEach(sent.map(({ transaction }) => callOf(transaction)))
    } catch (error) {
      if (!(error instanceof RpcError) || sent.length === 1) return sent.map(() => error)
      // Some nodes refuse a request with several calls.
      const answers: unknown[] = []
      for (const each of sent) {
        const before = answers.at(-1)
        answers.push(before instanceof Unanswered ? before : (await askAll([each]))[0])
      }
      return answers
    }
  }
  const settle = (sent: readonly Each[], answers: readonly unknown[] | Unanswered) => {
    for (const [at, { resolve, reject }] of sent.entries()) {
      try {
        resolve(outcomeOf(answers instanceof Unanswered ? answers : answers[at]))
      } catch (error) {
        reject(error)
      }
    }
  }
  const sendAll = async (collected: Each[]) => {
    const sendNext = async (): Promise<void> => {
      while (collected.length > 0) {
        const sent = collected.splice(0, mostTogether)
        const answers = await askAll(sent)
        settle(sent, answers)
        const last = answers.at(-1)
        // A node that does not answer must not hold up the others for each request: the caller repeats them later.
        if (last instanceof Unanswered) settle(collected.splice(0), last)
      }
    }
    await Promise.all(Array.from({ length: requestsTogether }, sendNext))
  }
  return (transaction) => {
    const { promise, resolve, reject } = Promise.withResolvers<Sent>()
    if (waiting.push({ transaction, resolve, reject }) === 1) {
      setImmediate(() => {
        const collected = waiting
        waiting = []
        void sendAll(collected)
      })
    }
    return promise
  }
}

/** How a request to send failed: the node refused it, may have it, or never got it. */
export function readSendFailure(error: unknown): { kind: 'refused' | 'unknown' | 'unreached'; message: string } {
  if (error instanceof RpcError) return { kind: 'refused', message: error.message }
  if (error instanceof Unanswered && error.mayHaveArrived) return { kind: 'unknown', message: error.message }
  if (error instanceof NodeError) return { kind: 'unreached', message: error.message }
  throw error
}
