import { type EvmNetwork, evmNetworks } from '../../catalog/chain-ids.ts'
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
}

export type ResumeRequest = { network: EvmNetwork; reason: string; adopt: boolean }
export type RescanRequest = { network: EvmNetwork; reason: string; fromBlock: bigint }

/** The time without a look at the nodes after which a network is behind. */
const behindSeconds = 300
/** The time with new blocks but without a new final one after which finality is stuck. Networks take up to half an hour. */
const unfinalSeconds = 3_600
const shownOddities = 50

/** Shows the scanners to operators, and lets them end a halt or scan again. */
export function createScanOperator({ database, audit, actor, nodes }: OperatorDeps) {
  const list = (): Promise<store.ScanState[]> => store.listScans(database)
  const createdAtMs = performance.now()
  const record = (action: string, network: string, details: Record<string, unknown>) =>
    ({ organizationId: platformOrganizationId, actor, action, subjectId: network, details }) as const
  return {
    list,

    /** The EVM networks without nodes, which wait. */
    unconfigured: (): EvmNetwork[] => evmNetworks.filter((network) => !nodes.has(network)),

    oddities: (network: EvmNetwork): Promise<store.KeptOddity[]> =>
      store.listOddities(database, network, shownOddities),

    /** Counts halted networks of this deployment, those not scanned for minutes, and those without new final blocks. */
    count: async (): Promise<{ halted: number; behind: number; unfinal: number }> => {
      const scans = (await list()).filter(({ network }) => nodes.has(network as EvmNetwork))
      // A network whose nodes never answered has no row.
      const isMissed = performance.now() - createdAtMs > behindSeconds * 1_000
      const missed = isMissed ? nodes.size - scans.length : 0
      const halted = scans.filter(({ haltedAt }) => haltedAt !== null).length
      const behind = scans.filter(({ haltedAt, idleSeconds }) => haltedAt === null && idleSeconds > behindSeconds)
      const unfinal = scans.filter((scan) => scan.haltedAt === null && (scan.unfinalSeconds ?? 0) > unfinalSeconds)
      return { halted, behind: behind.length + missed, unfinal: unfinal.length }
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
    rescan: async ({ network, reason, fromBlock }: RescanRequest): Promise<boolean> => {
      const parent = await nodes.get(network)?.block(fromBlock > 0n ? fromBlock - 1n : 0n)
      if (!parent) throw new NodeError('unavailable', `The nodes of ${network} do not have block ${fromBlock}`)
      return database.inTx(async (tx) => {
        if (!(await store.rewindScan(tx, network, parent))) return false
        await audit.append(tx, record('chain.rescanned', network, { reason, fromBlock: String(fromBlock) }))
        return true
      })
    },
  }
}
