import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { TokenAsset } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Finality } from '../../lib/settings/chains.ts'
import { finalityInvariant } from '../../transactions/deposits/sightings/record.ts'
import { type ChainNode, NodeError, type NodeErrorKind } from '../node.ts'
import { finalize } from './finalize.ts'
import { type RecordDeps, recordWindow } from './record.ts'
import type { Scan, ScanProblem } from './scan.ts'
import * as store from './store.ts'
import { checkToken, WrongToken } from './token-check.ts'
import { FinalityConflict, findFinal, type Heads, readHeads, readWindow } from './walk.ts'

/** A network with its nodes and the tokens on it that we credit. */
export type ScannedNetwork = {
  node: ChainNode
  finality: Finality
  tokens: readonly { asset: TokenAsset; contract: string; decimals: number }[]
}

export type ScannerDeps = Omit<RecordDeps, 'contracts'> & {
  database: Database
  ledger: Pick<LedgerService, 'haltAssetIn'>
  leaseMs: number
  /** Reports that a network cannot be scanned, each time the reason changes. */
  onProblem(network: EvmNetwork, problem: ScanProblem, error: Error): void
  /** Raises the alarm: a network has dropped a block that it had called final. */
  onHalted(network: EvmNetwork, error: Error): void
  onPoint(point: string): void
}

/** The outcome of a turn. HALTED and NOT_HELD wait for an operator and for another worker. */
export type Turn = 'MOVED' | 'IDLE' | 'PROBLEM' | 'HALTED' | 'NOT_HELD'

export type Scanner = ReturnType<typeof createScanner>

// A chain as young as this is one of the sandbox: nothing that it ever recorded may be missed.
const youngBlocks = 10_000n

/** Scans one network: each turn compares the cursor with the nodes, and records the blocks between. */
export function createScanner(deps: ScannerDeps, { node, finality, tokens }: ScannedNetwork) {
  const { database, leaseMs } = deps
  const { network } = node
  const contracts = new Map(tokens.map(({ asset, contract }) => [contract.toLowerCase(), asset]))
  const walk = { database, node, finality }
  const recording = { ...deps, contracts, node }
  let held: (store.Held & { network: EvmNetwork }) | undefined
  let scan: Scan | undefined
  let renewAtMs = 0
  let areTokensChecked = false
  let isStateRecorded = false
  let problem: ScanProblem | null = null

  const forget = () => {
    held = undefined
    scan = undefined
    isStateRecorded = false
  }

  /** Claims the scanner, or renews its lease; the first claim of a network creates its row. */
  const hold = async (): Promise<boolean> => {
    if (held && performance.now() < renewAtMs) return true
    renewAtMs = performance.now() + leaseMs / 3
    isStateRecorded = false
    if (held && (await store.setLease(database, held, leaseMs))) return true
    forget()
    if (!(await store.hasScan(database, network))) await store.insertScan(database, network, await findStart(walk))
    const fence = await store.claimScan(database, network, leaseMs)
    if (fence !== undefined) held = { network, fence }
    return held !== undefined
  }

  const scanOnce = async (current: store.Held & { network: EvmNetwork }): Promise<Turn> => {
    scan ??= await store.readScan(database, current)
    if (scan.isHalted) return 'HALTED'
    const heads = await readHeads(walk)
    if (!areTokensChecked) for (const token of tokens) await checkToken(node, token, heads.latest)
    areTokensChecked = true
    const window = await readWindow(walk, scan, heads)
    deps.onPoint('chain window read')
    const before = scan
    if (window) {
      scan = await database.inTx((tx) => recordWindow(recording, tx, current, before, window, heads.final.number))
      deps.onPoint('chain window recorded')
    }
    const final = await findFinal(walk, scan, heads)
    if (final) scan = await finalize(recording, current, scan, final)
    if (!isStateRecorded || problem !== null) await store.recordScanned(database, current, null)
    isStateRecorded = true
    problem = null
    return scan === before ? 'IDLE' : 'MOVED'
  }

  const halt = async (current: store.Held, conflict: FinalityConflict): Promise<Turn> => {
    await database.inTx(async (tx) => {
      await store.haltScan(tx, current, conflict.message)
      for (const { asset } of tokens) await deps.ledger.haltAssetIn(tx, asset, finalityInvariant)
    })
    scan = undefined
    deps.onHalted(network, conflict)
    return 'HALTED'
  }

  /** Records why the network waits. Without a row, at the very first start, only the log tells. */
  const report = async (error: NodeError | WrongToken): Promise<Turn> => {
    const found = problemOf(error)
    scan = undefined
    if (problem !== found) deps.onProblem(network, found, error)
    if (held && (problem !== found || !isStateRecorded)) await store.recordScanned(database, held, found)
    problem = found
    isStateRecorded = true
    return 'PROBLEM'
  }

  return {
    network,

    /** Does one turn. Throws only what is neither the nodes' nor the chain's fault. */
    turn: async (): Promise<Turn> => {
      try {
        return (await hold()) && held ? await scanOnce(held) : 'NOT_HELD'
      } catch (error) {
        if (error instanceof FinalityConflict && held) return halt(held, error)
        if (error instanceof NodeError || error instanceof WrongToken) return report(error)
        // The record may differ from the memory of it.
        scan = undefined
        if (error instanceof LeaseLost) forget()
        throw error
      }
    },

    /** Lets another worker take the network over at once. */
    release: async (): Promise<void> => {
      if (held) await store.setLease(database, held, 0)
      forget()
    },
  }
}

/** The first block: the beginning of a young chain, else the final block of the day on which the network is first scanned. */
async function findStart(walk: Parameters<typeof readHeads>[0]): Promise<Heads['final']> {
  const { latest, final } = await readHeads(walk)
  if (latest.number > youngBlocks) return final
  const first = await walk.node.block(0n)
  if (!first) throw new NodeError('unavailable', 'the nodes do not have the first block')
  return first
}

const problems: Readonly<Record<NodeErrorKind, ScanProblem>> = {
  unavailable: 'UNAVAILABLE',
  disagreement: 'DISAGREEMENT',
  incomplete: 'INCOMPLETE',
  'wrong chain': 'WRONG_CHAIN',
  reverted: 'REFUSED',
  refused: 'REFUSED',
}

function problemOf(error: NodeError | WrongToken): ScanProblem {
  return error instanceof WrongToken ? 'WRONG_TOKEN' : problems[error.kind]
}
