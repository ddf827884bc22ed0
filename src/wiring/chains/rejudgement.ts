import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { reopenNonces } from '../../chains/payouts/reopen-store.ts'
import type { DroppedBlocks } from '../../chains/scanner/record.ts'
import type { Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { PayoutService } from '../../transactions/payouts/service.ts'
import { refundGas } from '../../transactions/treasury/gas.ts'
import type { Deps } from '../deps.ts'

/** Judges anew what relayers and payouts had in final blocks that a network has replaced, in the scanner's commit. */
export function createRejudgement(
  { log }: Pick<Deps, 'log'>,
  { payouts, ledger }: { payouts: Pick<PayoutService, 'unconfirm'>; ledger: LedgerService },
) {
  return async (tx: Tx, network: EvmNetwork, dropped: DroppedBlocks): Promise<void> => {
    const unconfirmed = await payouts.unconfirm(tx, network, dropped)
    await refundGas(ledger, tx, await reopenNonces(tx, network, dropped))
    for (const { payoutId, externalReference } of unconfirmed)
      log.error({ network, payoutId, externalReference }, 'a chain has dropped the final block of a payout')
  }
}
