import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { chainOf, type Environment, type TokenAsset, tokenAssets } from '../../catalog/currencies.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { BlockRef, ChainNode } from '../node.ts'
import { readFinalHead } from '../payouts/final-head.ts'
import { readTokenBalance } from '../payouts/preparation.ts'
import type { PayingNetwork } from '../payouts/relayer.ts'

export type ReconciliationDeps = {
  database: Database
  environment: Environment
  ledger: Pick<LedgerService, 'totals' | 'positions'>
  custody: Pick<CustodyService, 'listWallets' | 'listTreasuries'>
  networks: readonly Pick<PayingNetwork, 'node' | 'finality'>[]
}

/** A place whose tokens differ from what the ledger says, in smallest units. */
export type Difference = { asset: TokenAsset; place: string; ledger: bigint; chain: bigint }

export type NetworkReport = { network: EvmNetwork; block: BlockRef; compared: number; differences: Difference[] }

const uncollected = ['UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES'] as const
const together = 50

/**
 * Compares the tokens at our treasuries and at customers' addresses with the ledger, at one final block of each network.
 * Transfers that are final and not yet booked, or booked after that block, show up as differences until the next run.
 */
export async function reconcile(deps: ReconciliationDeps): Promise<NetworkReport[]> {
  const reports: NetworkReport[] = []
  for (const { node, finality } of deps.networks) {
    const block = await readFinalHead(node, finality)
    const differences: Difference[] = []
    let compared = 0
    for (const asset of tokenAssets.filter((each) => chainOf(each) === node.network)) {
      const found = await compare(deps, node, asset, block)
      compared += found.compared
      differences.push(...found.differences)
    }
    reports.push({ network: node.network, block, compared, differences })
  }
  return reports
}

async function compare(
  { database, environment, ledger, custody }: ReconciliationDeps,
  node: ChainNode,
  asset: TokenAsset,
  block: BlockRef,
): Promise<{ compared: number; differences: Difference[] }> {
  const { contract } = tokenDomainOf(environment, asset)
  const totals = (await ledger.totals(database, undefined)).filter((total) => total.asset === asset)
  // Tokens that we hold are debits: negative.
  const held = (kinds: readonly string[]) =>
    -totals.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { posted }) => sum + posted, 0n)
  const treasuries = await custody.listTreasuries('EVM')
  const wallets = await custody.listWallets('EVM')
  const balances = await readBalances(node, contract, [...treasuries, ...wallets.map(({ address }) => address)], block)
  const sumOf = (addresses: readonly string[]) =>
    addresses.reduce((sum, address) => sum + (balances.get(address) ?? 0n), 0n)
  const places: Difference[] = [
    { asset, place: 'treasury', ledger: held(['TREASURY']), chain: sumOf(treasuries) },
    {
      asset,
      place: 'all wallets',
      ledger: held(['CUSTODY', ...uncollected]),
      chain: sumOf(wallets.map(({ address }) => address)),
    },
  ]
  const differences = places.filter((place) => place.ledger !== place.chain)
  for (const [organizationId, owned] of Map.groupBy(wallets, (wallet) => wallet.organizationId)) {
    const positions = await ledger.positions(database, organizationId, ['WALLET', ...uncollected])
    for (const { paymentAccountId, address } of owned) {
      const own = positions.filter((position) => position.holder === paymentAccountId && position.asset === asset)
      const least = own.reduce((sum, { kind, posted }) => sum + (kind === 'WALLET' ? posted : -posted), 0n)
      const chain = balances.get(address) ?? 0n
      // An address may hold more: tokens that were sold and not yet collected, or that wait in suspense.
      if (chain < least) differences.push({ asset, place: `wallet ${address}`, ledger: least, chain })
    }
  }
  return { compared: treasuries.length + wallets.length, differences }
}

async function readBalances(
  node: ChainNode,
  contract: string,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Map<string, bigint>> {
  const balances = new Map<string, bigint>()
  for (let from = 0; from < addresses.length; from += together) {
    const some = addresses.slice(from, from + together)
    const read = await Promise.all(some.map((address) => readTokenBalance(node, contract, address, block)))
    for (const [place, address] of some.entries()) balances.set(address, read[place] ?? 0n)
  }
  return balances
}
