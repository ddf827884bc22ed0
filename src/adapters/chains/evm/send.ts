import type { SendOutcome, SendRefusal } from '../../../chains/node.ts'
import { type Hex, NodeError } from '../../../lib/evm/node-error.ts'
import { type Endpoint, RpcError, Unanswered } from './json-rpc.ts'

/** The words of geth, and of the nodes that follow it. */
const words: readonly [pattern: RegExp, reason: SendRefusal][] = [
  [/nonce too low|old nonce|nonce .*already used/i, 'NONCE_TOO_LOW'],
  [/underpriced|fee too low|max fee per gas less than|fee cap/i, 'UNDERPRICED'],
  [/insufficient funds/i, 'NO_FUNDS'],
]
const isKnown = /already known|known transaction|already imported|already exists/i

/** Hands a signed transaction to every node, and answers when one has it, or all have answered. */
export function broadcast(endpoints: readonly Endpoint[], transaction: Hex): Promise<SendOutcome> {
  const outcome = Promise.withResolvers<SendOutcome>()
  const sent = endpoints.map(async (endpoint): Promise<SendOutcome> => {
    const answered = await sendTo(endpoint, transaction)
    if (answered.outcome === 'ACCEPTED') outcome.resolve(answered)
    return answered
  })
  void Promise.all(sent).then(
    // A node that may have the bytes outweighs one that refuses them.
    (all) => outcome.resolve(all.find((each) => each.outcome === 'UNKNOWN') ?? (all[0] as SendOutcome)),
    outcome.reject,
  )
  return outcome.promise
}

async function sendTo(endpoint: Endpoint, transaction: Hex): Promise<SendOutcome> {
  try {
    await endpoint.request('eth_sendRawTransaction', [transaction])
    return { outcome: 'ACCEPTED' }
  } catch (error) {
    if (error instanceof RpcError) return readRefusal(error.message)
    if (error instanceof Unanswered && error.mayHaveArrived) return { outcome: 'UNKNOWN', message: error.message }
    if (error instanceof NodeError) return { outcome: 'REFUSED', reason: 'UNREACHED', message: error.message }
    throw error
  }
}

function readRefusal(message: string): SendOutcome {
  if (isKnown.test(message)) return { outcome: 'ACCEPTED' }
  const reason = words.find(([pattern]) => pattern.test(message))?.[1] ?? 'OTHER'
  return { outcome: 'REFUSED', reason, message }
}
