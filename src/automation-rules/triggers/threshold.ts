import type { Database, Tx } from '../../db/database.ts'
import type { IncreasedWallet } from '../../ledger/posting.ts'
import * as store from './threshold-store.ts'

export type ThresholdDeps = { database: Database; onPoint(point: string): void }

/** Opens the runs of rules whose balance is enough. */
export function createThresholdService({ database, onPoint }: ThresholdDeps) {
  return {
    compareDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimWatches(database, { limit, leaseMs })
      if (claimed.length === 0) return 0
      onPoint('threshold watches claimed')
      return store.compareBalances(database, claimed)
    },
  }
}

/** The ledger tells which wallets have more than before, and by what: see LedgerOptions.onRaised. */
export function createBalanceIncreaseListener(coolDownSeconds: number) {
  return async (tx: Tx, wallets: readonly IncreasedWallet[]): Promise<void> => {
    const raises = wallets.flatMap(({ causes, ...wallet }) =>
      causes.map((cause) => ({ ...wallet, transactionId: transactionOf(cause) })),
    )
    await store.recordWalletIncreases(tx, raises, coolDownSeconds)
  }
}

function transactionOf(reference: string): string | null {
  const [type, id] = reference.split(':')
  return type === 'transaction' && id !== undefined ? id : null
}
