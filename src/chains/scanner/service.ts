import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { TokenAsset } from '../../catalog/currencies.ts'
import { LeaseLost } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { TokenDomain } from '../../lib/evm/authorization.ts'
import type { Finality } from '../../lib/settings/chains.ts'
import { finalityInvariant } from '../../transactions/deposits/sightings/record.ts'
import { type ChainNode, NodeError } from '../node.ts'
import { type FinalizeDeps, finalize } from './finalize.ts'
import { createHolding, type Holding, type HoldingDeps, isPassing, type Turn } from './holding.ts'
import { type RecordDeps, recordWindow, rejudgeResumed } from './record.ts'
import type { Scan } from './scan.ts'
import * as store from './store.ts'
import { checkToken } from './token-check.ts'
import { FinalityConflict, findFinal, type Heads, isShared, readHeads, readWindow, type WalkDeps } from './walk.ts'

/** A network with its nodes and the tokens on it that we credit. */
export type ScannedNetwork = {
  node: ChainNode
  finality: Finality
  tokens: readonly { asset: TokenAsset; decimals: number; domain: TokenDomain }[]
}

export type ScannerDeps = Omit<RecordDeps, 'contracts'> &
  HoldingDeps & {
    ledger: Pick<LedgerService, 'haltAssetIn'>
    /** Raises the alarm: a network has dropped a block that it had called final. */
    onHalted(network: EvmNetwork, error: Error): void
    onPoint(point: string): void
  }

export type Scanner = { network: string; turn(): Promise<Turn>; release(): Promise<void> }

// A chain as young as this is one of the sandbox: nothing that it ever recorded may be missed.
const youngBlocks = 10_000n

/** The tools of a scanner, and what it remembers between two turns. */
type Context = {
  deps: ScannerDeps
  walk: WalkDeps
  recording: FinalizeDeps
  tokens: ScannedNetwork['tokens']
  holding: Holding<EvmNetwork>
  memory: { scan?: Scan | undefined; areTokensChecked: boolean }
}

type HeldNetwork = store.Held & { network: EvmNetwork }

/** Scans one network: each turn compares the cursor with the nodes, and records the blocks between. */
export function createScanner(deps: ScannerDeps, { node, finality, tokens }: ScannedNetwork): Scanner {
  const contracts = new Map(tokens.map(({ asset, domain }) => [domain.contract.toLowerCase(), asset]))
  const walk = { database: deps.database, node, finality }
  const holding = createHolding(deps, node.network, () => findStart(walk))
  const memory: Context['memory'] = { areTokensChecked: false }
  const context: Context = { deps, walk, recording: { ...deps, contracts, node }, tokens, holding, memory }
  return {
    network: node.network,

    /** Does one turn. Throws only what is neither the nodes' nor the chain's fault. */
    turn: async (): Promise<Turn> => {
      try {
        const before = holding.current()
        const held = await holding.hold()
        if (held !== before) memory.scan = undefined
        return held ? await scanOnce(context, held) : 'NOT_HELD'
      } catch (error) {
        // The record may differ from the memory of it.
        memory.scan = undefined
        const held = holding.current()
        if (error instanceof FinalityConflict && held) return halt(context, held, error)
        if (isPassing(error)) return holding.report(error)
        if (error instanceof LeaseLost) holding.forget()
        throw error
      }
    },

    release: async (): Promise<void> => {
      memory.scan = undefined
      await holding.release()
    },
  }
}

async function scanOnce({ deps, walk, recording, tokens, holding, memory }: Context, held: HeldNetwork): Promise<Turn> {
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
  } else if (before.isResuming) {
    // Nodes that are behind say nothing about our final block yet.
    if (!(await isShared(walk, before.final))) return 'HALTED'
    scan = { ...before, isResuming: false, mayAdopt: false }
    await database.inTx(async (tx) => {
      await store.moveScan(tx, held, scan)
      await rejudgeResumed(recording, tx, held.network, before, { parent: before.cursor, blocks: [] })
    })
  }
  const final = await findFinal(walk, scan, heads)
  if (final) scan = await finalize(recording, held, scan, final, heads)
  await holding.recordScanned(held)
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

/** The first block: the beginning of a young chain, else the final block of the day on which the network is first scanned. */
async function findStart(walk: Parameters<typeof readHeads>[0]): Promise<Heads['final']> {
  const { latest, final } = await readHeads(walk)
  if (latest.number > youngBlocks) return final
  const first = await walk.node.block(0n)
  if (!first) throw new NodeError('unavailable', 'the nodes do not have the first block')
  return first
}
