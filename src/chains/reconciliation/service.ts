import type { Network } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import { isDue } from '../../db/workers/due.ts'
import { newId } from '../../lib/ids.ts'
import { daysBetween, type Item, type ItemKind } from '../../transactions/reconciliation/reconciliation.ts'
import type { ReconciledNetwork } from '../../transactions/reconciliation/service.ts'
import * as store from './comparison-store.ts'
import type { NetworkReport } from './reconcile.ts'

export type ComparedNetwork = { network: Network; compare(): Promise<NetworkReport> }

export type ComparisonDeps = {
  database: Database
  networks: readonly ComparedNetwork[]
  /** Tells that a network could not be compared, or has money that nothing explains. */
  onAlarm(report: NetworkReport): void
}

export type ChainComparisonService = ReturnType<typeof createChainComparisonService>

/** Compares networks with the ledger, and keeps each comparison. */
export function createChainComparisonService(deps: ComparisonDeps) {
  const { database, networks, onAlarm } = deps
  const compareAndRecord = async (one: ComparedNetwork, isDaily: boolean): Promise<NetworkReport> => {
    const report = await one.compare()
    // An operator's failed attempt tells the operator alone: the worker's own comparison stays the newest.
    if (report.problem !== undefined && !isDaily) return report
    const isNew = await record(database, report, isDaily)
    if (isNew && (report.problem !== undefined || report.differences.length > 0)) onAlarm(report)
    return report
  }
  return {
    networks: networks.map(({ network }) => network),

    /** Holds while a network was not compared on this day of business time. */
    due: store.isComparisonDue,

    /** Compares a network for the day of business time, once; answers the problem if it cannot be compared. */
    compareDaily: async (network: Network): Promise<{ problem: string | undefined }> => {
      const one = networks.find((each) => each.network === network)
      if (!one || !(await isDue(database, store.isComparisonDue(network)))) return { problem: undefined }
      return { problem: (await compareAndRecord(one, true)).problem }
    },

    /** Compares every network now. */
    compareAll: async (): Promise<NetworkReport[]> => {
      const reports: NetworkReport[] = []
      for (const one of networks) reports.push(await compareAndRecord(one, false))
      return reports
    },

    /** Reads the comparison of each network that tells how a day ended; the newest one for the present day. */
    readDay: (date: string, today: string): Promise<ReconciledNetwork[]> => readDay(deps, date, today),

    /** Counts the networks that are not compared at present. */
    countNotCompared: async (): Promise<number> => {
      const names = networks.map(({ network }) => network)
      return (await store.readNewest(database, names)).filter(({ problem }) => problem !== null).length
    },

    /** Reads the newest comparison of each network. */
    readNewest: async (): Promise<ReconciledNetwork[]> => {
      const today = await store.readToday(database)
      return readDay(deps, today, today)
    },
  }
}

async function readDay({ database, networks }: ComparisonDeps, date: string, today: string) {
  const names = networks.map(({ network }) => network)
  const found = await store.readComparisons(database, names, { date, today })
  const ids = found.flatMap(({ comparisonId }) => comparisonId ?? [])
  const sets = Map.groupBy(await store.readSets(database, ids), ({ comparisonId }) => comparisonId)
  const keyOf = (of: Pick<store.StoredItem, 'comparisonId' | 'account'>) => `${of.comparisonId} ${of.account}`
  const items = Map.groupBy(await store.readItems(database, ids), keyOf)
  return found.map(({ network, comparisonId, blockNumber, blockHash, comparedAt, problem }): ReconciledNetwork => {
    const block =
      blockNumber === null || blockHash === null ? undefined : { number: BigInt(blockNumber), hash: blockHash }
    const compared = comparisonId === null ? [] : (sets.get(comparisonId) ?? [])
    return {
      network,
      ...(problem === null ? {} : { problem }),
      ...(comparedAt === null ? {} : { comparedAt }),
      ...(block ? { block } : {}),
      accounts: compared.map((set) => ({
        account: set.account,
        asset: set.asset,
        ledger: BigInt(set.ledger),
        outside: BigInt(set.outside),
        items: (items.get(keyOf(set)) ?? []).map((item) => itemOf(item, date)),
      })),
    }
  })
}

function itemOf({ state, kind, reference, amount, since }: store.StoredItem, date: string): Item {
  return {
    state,
    kind: kind as ItemKind,
    reference,
    amount: BigInt(amount),
    day: since,
    // A comparison after the end of the day may name what began after it.
    ageDays: Math.max(0, daysBetween(since, date)),
  }
}

/** Records a comparison; false when it is known already. */
function record(database: Database, report: NetworkReport, isDaily: boolean): Promise<boolean> {
  const { network, block, problem, sets } = report
  const comparisonId = newId()
  return database.inTx(async (tx) => {
    const isNew = await store.insertComparison(tx, { comparisonId, network, isDaily, block, problem })
    if (!isNew || problem !== undefined) return isNew
    await store.insertSets(tx, comparisonId, sets)
    await store.insertItems(tx, { comparisonId, network }, sets)
    return isNew
  })
}
