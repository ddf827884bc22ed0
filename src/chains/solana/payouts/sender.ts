import type { Database } from '../../../db/database.ts'
import type { SolanaNode } from '../node.ts'
import { findRivalled } from './death-store.ts'
import { recordSends } from './store.ts'
import type { SignedTransfer } from './transfer.ts'

export type Sender = ReturnType<typeof createSender>

/** The most transactions in flight to the nodes at once. */
const together = 80

const isRivalled = 'another transaction of its payout may pay, or has paid'

/** Broadcasts signed transactions. The same bytes may be sent any number of times: the network executes them once. */
export function createSender({
  node,
  database,
  onPoint,
}: {
  node: SolanaNode
  database: Database
  onPoint(point: string): void
}) {
  return {
    /** Sends transactions; `problem` is null where a node has taken one. */
    send: async (
      transfers: readonly Pick<SignedTransfer, 'transferId' | 'raw'>[],
    ): Promise<{ transferId: string; problem: string | null }[]> => {
      if (transfers.length === 0) return []
      const sent: { transferId: string; problem: string | null }[] = []
      // Nothing on the chain keeps two transactions of a payout apart.
      const rivalled = await findRivalled(
        database,
        transfers.map(({ transferId }) => transferId),
      )
      const sendable = transfers.filter(({ transferId }) => !rivalled.has(transferId))
      for (let at = 0; at < sendable.length; at += together) {
        const some = sendable.slice(at, at + together).map(async ({ transferId, raw }) => {
          const outcome = await node.send(raw)
          return { transferId, problem: outcome.outcome === 'ACCEPTED' ? null : outcome.message.slice(0, 200) }
        })
        sent.push(...(await Promise.all(some)))
      }
      if (sent.length > 0) await recordSends(database, sent)
      onPoint('relays sent')
      return [...sent, ...[...rivalled].map((transferId) => ({ transferId, problem: isRivalled }))]
    },
  }
}
