import { referenceKeyOf } from '../../../lib/solana/transfer.ts'
import { describeFailure } from '../failure.ts'

/** A transaction that the signer has signed, as it wrote it. */
export type SignedEarlier = {
  transferId: string
  payoutId: string
  signature: string
  blockhash: string
  lastValidBlockHeight: string
}

/** Asks nodes of the signer whether a transaction has not paid, and never will. */
export type IsOver = (transaction: {
  signature: string
  blockhash: string
  lastValidBlockHeight: bigint
  reference: string
}) => Promise<boolean>

/** The most questions to the nodes at the same time. */
const mostQuestions = 16

/**
 * Finds the transactions that can never pay. Processes record how transactions end, and one that a thief controls could
 * invent it: so the signer asks the nodes itself before it signs another one. Without an answer none is over.
 */
export async function findOver(
  earlier: readonly SignedEarlier[],
  isOver: IsOver | undefined,
  onProblem: (problems: readonly string[]) => void,
): Promise<string[]> {
  if (earlier.length === 0) return []
  if (!isOver) {
    onProblem(['the signer needs nodes of Solana to sign a payout anew: set SVC_SOLANA_RPC_URLS for it'])
    return []
  }
  const over: string[] = []
  const waiting = [...earlier]
  const askNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { transferId, payoutId, signature, blockhash, lastValidBlockHeight } = next
      const facts = { signature, blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) }
      try {
        if (await isOver({ ...facts, reference: referenceKeyOf(payoutId) })) over.push(transferId)
      } catch (error) {
        onProblem([`the nodes of the signer do not tell about transaction ${signature}: ${describeFailure(error)}`])
      }
    }
  }
  await Promise.all(Array.from({ length: mostQuestions }, askNext))
  return over
}
