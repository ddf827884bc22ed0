import type { SolanaSendOutcome } from '../../../chains/solana/node.ts'
import { createBroadcaster, readSendFailure } from '../broadcast.ts'
import type { Endpoint, RpcCall } from '../json-rpc.ts'

/** The most requests with transactions to send, at the same time. */
const requestsTogether = 4

/** Hands signed transactions to every node of Solana. */
export const createSolanaBroadcaster = (endpoints: readonly Endpoint[]) =>
  createBroadcaster<Buffer, SolanaSendOutcome>(endpoints, { callOf, outcomeOf, requestsTogether })

function callOf(transaction: Buffer): RpcCall {
  // Without a rehearsal: a node that is behind would refuse a good transaction. We repeat it ourselves.
  const config = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }
  return { method: 'sendTransaction', params: [transaction.toString('base64'), config] }
}

function outcomeOf(answer: unknown): SolanaSendOutcome {
  if (!(answer instanceof Error)) return { outcome: 'ACCEPTED' }
  const { kind, message } = readSendFailure(answer)
  if (kind === 'refused' && /already.*processed|AlreadyProcessed/i.test(message)) return { outcome: 'ACCEPTED' }
  return { outcome: kind === 'unknown' ? 'UNKNOWN' : 'REFUSED', message }
}
