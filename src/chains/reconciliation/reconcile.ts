import { chainOf, type Environment, type Network, type TokenAsset, tokenAssets } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { writeStateQuestion } from '../../lib/evm/authorization.ts'
import { addressWord, selectorOf, toHex } from '../../lib/evm/words.ts'
import type { Finality } from '../../lib/settings/chains.ts'
import { type BlockRef, type ChainNode, type ContractCall, NodeError } from '../node.ts'
import { readHeads } from '../scanner/walk.ts'
import { type Difference, explain } from './difference.ts'
import { type ComparedSet, type FoundItem, nameDifference, nameSet, surplusOf } from './sets.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'
import type { Moving } from './store.ts'
import { compareToken, type TokenReport } from './tokens.ts'

export type ReconciliationDeps = {
  database: Database
  environment: Environment
  ledger: Pick<LedgerService, 'totals' | 'positions'>
  custody: Pick<CustodyService, 'listWallets' | 'listTreasuries'>
}

/** A network with its nodes, and its rule of finality. */
export type ReconciledNodes = { node: ChainNode; finality: Finality }

/** The result for one network. Without a block nothing was compared, and the problem tells why. */
export type NetworkReport = {
  network: Network
  block: Pick<BlockRef, 'number' | 'hash'> | undefined
  problem: string | undefined
  /** The number of balances that were compared. */
  compared: number
  differences: Difference[]
  /** Surpluses that known transfers explain. */
  explained: Difference[]
  /** Every set of our addresses, with its sums and its open items. */
  sets: ComparedSet[]
}

const together = 100
/** The most seconds of the chain that the scanner may be behind its newest final block. */
const mostBehind = 3_600n

/**
 * Compares every address of customers, our treasuries and our relayers with the ledger, at the final block up to which
 * the scanner has recorded everything. Transfers that only one of the two sides has yet are counted on both.
 */
export async function reconcile(deps: ReconciliationDeps, nodes: ReconciledNodes): Promise<NetworkReport> {
  try {
    return await reconcileNetwork(deps, nodes)
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const nothing = { compared: 0, differences: [], explained: [], sets: [] }
    return { network: nodes.node.network, block: undefined, problem: error.message, ...nothing }
  }
}

async function reconcileNetwork(deps: ReconciliationDeps, nodes: ReconciledNodes): Promise<NetworkReport> {
  const { node } = nodes
  const { network } = node
  const contracts = new Map<string, TokenAsset>(
    tokenAssets
      .filter((asset) => chainOf(asset) === network)
      .map((asset) => [tokenDomainOf(deps.environment, asset).contract.toLowerCase(), asset]),
  )
  const snapshot = await readSnapshot(deps, network, contracts)
  if (!snapshot) throw new NodeError('unavailable', 'it was never scanned: start a worker')
  const block = await node.block(snapshot.final.number)
  if (block?.hash !== snapshot.final.hash)
    throw new NodeError('disagreement', `the nodes have another block ${snapshot.final.number}: see svc networks show`)
  await requireRecent(deps, nodes, snapshot.cursor)
  const unbooked = await findUnbooked(node, snapshot.moving, block)
  const tokens: TokenReport[] = []
  const places = [...snapshot.addresses, ...snapshot.treasuries]
  for (const [contract, asset] of contracts) {
    const balances = await readBalances(node, contract, places, block)
    tokens.push(compareToken(snapshot, { asset, balances, unbooked }))
  }
  const coins = await compareCoins(node, snapshot, block)
  return reportOf(network, block, [...tokens, coins])
}

/**
 * Requires that the scanner is not behind: the first block that it has not read is at most an hour older than the newest
 * final one. Both times are the chain's own: a chain that stands still, or goes on after a rest, is not behind.
 */
async function requireRecent({ database }: ReconciliationDeps, { node, finality }: ReconciledNodes, cursor: bigint) {
  const { final } = await readHeads({ database, node, finality })
  if (final.number <= cursor) return
  const next = await node.block(cursor + 1n)
  if (!next) throw new NodeError('unavailable', 'the nodes do not have the block after the last one that was scanned')
  if (final.timestamp - next.timestamp <= mostBehind) return
  throw new NodeError('unavailable', 'SCANNER_BEHIND: final blocks of more than an hour are not scanned yet')
}

/** Joins what was compared on a network. */
export function reportOf(
  network: Network,
  block: Pick<BlockRef, 'number' | 'hash'>,
  parts: readonly TokenReport[],
): NetworkReport {
  const found = parts
    .flatMap(({ differences }) => differences)
    .map((difference) => ({ difference, ...explain(difference) }))
  const sets = parts.flatMap((part) => part.sets)
  return {
    network,
    block,
    problem: undefined,
    compared: sets
      .filter(({ items }) => items[0]?.kind !== 'CLAIMS')
      .reduce((sum, { addresses }) => sum + addresses, 0),
    differences: found.filter(({ rest }) => rest !== 0n).map(({ difference }) => difference),
    explained: found
      .filter(({ rest, causes }) => rest === 0n && causes.length > 0)
      .map(({ difference, causes }) => ({ ...difference, causes })),
    sets,
  }
}

/** Finds transfers that the block has, and the books do not have yet: the token knows their nonces. */
async function findUnbooked(node: ChainNode, moving: readonly Moving[], block: BlockRef): Promise<Moving[]> {
  const open = moving.filter(({ isBooked }) => !isBooked)
  const questions = open.map(({ contract, from, nonce }) => ({ to: contract, data: writeStateQuestion(from, nonce) }))
  const answers = await callAll(node, questions, block)
  return open.filter((_, at) => (answers[at] ?? 0n) !== 0n)
}

/** Compares the coins of all relayers. Gas is booked when a transaction is final. */
async function compareCoins(node: ChainNode, snapshot: Snapshot, block: BlockRef): Promise<TokenReport> {
  const { relayers, bookedLater, openHashes } = snapshot.coins
  const balances = await Promise.all(relayers.map((relayer) => node.balanceAt(relayer, block)))
  const receipts = openHashes.length > 0 ? await node.receipts(openHashes) : []
  const spent = receipts.flatMap((receipt, at): FoundItem[] => {
    if (!receipt || receipt.block.number > block.number) return []
    const amount = receipt.gasUsed * receipt.effectiveGasPrice + receipt.layerOneFee
    return [{ state: 'UNEXPECTED', kind: 'FEES', reference: openHashes[at] ?? '', amount: -amount }]
  })
  const later: FoundItem = {
    state: 'MISSING',
    kind: 'FEES',
    reference: `after block ${block.number}`,
    amount: -bookedLater,
  }
  const fees = [...spent, ...(bookedLater === 0n ? [] : [later])]
  const chain = balances.reduce((sum, balance) => sum + balance, 0n)
  return compareRelayers(snapshot, nativeAssetOf(node.network), { chain, fees })
}

/** Compares the sum of all relayers with the ledger, after the fees that only one side has yet. */
export function compareRelayers(
  snapshot: Snapshot,
  asset: string,
  { chain, fees }: { chain: bigint; fees: readonly FoundItem[] },
): TokenReport {
  const { relayers } = snapshot.coins
  const books = snapshot.treasury.get(asset) ?? 0n
  const named = relayers.join(', ')
  const difference: Difference = {
    about: 'CHAIN',
    asset,
    place: `relayer ${named}`,
    ledger: books + surplusOf(fees),
    chain,
    causes: [],
  }
  const set: ComparedSet = {
    account: nameSet(asset, 'relayers'),
    asset,
    ledger: books,
    outside: chain,
    addresses: relayers.length,
    items: [...fees, ...nameDifference('ADDRESS', named, difference)],
  }
  return { differences: [difference], sets: [set] }
}

const balanceSelector = selectorOf('balanceOf(address)')

async function readBalances(
  node: ChainNode,
  contract: string,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Map<string, bigint>> {
  const calls = addresses.map((address) => ({
    to: contract,
    data: toHex(Buffer.concat([balanceSelector, addressWord(address)])),
  }))
  const answers = await callAll(node, calls, block)
  return new Map(addresses.map((address, at) => [address, answers[at] ?? 0n]))
}

/** Asks for numbers, many in one request. */
async function callAll(node: ChainNode, calls: readonly ContractCall[], block: BlockRef): Promise<bigint[]> {
  const answers: bigint[] = []
  for (let from = 0; from < calls.length; from += together) {
    const some = await node.calls(calls.slice(from, from + together), block)
    answers.push(...some.map((answer) => BigInt(answer)))
  }
  return answers
}
