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

/** Hands a signed transaction to every node, and answers when one has it, or all have answered. */
export function broadcast(endpoints: readonly Endpoint[], transaction: Hex): Promise<SendOutcome> {
  return broadcastTo(endpoints, (endpoint) => sendTo(endpoint, transaction))
}

async function sendTo(endpoint: Endpoint, transaction: Hex): Promise<SendOutcome> {
  try {
    await endpoint.request('eth_sendRawTransaction', [transaction])
    return { outcome: 'ACCEPTED' }
  } catch (error) {
    const { kind, message } = readSendFailure(error)
    if (kind === 'refused') return readRefusal(message)
    return kind === 'unknown' ? { outcome: 'UNKNOWN', message } : { outcome: 'REFUSED', reason: 'UNREACHED', message }
  }
}

function readRefusal(message: string): SendOutcome {
  if (isKnown.test(message)) return { outcome: 'ACCEPTED' }
  const reason = words.find(([pattern]) => pattern.test(message))?.[1] ?? 'OTHER'
  return { outcome: 'REFUSED', reason, message }
}
