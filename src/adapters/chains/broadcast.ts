import { NodeError } from '../../lib/chains/node-error.ts'
import { type Endpoint, RpcError, Unanswered } from './json-rpc.ts'

type Outcome = { outcome: 'ACCEPTED' | 'REFUSED' | 'UNKNOWN' }

/** Hands something to every node, and answers when one has it, or all have answered. */
export function broadcastTo<Sent extends Outcome>(
  endpoints: readonly Endpoint[],
  send: (endpoint: Endpoint) => Promise<Sent>,
): Promise<Sent> {
  const outcome = Promise.withResolvers<Sent>()
  const sent = endpoints.map(async (endpoint): Promise<Sent> => {
    const answered = await send(endpoint)
    if (answered.outcome === 'ACCEPTED') outcome.resolve(answered)
    return answered
  })
  void Promise.all(sent).then(
    // A node that may have the bytes outweighs one that refuses them.
    (all) => outcome.resolve(all.find((each) => each.outcome === 'UNKNOWN') ?? (all[0] as Sent)),
    outcome.reject,
  )
  return outcome.promise
}

/** How a request to send failed: the node refused it, may have it, or never got it. */
export function readSendFailure(error: unknown): { kind: 'refused' | 'unknown' | 'unreached'; message: string } {
  if (error instanceof RpcError) return { kind: 'refused', message: error.message }
  if (error instanceof Unanswered && error.mayHaveArrived) return { kind: 'unknown', message: error.message }
  if (error instanceof NodeError) return { kind: 'unreached', message: error.message }
  throw error
}
