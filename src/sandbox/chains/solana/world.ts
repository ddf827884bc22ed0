import path from 'node:path'
import type { LocalChains, LocalChainsOptions } from '../control.ts'
import { Faults } from '../faults.ts'
import { noJournal, openJournal } from '../journal.ts'
import { createFrontServer, listen } from '../server.ts'
import { SolanaChain } from './chain.ts'
import { createSolanaControl } from './control.ts'
import type { JournalEntry } from './journal-entry.ts'
import { createSolanaNode } from './rpc/node.ts'

/** Opens the chain of SOLANA in this process and serves it as a JSON-RPC node. */
export async function openSolana(options: LocalChainsOptions & { slotMs: number }): Promise<LocalChains> {
  const { folder, finalityLag, slotMs, clock, onLost } = options
  const journal = folder ? await openJournal<JournalEntry>(path.join(folder, 'solana.journal')) : noJournal
  const onNews = () => options.onNews?.('SOLANA')
  const chain = new SolanaChain({ journal, clock, slotMs, finalityLag, onLost, onNews })
  await chain.open()
  const faults = new Faults()
  const server = createFrontServer({ SOLANA: { call: createSolanaNode(chain, faults), faults } })
  const rpcUrl = `http://127.0.0.1:${await listen(server, options)}/solana`
  return {
    control: createSolanaControl({ chain, faults, rpcUrl }),
    rpcUrls: { SOLANA: rpcUrl },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await chain.close()
    },
  }
}
