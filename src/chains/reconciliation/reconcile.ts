import { chainOf, type Environment, type Network, type TokenAsset, tokenAssets } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { writeStateQuestion } from '../../lib/evm/authorization.ts'
import { addressWord, selectorOf, toHex } from '../../lib/evm/words.ts'
import { type BlockRef, type ChainNode, type ContractCall, NodeError } from '../node.ts'
import type { PayingNetwork } from '../payouts/relayer.ts'
import { type Difference, isExplained, sumOf } from './difference.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'
import type { Moving } from './store.ts'

export type ReconciliationDeps = {
  database: Database
  environment: Environment
  ledger: Pick<LedgerService, 'totals' | 'positions'>
  custody: Pick<CustodyService, 'listWallets' | 'listTreasuries'>
  networks: readonly Pick<PayingNetwork, 'node'>[]
}

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
}

const together = 100

/**
 * Compares every address of customers, our treasuries and our relayers with the ledger, at the final block up to which
 * the scanner has recorded everything. Transfers that only one of the two sides has yet are counted on both.
 */
export async function reconcile(deps: ReconciliationDeps): Promise<NetworkReport[]> {
  const reports: NetworkReport[] = []
  for (const { node } of deps.networks) {
    const nothing = { network: node.network, block: undefined, compared: 0, differences: [], explained: [] }
    try {
      reports.push(await reconcileNetwork(deps, node))
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      reports.push({ ...nothing, problem: error.message })
    }
  }
  return reports
}

async function reconcileNetwork(deps: ReconciliationDeps, node: ChainNode): Promise<NetworkReport> {
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
  const unbooked = await findUnbooked(node, snapshot.moving, block)
  const found: Difference[] = []
  let compared = 0
  for (const [contract, asset] of contracts) {
    const places = [...snapshot.addresses, ...snapshot.treasuries]
    const balances = await readBalances(node, contract, places, block)
    compared += places.length
    found.push(...compareToken(snapshot, { asset, balances, unbooked }))
  }
  const coins = await compareCoins(node, snapshot, block)
  compared += snapshot.coins.relayers.length
  const all = [...found, ...coins].filter(({ ledger, chain }) => ledger !== chain)
  return {
    network,
    block,
    problem: undefined,
    compared,
    differences: all.filter((each) => !isExplained(each)),
    explained: all.filter(isExplained),
  }
}

export type Compared = { asset: TokenAsset; balances: ReadonlyMap<string, bigint>; unbooked: readonly Moving[] }

export function compareToken(snapshot: Snapshot, { asset, balances, unbooked }: Compared): Difference[] {
  const { treasuries, uncredited, held, claimed } = snapshot
  // Adds transfers that the books lack, and takes off those that the block lacks.
  const correction = (addresses: readonly string[]): bigint => {
    const isOurs = new Set(addresses.map((address) => address.toLowerCase()))
    const sum = (moving: readonly Moving[]) =>
      moving
        .filter((each) => each.asset === asset)
        .reduce((total, { from, to, amount }) => {
          const left = isOurs.has(from.toLowerCase()) ? amount : 0n
          return total + (isOurs.has(to.toLowerCase()) ? amount : 0n) - left
        }, 0n)
    return sum(unbooked) - sum(snapshot.moving.filter(({ isBooked }) => isBooked))
  }
  const causes = Map.groupBy(
    uncredited.filter((each) => each.asset === asset),
    ({ address }) => address.toLowerCase(),
  )
  const causesAt = (addresses: readonly string[]) =>
    addresses
      .flatMap((address) => causes.get(address.toLowerCase()) ?? [])
      .map(({ cause, amount }) => ({ cause, amount }))
  const compare = (place: string, addresses: readonly string[], books: bigint): Difference => ({
    about: 'CHAIN',
    asset,
    place,
    ledger: books + correction(addresses),
    chain: addresses.reduce((sum, address) => sum + (balances.get(address) ?? 0n), 0n),
    causes: causesAt(addresses),
  })
  const heldAt = (address: string) => held.get(`${address} ${asset}`) ?? 0n
  const wallets = snapshot.addresses.map((address) => compare(`wallet ${address}`, [address], heldAt(address)))
  const overdrawn = snapshot.addresses.flatMap((address): Difference[] => {
    const ledger = claimed.get(`${address} ${asset}`) ?? 0n
    const chain = heldAt(address)
    return ledger > chain ? [{ about: 'BALANCES', asset, place: `wallet ${address}`, ledger, chain, causes: [] }] : []
  })
  const recorded = snapshot.addresses.reduce((sum, address) => sum + heldAt(address), 0n)
  const custody = { ledger: snapshot.custody.get(asset) ?? 0n, chain: recorded }
  return [
    compare(`treasury ${treasuries.join(', ')}`, treasuries, snapshot.treasury.get(asset) ?? 0n),
    ...wallets,
    ...overdrawn,
    { about: 'BOOKS', asset, place: 'all wallets', ...custody, causes: [] },
  ]
}

/** Finds transfers that the block has, and the books do not have yet: the token knows their nonces. */
async function findUnbooked(node: ChainNode, moving: readonly Moving[], block: BlockRef): Promise<Moving[]> {
  const open = moving.filter(({ isBooked }) => !isBooked)
  const questions = open.map(({ contract, from, nonce }) => ({ to: contract, data: writeStateQuestion(from, nonce) }))
  const answers = await callAll(node, questions, block)
  return open.filter((_, at) => (answers[at] ?? 0n) !== 0n)
}

/** Compares the coins of all relayers. Gas is booked when a transaction is final. */
async function compareCoins(node: ChainNode, snapshot: Snapshot, block: BlockRef): Promise<Difference[]> {
  const { relayers, bookedLater, openHashes } = snapshot.coins
  const asset = nativeAssetOf(node.network)
  const balances = await Promise.all(relayers.map((relayer) => node.balanceAt(relayer, block)))
  const receipts = openHashes.length > 0 ? await node.receipts(openHashes) : []
  const spent = receipts.flatMap((receipt) =>
    receipt && receipt.block.number <= block.number
      ? [{ amount: receipt.gasUsed * receipt.effectiveGasPrice + receipt.layerOneFee }]
      : [],
  )
  const ledger = (snapshot.treasury.get(asset) ?? 0n) + bookedLater - sumOf(spent)
  const chain = balances.reduce((sum, balance) => sum + balance, 0n)
  return [{ about: 'CHAIN', asset, place: `relayer ${relayers.join(', ')}`, ledger, chain, causes: [] }]
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
