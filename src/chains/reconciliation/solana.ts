import type { TokenAsset } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import { NodeError } from '../../lib/chains/node-error.ts'
import { associatedAccountOf } from '../../lib/solana/token-account.ts'
import type { SolanaNode } from '../solana/node.ts'
import { readUnbooked } from '../solana/payouts/store.ts'
import { balanceIn } from '../solana/scanner/read.ts'
import { type Difference, isExplained, sumOf } from './difference.ts'
import { compareToken, type NetworkReport, type ReconciliationDeps } from './reconcile.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

export type SolanaReconciliationDeps = Pick<ReconciliationDeps, 'database' | 'ledger' | 'custody'> & {
  node: SolanaNode
  tokens: readonly { asset: TokenAsset; mint: string }[]
}

/**
 * Compares every address of customers, our treasuries and our relayers on Solana with the ledger. Nodes have no older
 * states, so the newest final one is compared: a transfer that becomes final meanwhile is a difference until the next
 * comparison.
 */
export async function reconcileSolana(deps: SolanaReconciliationDeps): Promise<NetworkReport> {
  try {
    return await compare(deps)
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const nothing = { compared: 0, differences: [], explained: [] }
    return { network: deps.node.network, block: undefined, problem: error.message, ...nothing }
  }
}

async function compare({ node, tokens, ...deps }: SolanaReconciliationDeps): Promise<NetworkReport> {
  const contracts = new Map(tokens.map(({ mint, asset }) => [mint, asset]))
  const snapshot = await readSnapshot(deps, node.network, contracts)
  if (!snapshot) throw new NodeError('unavailable', 'it was never scanned: start a worker')
  const open = await readUnbooked(deps.database)
  const statuses = await node.statuses(open.map(({ signature }) => signature))
  const isPaid = (at: number) => {
    const status = statuses[at]
    return status?.state === 'FINAL' && status.error === null
  }
  const unbooked = open
    .filter((_, at) => isPaid(at))
    .map(({ amount, signature, mint, ...moved }) => ({
      ...moved,
      contract: mint,
      nonce: signature,
      amount: BigInt(amount),
      isBooked: false,
    }))
  const { finalized } = await node.slots()
  const owners = [...snapshot.addresses, ...snapshot.treasuries]
  const found: Difference[] = []
  for (const { asset, mint } of tokens) {
    const accounts = owners.map((owner) => associatedAccountOf(owner, mint))
    const states = await node.accounts(accounts, { commitment: 'finalized', minSlot: finalized })
    const balances = new Map(owners.map((owner, at) => [owner, balanceIn({ owner }, mint, states[at])]))
    found.push(...compareToken(snapshot, { asset, balances, unbooked }))
  }
  found.push(await compareCoins(node, snapshot, finalized))
  const all = found.filter(({ ledger, chain }) => ledger !== chain)
  return {
    network: node.network,
    block: { number: finalized, hash: `slot ${finalized}` },
    problem: undefined,
    compared: owners.length * tokens.length + snapshot.coins.relayers.length,
    differences: all.filter((each) => !isExplained(each)),
    explained: all.filter(isExplained),
  }
}

/**
 * Compares the coins of all relayers. A fee is booked when its transaction has ended: those of final transactions that
 * are not booked yet are taken off. One that became final during the comparison may count or not.
 */
async function compareCoins(node: SolanaNode, snapshot: Snapshot, minSlot: bigint): Promise<Difference> {
  const { relayers, openHashes } = snapshot.coins
  const asset = nativeAssetOf(node.network)
  const accounts = await node.accounts(relayers, { commitment: 'finalized', minSlot })
  const chain = accounts.reduce((sum, account) => sum + (account?.lamports ?? 0n), 0n)
  const ended = openHashes.length > 0 ? await node.transactions(openHashes, 'finalized') : []
  const costs = ended.flatMap((transaction) =>
    transaction && relayers.includes(transaction.feePayer)
      ? [{ amount: -transaction.feePayerChange, isCertain: transaction.slot <= minSlot }]
      : [],
  )
  const most = (snapshot.treasury.get(asset) ?? 0n) - sumOf(costs.filter(({ isCertain }) => isCertain))
  const least = most - sumOf(costs.filter(({ isCertain }) => !isCertain))
  const ledger = chain >= least && chain <= most ? chain : most
  return { about: 'CHAIN', asset, place: `relayer ${relayers.join(', ')}`, ledger, chain, causes: [] }
}
