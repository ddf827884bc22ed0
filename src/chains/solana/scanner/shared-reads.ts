import type { SolanaNode, SolanaTransaction } from '../node.ts'

/**
 * Reads each transaction once for all accounts that are read together: most transactions of ours name several of them.
 * An account that relied on a read of another which failed reads its own, so that one whose transactions cannot be read
 * holds up no other.
 */
export function shareTransactions(node: SolanaNode): SolanaNode {
  const reads = new Map<string, Promise<SolanaTransaction | undefined>>()
  return {
    ...node,
    transactions: async (signatures, commitment) => {
      const keyOf = (signature: string) => `${commitment} ${signature}`
      const missing = [...new Set(signatures)].filter((signature) => !reads.has(keyOf(signature)))
      const reading = missing.length > 0 ? node.transactions(missing, commitment) : Promise.resolve([])
      for (const [at, signature] of missing.entries()) {
        reads.set(
          keyOf(signature),
          reading.then((read) => read[at]),
        )
      }
      try {
        return await Promise.all(signatures.map((signature) => reads.get(keyOf(signature))))
      } catch (error) {
        if (signatures.every((signature) => missing.includes(signature))) throw error
        return node.transactions(signatures, commitment)
      }
    },
  }
}
