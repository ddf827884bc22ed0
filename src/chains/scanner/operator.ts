import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { type Network, networks } from '../../catalog/currencies.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import { type ChainNode, NodeError } from '../node.ts'
import * as store from './state-store.ts'

type OperatorDeps = {
  database: Database
  audit: Audit
  actor: string
  /** The networks whose nodes this deployment knows. */
  nodes: ReadonlyMap<EvmNetwork, ChainNode>
  /** The nodes of Solana, if this deployment knows some. */
  solana: RescannedNodes | undefined
  /** Chains that have a block only when something happens, as those of the sandbox. */
  doChainsRest: boolean
}

/** The nodes of Solana, which must have all transactions of an account before it is read anew. */
export type RescannedNodes = {
  slots(): Promise<{ finalized: bigint }>
  requireHistory(account: string, finalSlot: bigint): Promise<void>
}

export type ResumeRequest = { network: Network; reason: string; adopt: boolean }
export type RescanRequest = { network: EvmNetwork; reason: string; fromBlock: bigint }

/** A scanner, and whether its nodes answer but stand still. */
export type ListedScan = store.ScanState & { isFrozen: boolean }

/**
 * HALTED: its conflict must be decided first. CONTRADICTED: the nodes do not have our final block, which halts the network
 * soon. NOT_REACHED: the scanner is not there yet.
 */
export type RescanResult = 'RESCANNED' | 'HALTED' | 'CONTRADICTED' | 'NOT_REACHED'

/** The time without a look at the nodes, or without a new block, after which a network is behind. */
const behindSeconds = 300
/** The time with new blocks but without a new final one after which finality is stuck. Networks take up to half an hour. */
const unfinalSeconds = 3_600
const [shownOddities, shownAccounts] = [50, 50]

type ScanCounts = { halted: number; behind: number; unfinal: number; unscanned: number }

function countScans(
  scans: readonly ListedScan[],
  missed: number,
  { accounts, seconds }: { accounts: number; seconds: number },
): ScanCounts {
  const running = scans.filter(({ haltedAt }) => haltedAt === null)
  const behind = running.filter(
    ({ network, idleSeconds, isFrozen }) =>
      isFrozen || Math.max(idleSeconds, network === 'SOLANA' ? seconds : 0) > behindSeconds,
  )
  const unfinal = running.filter((scan) => (scan.unfinalSeconds ?? 0) > unfinalSeconds)
  return {
    halted: scans.length - running.length,
    behind: behind.length + missed,
    unfinal: unfinal.length,
    unscanned: accounts,
  }
}

/** Shows the scanners to operators, and lets them end a halt or scan again. */
export function createScanOperator({ database, audit, actor, nodes, solana, doChainsRest }: OperatorDeps) {
  const list = async (): Promise<ListedScan[]> =>
    (await store.listScans(database)).map((scan) => ({ ...scan, isFrozen: !doChainsRest && isStill(scan) }))
  const isServed = (network: string) => (network === 'SOLANA' ? solana !== undefined : nodes.has(network as EvmNetwork))
  const createdAtMs = performance.now()
  const record = (action: string, network: string, details: Record<string, unknown>) =>
    ({ organizationId: platformOrganizationId, actor, action, subjectId: network, details }) as const
  return {
    list,

    /** The networks without nodes, which wait. */
    unconfigured: (): Network[] => networks.filter((network) => !isServed(network)),

    oddities: (network: Network): Promise<store.KeptOddity[]> => store.listOddities(database, network, shownOddities),

    /** The accounts of Solana that cannot be scanned, while others are. */
    unscanned: (): Promise<store.UnscannedAccount[]> => store.listUnscanned(database, shownAccounts),

    /**
     * Counts halted networks of this deployment, those not scanned or frozen for minutes, and those without new final
     * blocks. An account that is not scanned for minutes counts as its network does.
     */
    count: async (): Promise<ScanCounts> => {
      const scans = (await list()).filter(({ network }) => isServed(network))
      // A network whose nodes never answered has no row.
      const isMissed = performance.now() - createdAtMs > behindSeconds * 1_000
      const missed = isMissed ? networks.filter(isServed).length - scans.length : 0
      return countScans(scans, missed, await store.countUnscanned(database))
    },

    /**
     * Ends the halt of a network. When the nodes still contradict the record, the scanner halts it again, unless the
     * operator adopts their chain: then the deposits of dropped blocks are reversed.
     */
    resume: ({ network, reason, adopt }: ResumeRequest): Promise<boolean> =>
      database.inTx(async (tx) => {
        if (!(await store.endHalt(tx, network, adopt))) return false
        await audit.append(tx, record('chain.resumed', network, { reason, adopt }))
        return true
      }),

    /** Scans a network again from a block on. Known transfers stay as they are, and missed ones are recorded. */
    rescan: async ({ network, reason, fromBlock }: RescanRequest): Promise<RescanResult> => {
      const scan = (await list()).find((each) => each.network === network)
      if (scan?.haltedAt) return 'HALTED'
      const final = scan && (await nodes.get(network)?.block(BigInt(scan.finalNumber)))
      // A walk that follows the nodes from below finds no conflict.
      if (scan && final?.hash !== scan.finalHash) return 'CONTRADICTED'
      const parent = await nodes.get(network)?.block(fromBlock > 0n ? fromBlock - 1n : 0n)
      if (!parent) throw new NodeError('unavailable', `The nodes of ${network} do not have block ${fromBlock}`)
      return database.inTx(async (tx) => {
        if (!(await store.rewindScan(tx, network, parent))) return 'NOT_REACHED'
        await audit.append(tx, record('chain.rescanned', network, { reason, fromBlock: String(fromBlock) }))
        return 'RESCANNED'
      })
    },

    /** Reads the transactions of Solana's accounts anew, all or one of them, as a rescan; answers how many accounts. */
    rescanSolana: async ({ account, reason }: { account: string | null; reason: string }): Promise<number> => {
      const finalized = await findRescanSlot(database, solana, account)
      return database.inTx(async (tx) => {
        const count = await store.rewindAccounts(tx, account, finalized)
        if (count > 0) await audit.append(tx, record('chain.rescanned', 'SOLANA', { reason, account, count }))
        return count
      })
    },
  }
}

/** True for a network that is scanned, but has had no new block. Solana's cursor moves with transfers, not with blocks. */
function isStill({ network, problem, haltedAt, stillSeconds }: store.ScanState): boolean {
  return network !== 'SOLANA' && problem === null && haltedAt === null && stillSeconds > behindSeconds
}

/** Tells the final slot down to which a rescan may go, once the nodes have proven that they know the accounts' past. */
async function findRescanSlot(
  database: Database,
  solana: OperatorDeps['solana'],
  account: string | null,
): Promise<bigint> {
  if (!solana) throw new NodeError('unavailable', 'SOLANA has no nodes')
  const { finalized } = await solana.slots()
  for (const each of await store.listMovedAccounts(database, account)) await solana.requireHistory(each, finalized)
  return finalized
}
