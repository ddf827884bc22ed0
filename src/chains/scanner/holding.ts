import type { Network } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import { NodeError, type NodeErrorKind } from '../../lib/chains/node-error.ts'
import { type BlockId, type ScanProblem, WrongToken } from './scan.ts'
import * as store from './store.ts'

export type HoldingDeps = {
  database: Database
  leaseMs: number
  /** Reports that a network cannot be scanned, each time the reason changes. */
  onProblem(network: Network, problem: ScanProblem, error: Error): void
}

/** The outcome of a turn. HALTED and NOT_HELD wait for an operator and for another worker. */
export type Turn = 'MOVED' | 'IDLE' | 'PROBLEM' | 'HALTED' | 'NOT_HELD'

export type Holding<Name extends Network> = ReturnType<typeof createHolding<Name>>

/**
 * Holds the scanner of a network for this worker, and keeps the record of why it waits. `findStart` tells the first
 * block of a network that was never scanned.
 */
export function createHolding<Name extends Network>(
  { database, leaseMs, onProblem }: HoldingDeps,
  network: Name,
  findStart: () => Promise<BlockId>,
) {
  type Held = store.Held & { network: Name }
  let held: Held | undefined
  let leasedAtMs = 0
  /** True when the row says whether the network is scanned, as it is now. */
  let isStateRecorded = false
  let problem: ScanProblem | null = null
  const forget = () => {
    held = undefined
    isStateRecorded = false
  }
  const sinceLeaseMs = () => performance.now() - leasedAtMs
  const record = async (by: Held, found: ScanProblem | null) => {
    const atMs = performance.now()
    await store.recordScanned(database, by, found, leaseMs)
    leasedAtMs = atMs
  }
  return {
    forget,
    current: (): Held | undefined => held,

    /** Claims the scanner, or renews its lease; the first claim of a network creates its row. */
    hold: async (): Promise<Held | undefined> => {
      // A turn ends with a record of its outcome, which renews the lease. It must not end before that.
      if (held && sinceLeaseMs() < (leaseMs * 2) / 3) return held
      leasedAtMs = performance.now()
      isStateRecorded = false
      if (held && (await store.setLease(database, held, leaseMs))) return held
      forget()
      if (!(await store.hasScan(database, network))) await store.insertScan(database, network, await findStart())
      const fence = await store.claimScan(database, network, leaseMs)
      held = fence === undefined ? undefined : { network, fence }
      return held
    },

    /** Records that the network is scanned, unless the row said so a moment ago. */
    recordScanned: async (by: Held): Promise<void> => {
      if (!isStateRecorded || problem !== null || sinceLeaseMs() >= leaseMs / 3) await record(by, null)
      isStateRecorded = true
      problem = null
    },

    /** Records why the network waits. Without a row, at the very first start, only the log tells. */
    report: async (error: NodeError | WrongToken): Promise<Turn> => {
      const found = problemOf(error)
      const isNew = problem !== found
      if (isNew) onProblem(network, found, error)
      if (held && (isNew || !isStateRecorded || sinceLeaseMs() >= leaseMs / 3)) await record(held, found)
      problem = found
      isStateRecorded = true
      return 'PROBLEM'
    },

    /** Lets another worker take the network over at once. */
    release: async (): Promise<void> => {
      if (held) await store.setLease(database, held, 0)
      forget()
    },
  }
}

/** True for what is the nodes' or the network's fault, and ends by itself. */
export function isPassing(error: unknown): error is NodeError | WrongToken {
  return error instanceof NodeError || error instanceof WrongToken
}

const problems: Readonly<Record<NodeErrorKind, ScanProblem>> = {
  unavailable: 'UNAVAILABLE',
  disagreement: 'DISAGREEMENT',
  incomplete: 'INCOMPLETE',
  'wrong chain': 'WRONG_CHAIN',
  reverted: 'REFUSED',
  refused: 'REFUSED',
}

export function problemOf(error: NodeError | WrongToken): ScanProblem {
  return error instanceof WrongToken ? 'WRONG_TOKEN' : problems[error.kind]
}
