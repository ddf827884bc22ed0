import type { Database, Tx } from '../../db/database.ts'
import type { IncreasedWallet } from '../../ledger/posting.ts'
import * as store from './threshold-store.ts'

export type ThresholdDeps = { database: Database; onPoint(point: string): void }

/** Opens the runs of THRESHOLD_BASED rules whose balance reaches the threshold. */
export function createThresholdService({ database, onPoint }: ThresholdDeps) {
  return {
    due: store.dueWatches,
    compareDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimWatches(database, { limit, leaseMs })
      if (claimed.length === 0) return 0
      onPoint('threshold watches claimed')
      return store.compareBalances(database, claimed)
    },
  }
}

/** Creates the ledger's `onIncrease` listener, which re-checks the threshold rules of each wallet that gained money. */
export function createBalanceIncreaseListener(coolDownSeconds: number) {
  return async (tx: Tx, wallets: readonly IncreasedWallet[]): Promise<void> => {
    const increases = wallets.flatMap(({ causes, ...wallet }) =>
      causes.map((cause) => ({ ...wallet, transactionId: transactionIdOf(cause) })),
    )
    await store.recheckThresholdsOfWallets(tx, increases, coolDownSeconds)
  }
}

function transactionIdOf(reference: string): string | null {
  const [type, id] = reference.split(':')
  return type === 'transaction' && id !== undefined ? id : null
}
