import type { Asset, Network } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import type { Database, Tx } from '../../db/database.ts'
import { referenceOf } from '../../ledger/posting.ts'
import { fund, networkCost, refundNetworkCost } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import { requirePosted } from '../change.ts'
import { addLiquidity } from './liquidity-store.ts'

/** A final transaction of a relayer. The cost is in the smallest unit of the network's coin. */
export type SpentGas = {
  network: Network
  hash: string
  block: { hash: string }
  gasCost: bigint
  /** How often its nonce was opened again, because a chain had dropped the block with it. 0 where that cannot be. */
  reopenings?: number
}

/** Relayers serve every organization, so their coins belong to the platform's. */
const organizationId = platformOrganizationId
const at = { holding: 'TREASURY' }

/** Books the gas of transactions, each once: also of those that reverted or only filled a nonce. */
export async function bookGas(ledger: LedgerService, tx: Tx, spent: readonly SpentGas[]): Promise<void> {
  await post(ledger, tx, spent, 'paid')
}

/** Takes back the gas of transactions in final blocks that a chain has dropped. In another block they cost anew. */
export async function refundGas(ledger: LedgerService, tx: Tx, dropped: readonly SpentGas[]): Promise<void> {
  await post(ledger, tx, dropped, 'dropped')
}

async function post(
  ledger: LedgerService,
  tx: Tx,
  spent: readonly SpentGas[],
  event: 'paid' | 'dropped',
): Promise<void> {
  const paid = spent.filter(({ gasCost }) => gasCost > 0n)
  if (paid.length === 0) return
  const book = event === 'paid' ? networkCost : refundNetworkCost
  const postings = paid.map(({ network, hash, block, gasCost, reopenings = 0 }) => ({
    organizationId,
    // A transaction costs once in each block that ever had it, because blocks have their own prices; and anew when a
    // dropped block comes back.
    reference: referenceOf(
      { type: 'operator', id: `gas ${network}` },
      [hash, block.hash, event, ...(reopenings > 0 ? [reopenings] : [])].join(':'),
    ),
    ...book({ at: 'TREASURY', asset: nativeAssetOf(network), amount: gasCost }),
  }))
  const posted = await ledger.post(tx, postings)
  requirePosted(posted)
  // A posting that the ledger has already has been counted.
  const counted = paid.filter((_, at) => posted[at]?.outcome === 'POSTED')
  const byNetwork = Map.groupBy(counted, ({ network }) => network)
  await addLiquidity(
    tx,
    [...byNetwork].map(([network, each]) => {
      const sum = each.reduce((total, { gasCost }) => total + gasCost, 0n)
      const key = { organizationId, at, asset: nativeAssetOf(network) as Asset }
      return event === 'paid' ? { ...key, available: 0n, costs: sum } : { ...key, available: sum }
    }),
  )
}

/** Books the coins that the sandbox gives a new relayer, once. */
export async function fundRelayer(
  { database, ledger }: { database: Database; ledger: LedgerService },
  { network, address, amount }: { network: Network; address: string; amount: bigint },
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
