import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { TokenAsset } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { TokenDomain } from '../../lib/evm/authorization.ts'
import type { Finality } from '../../lib/settings/chains.ts'
import { finalityInvariant } from '../../transactions/deposits/sightings/record.ts'
import { type ChainNode, NodeError, type NodeErrorKind } from '../node.ts'
import { type FinalizeDeps, finalize } from './finalize.ts'
import { type RecordDeps, recordWindow } from './record.ts'
import type { Scan, ScanProblem } from './scan.ts'
import * as store from './store.ts'
import { checkToken, WrongToken } from './token-check.ts'
import { FinalityConflict, findFinal, type Heads, readHeads, readWindow, type WalkDeps } from './walk.ts'

/** A network with its nodes and the tokens on it that we credit. */
export type ScannedNetwork = {
  node: ChainNode
  finality: Finality
  tokens: readonly { asset: TokenAsset; decimals: number; domain: TokenDomain }[]
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

/** The tools of a scanner, and what it remembers between two turns. */
type Context = {
  deps: ScannerDeps
  walk: WalkDeps
  recording: FinalizeDeps
  tokens: ScannedNetwork['tokens']
  memory: {
    held?: HeldNetwork | undefined
    scan?: Scan | undefined
    renewAtMs: number
    areTokensChecked: boolean
    /** True when the row says whether the network is scanned, as it is now. */
    isStateRecorded: boolean
    problem: ScanProblem | null
  }
}

type HeldNetwork = store.Held & { network: EvmNetwork }

/** Scans one network: each turn compares the cursor with the nodes, and records the blocks between. */
export function createScanner(deps: ScannerDeps, { node, finality, tokens }: ScannedNetwork) {
  const contracts = new Map(tokens.map(({ asset, domain }) => [domain.contract.toLowerCase(), asset]))
  const context: Context = {
    deps,
    walk: { database: deps.database, node, finality },
    recording: { ...deps, contracts, node },
    tokens,
    memory: { renewAtMs: 0, areTokensChecked: false, isStateRecorded: false, problem: null },
  }
  const { memory } = context
  return {
    network: node.network,

    /** Does one turn. Throws only what is neither the nodes' nor the chain's fault. */
    turn: async (): Promise<Turn> => {
      try {
        const held = await hold(context)
        return held ? await scanOnce(context, held) : 'NOT_HELD'
      } catch (error) {
        // The record may differ from the memory of it.
        memory.scan = undefined
        if (error instanceof FinalityConflict && memory.held) return halt(context, memory.held, error)
        if (error instanceof NodeError || error instanceof WrongToken) return report(context, error)
        if (error instanceof LeaseLost) forget(context)
        throw error
      }
    },

    /** Lets another worker take the network over at once. */
    release: async (): Promise<void> => {
      if (memory.held) await store.setLease(deps.database, memory.held, 0)
      forget(context)
    },
  }
}

function forget({ memory }: Context): void {
  memory.held = undefined
  memory.scan = undefined
  memory.isStateRecorded = false
}

/** Claims the scanner, or renews its lease; the first claim of a network creates its row. */
async function hold(context: Context): Promise<HeldNetwork | undefined> {
  const { memory, walk } = context
  const { database, leaseMs } = context.deps
  const { network } = walk.node
  if (memory.held && performance.now() < memory.renewAtMs) return memory.held
  memory.renewAtMs = performance.now() + leaseMs / 3
  memory.isStateRecorded = false
  if (memory.held && (await store.setLease(database, memory.held, leaseMs))) return memory.held
  forget(context)
  if (!(await store.hasScan(database, network))) await store.insertScan(database, network, await findStart(walk))
  const fence = await store.claimScan(database, network, leaseMs)
  memory.held = fence === undefined ? undefined : { network, fence }
  return memory.held
}

async function scanOnce({ deps, walk, recording, tokens, memory }: Context, held: HeldNetwork): Promise<Turn> {
  const { database, onPoint } = deps
  const before = memory.scan ?? (await store.readScan(database, held))
  if (before.isHalted) return 'HALTED'
  const heads = await readHeads(walk)
  if (!memory.areTokensChecked) for (const token of tokens) await checkToken(walk.node, token, heads.latest)
  memory.areTokensChecked = true
  const window = await readWindow(walk, before, heads)
  onPoint('chain window read')
  let scan = before
  if (window) {
    scan = await database.inTx((tx) => recordWindow(recording, tx, held, before, window, heads.final.number))
    onPoint('chain window recorded')
  }
  const final = await findFinal(walk, scan, heads)
  if (final) scan = await finalize(recording, held, scan, final)
  if (!memory.isStateRecorded || memory.problem !== null) await store.recordScanned(database, held, null)
  memory.isStateRecorded = true
  memory.problem = null
  memory.scan = scan
  return scan === before ? 'IDLE' : 'MOVED'
}

async function halt({ deps, tokens, walk }: Context, held: HeldNetwork, conflict: FinalityConflict): Promise<Turn> {
  await deps.database.inTx(async (tx) => {
    await store.haltScan(tx, held, conflict.message)
    for (const { asset } of tokens) await deps.ledger.haltAssetIn(tx, asset, finalityInvariant)
  })
  deps.onHalted(walk.node.network, conflict)
  return 'HALTED'
}

/** Records why the network waits. Without a row, at the very first start, only the log tells. */
async function report({ deps, walk, memory }: Context, error: NodeError | WrongToken): Promise<Turn> {
  const { held } = memory
  const problem = problemOf(error)
  const isNew = memory.problem !== problem
  if (isNew) deps.onProblem(walk.node.network, problem, error)
  if (held && (isNew || !memory.isStateRecorded)) await store.recordScanned(deps.database, held, problem)
  memory.problem = problem
  memory.isStateRecorded = true
  return 'PROBLEM'
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
