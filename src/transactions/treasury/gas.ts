import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Asset } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import type { Database, Tx } from '../../db/database.ts'
import { referenceOf } from '../../ledger/posting.ts'
import { fund, networkCost } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import { requirePosted } from '../change.ts'
import { addLiquidity } from './liquidity-store.ts'

/** A final transaction of a relayer. The cost is in the smallest unit of the network's coin. */
export type SpentGas = { network: EvmNetwork; relayer: string; nonce: string; gasCost: bigint }

/** Relayers serve every organization, so their coins belong to the platform's. */
const organizationId = platformOrganizationId
const at = { holding: 'TREASURY' }

/** Books the gas of transactions, each once: also of those that reverted or only filled a nonce. */
export async function bookGas(ledger: LedgerService, tx: Tx, spent: readonly SpentGas[]): Promise<void> {
  const paid = spent.filter(({ gasCost }) => gasCost > 0n)
  if (paid.length === 0) return
  const postings = paid.map(({ network, relayer, nonce, gasCost }) => ({
    organizationId,
    reference: referenceOf({ type: 'operator', id: `gas ${network}` }, `${relayer}:${nonce}`),
    ...networkCost({ at: 'TREASURY', asset: nativeAssetOf(network), amount: gasCost }),
  }))
  requirePosted(await ledger.post(tx, postings))
  const byNetwork = Map.groupBy(paid, ({ network }) => network)
  await addLiquidity(
    tx,
    [...byNetwork].map(([network, each]) => {
      const costs = each.reduce((sum, { gasCost }) => sum + gasCost, 0n)
      return { organizationId, at, asset: nativeAssetOf(network) as Asset, available: 0n, costs }
    }),
  )
}

/** Books the coins that the sandbox gives a new relayer, once. */
export async function fundRelayer(
  { database, ledger }: { database: Database; ledger: LedgerService },
  { network, address, amount }: { network: EvmNetwork; address: string; amount: bigint },
): Promise<void> {
  const asset = nativeAssetOf(network)
  const reference = referenceOf({ type: 'operator', id: 'sandbox-coins' }, `${network}:${address}`)
  await database.inTx(async (tx) => {
    const posted = await ledger.post(tx, [{ organizationId, reference, ...fund({ at: 'TREASURY', asset, amount }) }])
    requirePosted(posted)
    if (posted[0]?.outcome !== 'POSTED') return
    await addLiquidity(tx, [{ organizationId, at, asset: asset as Asset, available: amount }])
  })
}
