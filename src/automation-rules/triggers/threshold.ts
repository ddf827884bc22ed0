import type { Database, Queryable } from '../../db/database.ts'
import type { RaisedWallet } from '../../ledger/posting.ts'
import * as store from './threshold-store.ts'

export type ThresholdOptions = { database: Database; onPoint(point: string): void }

/** Opens the runs of rules whose balance is enough. */
export function makeThresholds({ database, onPoint }: ThresholdOptions) {
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
export function makeRaising(coolDownSeconds: number) {
  return async (transaction: Queryable, wallets: readonly RaisedWallet[]): Promise<void> => {
    const raises = wallets.flatMap(({ causes, ...wallet }) =>
      causes.map((cause) => ({ ...wallet, transactionId: transactionOf(cause) })),
    )
    await store.raiseWallets(transaction, raises, coolDownSeconds)
  }
}

function transactionOf(reference: string): string | null {
  const [type, id] = reference.split(':')
  return type === 'transaction' && id !== undefined ? id : null
}
