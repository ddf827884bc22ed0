import type { Network, TokenAsset } from '../../../catalog/currencies.ts'
import type { CustodyService } from '../../../custody/service.ts'
import type { Database } from '../../../db/database.ts'
import type { Rail } from '../../../transactions/payouts/rail.ts'
import { hasRelayer, insertRelayer } from '../../payouts/relay-store.ts'
import type { SolanaNode } from '../node.ts'
import { hasUpkeep } from './death-store.ts'
import { createSolanaRail } from './rail.ts'
import { createSender } from './sender.ts'
import { keepUp, type UpkeepDeps } from './upkeep.ts'

export type SolanaPayoutDeps = {
  database: Database
  node: SolanaNode
  custody: Pick<CustodyService, 'findServiceAddress' | 'listTreasuries'>
  tokens: readonly { asset: TokenAsset; mint: string; decimals: number }[]
  /** The most that a transaction pays for priority, in millionths of a lamport per unit of computation. */
  maxPriority: number
  onPoint(point: string): void
  /** Gives a new relayer of the sandbox its first coins. Once per relayer. */
  fundRelayer?(network: 'SOLANA', address: string): Promise<void>
}

export type SolanaPayoutService = ReturnType<typeof createSolanaPayoutService>

/** The price of priority when others pay nothing: enough to come before them. */
const leastPriority = 1_000n

/** Pays on Solana. */
export function createSolanaPayoutService(deps: SolanaPayoutDeps) {
  const { database, node, custody, maxPriority } = deps
  const sender = createSender(deps)
  const cap = BigInt(maxPriority)
  const priority = { least: leastPriority < cap ? leastPriority : cap, cap }

  /** Finds the relayer in use, and enters it before its first transaction. */
  const findRelayer = async (): Promise<string> => {
    const address = await custody.findServiceAddress('SOLANA', 'RELAYER')
    if (address === undefined) throw new Error('the signer has published no relayer yet')
    if (!(await hasRelayer(database, 'SOLANA', address))) {
      await deps.fundRelayer?.('SOLANA', address)
      // Solana has no nonces: the row only tells that the relayer has its coins.
      await insertRelayer(database, 'SOLANA', address, 0n)
    }
    return address
  }
  const rail: Rail = createSolanaRail({ ...deps, sender, priority, findRelayer })
  return {
    rail,
    upkeep: {
      network: node.network as Network,
      due: hasUpkeep,
      readHead: async (): Promise<string> => String(await node.finalHeight()),
      /** Answers how many transactions it ended. */
      keepUp: (hooks: Pick<UpkeepDeps, 'bookGas' | 'expedite' | 'onFailure' | 'report'>): Promise<number> =>
        keepUp({ ...deps, sender, ...hooks }),
    },
  }
}
