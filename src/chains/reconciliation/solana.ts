import type { TokenAsset } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import { NodeError } from '../../lib/chains/node-error.ts'
import { associatedAccountOf } from '../../lib/solana/token-account.ts'
import type { SolanaNode } from '../solana/node.ts'
import { readUnbooked } from '../solana/payouts/store.ts'
import { balanceIn } from '../solana/scanner/read.ts'
import { sumOf } from './difference.ts'
import { compareRelayers, type NetworkReport, type ReconciliationDeps, reportOf } from './reconcile.ts'
import { type FoundItem, surplusOf } from './sets.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'
import { compareToken, type TokenReport } from './tokens.ts'

export type SolanaReconciliationDeps = Pick<ReconciliationDeps, 'database' | 'ledger' | 'custody'> & {
  node: SolanaNode
  tokens: readonly { asset: TokenAsset; mint: string }[]
}

const mostComparisons = 4

/**
 * Compares every address of customers, our treasuries and our relayers on Solana with the ledger. Nodes have no older
 * states, so the newest final one is compared, and a transfer that becomes final meanwhile is a difference for a moment.
 * So differences count when two comparisons in a row find the same. After a few comparisons the last one counts: a
 * difference that changes all the time does not hide.
 */
export async function reconcileSolana(deps: SolanaReconciliationDeps): Promise<NetworkReport> {
  try {
    let report = await compare(deps)
    for (let made = 1; made < mostComparisons && report.differences.length > 0; made += 1) {
      const before = listDifferences(report)
      report = await compare(deps)
      if (listDifferences(report) === before) break
    }
    return report
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const nothing = { compared: 0, differences: [], explained: [], sets: [] }
    return { network: deps.node.network, block: undefined, problem: error.message, ...nothing }
  }
}

function listDifferences({ differences }: NetworkReport): string {
  return differences.map(({ place, asset, ledger, chain }) => `${place} ${asset} ${chain - ledger}`).join('\n')
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
  const parts: TokenReport[] = []
  for (const { asset, mint } of tokens) {
    const accounts = owners.map((owner) => associatedAccountOf(owner, mint))
    const states = await node.accounts(accounts, { commitment: 'finalized', minSlot: finalized })
    const balances = new Map(owners.map((owner, at) => [owner, balanceIn({ owner }, mint, states[at])]))
    parts.push(compareToken(snapshot, { asset, balances, unbooked }))
  }
  parts.push(await compareCoins(node, snapshot, finalized))
  return reportOf(node.network, { number: finalized, hash: `slot ${finalized}` }, parts)
}

/**
 * Compares the coins of all relayers. A fee is booked when its transaction has ended: those of final transactions that
 * are not booked yet are taken off. One that became final during the comparison may count or not.
 */
async function compareCoins(node: SolanaNode, snapshot: Snapshot, minSlot: bigint): Promise<TokenReport> {
  const { relayers, openHashes } = snapshot.coins
  const asset = nativeAssetOf(node.network)
  const accounts = await node.accounts(relayers, { commitment: 'finalized', minSlot })
  const chain = accounts.reduce((sum, account) => sum + (account?.lamports ?? 0n), 0n)
  const ended = openHashes.length > 0 ? await node.transactions(openHashes, 'finalized') : []
  const costs = ended.flatMap((transaction, at) =>
    transaction && relayers.includes(transaction.feePayer)
      ? [
          {
            reference: openHashes[at] ?? '',
            amount: transaction.feePayerChange,
            isCertain: transaction.slot <= minSlot,
          },
        ]
      : [],
  )
  const nameFees = (some: typeof costs) =>
    some.map(({ reference, amount }): FoundItem => ({ state: 'UNEXPECTED', kind: 'FEES', reference, amount }))
  const certain = nameFees(costs.filter(({ isCertain }) => isCertain))
  const most = (snapshot.treasury.get(asset) ?? 0n) + surplusOf(certain)
  const rest = chain - most
  const least = sumOf(costs.filter(({ isCertain }) => !isCertain))
  const uncertain: FoundItem = { state: 'UNEXPECTED', kind: 'FEES', reference: `after slot ${minSlot}`, amount: rest }
  const fees = rest < 0n && rest >= least ? [...certain, uncertain] : certain
  return compareRelayers(snapshot, asset, { chain, fees })
}
