import type { SendOutcome, SendRefusal } from '../../../chains/node.ts'
import type { Hex } from '../../../lib/chains/node-error.ts'
import { createBroadcaster, readSendFailure } from '../broadcast.ts'
import type { Endpoint } from '../json-rpc.ts'

/** The words of geth, and of the nodes that follow it. */
const words: readonly [pattern: RegExp, reason: SendRefusal][] = [
  [/nonce too low|old nonce|nonce .*already used/i, 'NONCE_TOO_LOW'],
  [/underpriced|fee too low|max fee per gas less than|fee cap/i, 'UNDERPRICED'],
  [/insufficient funds/i, 'NO_FUNDS'],
]
const isKnown = /already known|known transaction|already imported|already exists/i

/** Hands signed transactions to every node of an EVM network. */
export const createEvmBroadcaster = (endpoints: readonly Endpoint[]) =>
  createBroadcaster<Hex, SendOutcome>(endpoints, {
    callOf: (transaction) => ({ method: 'eth_sendRawTransaction', params: [transaction] }),
    outcomeOf,
    // A node takes the transactions of an account in the order of their nonces.
    requestsTogether: 1,
  })

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
