import { type Asset, assets, type Network, scaleOf } from '../../../catalog/currencies.ts'
import { kindOf } from '../../../catalog/network-kinds.ts'
import type { CustodyService } from '../../../custody/service.ts'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { parseAmount } from '../../../lib/money.ts'
import { UsageError } from '../../../lib/settings.ts'
import {
  type Collection,
  insertCollections,
  insertRebalance,
  lockCollections,
  readRefused,
  readUncollectedFees,
} from './collection-store.ts'

export type CollectionService = ReturnType<typeof createCollectionService>

type Sending = { organizationId: string; asset: Asset; amount: bigint }

/** Owes our reserve tokens of our treasury. Throws an error that tells the operator what to do first. */
export function createReserveSender({ custody }: { custody: Pick<CustodyService, 'findReserveAddress'> }) {
  return async (tx: Tx, { organizationId, asset, amount }: Sending, payoutId: string): Promise<void> => {
    const method = asset.split('/')[1] as Network
    const kind = kindOf(method)
    if ((await custody.findReserveAddress(kind)) === undefined)
      throw new Error(`There is no reserve address on ${method}. Register one with "svc custody reserve".`)
    await insertRebalance(tx, { organizationId, payoutId, method, asset, amount })
  }
}

/** Owes our treasury what lies at customers' addresses and is not on its way. */
export function createCollectionService({
  database,
  audit,
  actor,
}: {
  database: Database
  audit: Audit
  actor: string
}) {
  return {
    /** Owes fees of at least the minimum per wallet, and sources whose collection a network refused; answers all. */
    collect: async (organizationId: string, minimum = '0'): Promise<Collection[]> => {
      for (const asset of assets) readMinimum(minimum, asset)
      return database.inTx(async (tx) => {
        // One command at a time reads what is left, and owes it.
        await lockCollections(tx, organizationId)
        const refused = await readRefused(tx, organizationId)
        const fees = await readUncollectedFees(tx, organizationId)
        const enough = fees.filter(({ asset, amount }) => BigInt(amount) >= readMinimum(minimum, asset))
        const owed = await insertCollections(tx, [...refused, ...enough])
        if (owed.length === 0) return []
        const details = { collections: owed.length }
        const act = { actor, action: 'treasury.collected', subjectId: organizationId, details }
        await audit.append(tx, { organizationId, ...act })
        return owed
      })
    },
  }
}

function readMinimum(minimum: string, asset: Asset): bigint {
  const parsed = parseAmount(minimum, scaleOf(asset))
  if (!parsed.ok) throw new UsageError(`--minimum ${parsed.problem}.`)
  return parsed.units
}
