import { type Asset, assets, isAsset, type Network, scaleOf } from '../../../catalog/currencies.ts'
import { kindOf } from '../../../catalog/network-kinds.ts'
import type { CustodyService } from '../../../custody/service.ts'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { parseAmount } from '../../../lib/money.ts'
import { UsageError } from '../../../lib/settings.ts'
import {
  type Collection,
  insertCollections,
  insertRebalance,
  lockCollections,
  readRefused,
  readSweepable,
} from './collection-store.ts'

export type CollectionService = ReturnType<typeof createCollectionService>
type CollectionDeps = { database: Database; ledger: LedgerService; audit: Audit; actor: string }

type Sending = { organizationId: string; asset: Asset; amount: bigint }

/** Owes our reserve tokens of our treasury. Throws an error that tells the operator what to do first. */
export function createReserveSender({ custody }: { custody: Pick<CustodyService, 'findReserveAddress'> }) {
  return async (tx: Tx, { organizationId, asset, amount }: Sending, payoutId: string): Promise<void> => {
    const method = methodOf(asset)
    const kind = kindOf(method)
    if ((await custody.findReserveAddress(kind)) === undefined)
      throw new Error(`There is no reserve address on ${method}. Register one with "svc custody reserve".`)
    await insertRebalance(tx, { organizationId, payoutId, method, asset, amount })
  }
}

/** Owes our treasury what lies at customers' addresses and is not on its way. */
export function createCollectionService({ database, ledger, audit, actor }: CollectionDeps) {
  return {
    /** Owes fees of at least the minimum per wallet, and sources whose collection a network refused; answers all. */
    collect: async (organizationId: string, minimum = '0'): Promise<Collection[]> => {
      for (const asset of assets) readMinimum(minimum, asset)
      return database.inTx(async (tx) => {
        // One command at a time reads what is left, and owes it.
        await lockCollections(tx, organizationId)
        const refused = await readRefused(tx, organizationId)
        const fees = await readFees({ ledger }, tx, organizationId)
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

/** Reads the fees of direct transfers that lie at customers' addresses, where no sweep is on its way. */
async function readFees({ ledger }: { ledger: LedgerService }, tx: Tx, organizationId: string): Promise<Collection[]> {
  const kinds = ['UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES'] as const
  const accounts = await ledger.positions(tx, organizationId, kinds)
  const byWallet = Map.groupBy(accounts, ({ holder, asset }) => `${holder} ${asset}`)
  const wallets = [...byWallet.values()].map((fees) => {
    // Tokens that we hold are a debit, which is negative.
    const sumOf = (kind?: string) =>
      fees.reduce((sum, fee) => (kind === undefined || fee.kind === kind ? sum - fee.posted : sum), 0n)
    const [first] = fees
    return {
      walletId: first?.holder ?? '',
      asset: first?.asset ?? '',
      amount: sumOf(),
      developerFees: sumOf('UNCOLLECTED_DEVELOPER_FEES'),
    }
  })
  const owed = wallets.filter(({ amount }) => amount > 0n)
  const sweepable = await readSweepable(tx, organizationId, owed)
  return sweepable.flatMap(({ walletId, asset, customerId }) => {
    const found = owed.find((each) => each.walletId === walletId && each.asset === asset)
    return found && isAsset(asset) ? [toSweep(organizationId, customerId, { ...found, asset })] : []
  })
}

type WalletFees = { walletId: string; asset: Asset; amount: bigint; developerFees: bigint }

function toSweep(organizationId: string, customerId: string, fees: WalletFees): Collection {
  const { walletId: fromWalletId, asset, amount, developerFees } = fees
  return {
    organizationId,
    transactionId: null,
    customerId,
    purpose: 'SWEEP',
    method: methodOf(asset),
    asset,
    amount: String(amount),
    developerFees: String(developerFees),
    fromWalletId,
  }
}

function methodOf(asset: Asset): Network {
  return asset.split('/')[1] as Network
}

function readMinimum(minimum: string, asset: Asset): bigint {
  const parsed = parseAmount(minimum, scaleOf(asset))
  if (!parsed.ok) throw new UsageError(`--minimum ${parsed.problem}.`)
  return parsed.units
}
