import {
  type Asset,
  assetOf,
  assets,
  chainOf,
  currencyOf,
  isAsset,
  isTokenAsset,
  scaleOf,
} from '../catalog/currencies.ts'
import type { StatementEntry } from '../ledger/posting.ts'
import type { Caller } from '../lib/caller.ts'
import { formatAmount } from '../lib/money.ts'
import type { Page, PageRequest } from '../lib/pages.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { openAccount, type PaymentAccountDeps } from './access.ts'
import { networksOf, type PaymentAccount } from './payment-account.ts'

export type AssetQuery = { chain?: string; currency?: string }
export type BalanceView = { currency: object; balance: string; availableBalance: string; usdValue?: string }

/** What the service holds for an account, by its ledger. */
export function createBalanceService(deps: PaymentAccountDeps) {
  const read = async (caller: Caller, paymentAccountId: string) => {
    const { row } = await openAccount(deps, caller, paymentAccountId)
    return { row, held: heldAssets(row) }
  }
  return {
    readBalance: async (caller: Caller, paymentAccountId: string, query: AssetQuery) => {
      const { row, held } = await read(caller, paymentAccountId)
      const [balance] = await readBalances(deps, row, [chooseAsset(row, held, query)])
      return { paymentAccountId: row.paymentAccountId, ...balance }
    },

    /** Everything the account can hold, zeros included. */
    readBalances: async (caller: Caller, paymentAccountId: string) => {
      const { row, held } = await read(caller, paymentAccountId)
      return { paymentAccountId: row.paymentAccountId, balances: await readBalances(deps, row, held) }
    },

    /** The statement, newest first; of one currency when one is named. */
    listEntries: async (
      caller: Caller,
      paymentAccountId: string,
      query: PageRequest & AssetQuery,
    ): Promise<Page<object>> => {
      const { row, held } = await read(caller, paymentAccountId)
      const { chain, currency, ...page } = query
      const asset = chain || currency ? chooseAsset(row, held, query) : undefined
      const filter = { ...page, ...(asset ? { asset } : {}) }
      const { items, nextPageToken } = await deps.ledger.entries([row.organizationId], row.paymentAccountId, filter)
      return { items: items.map((entry) => presentEntry(deps, entry)), nextPageToken }
    },
  }
}

async function readBalances(
  deps: PaymentAccountDeps,
  { organizationId, paymentAccountId }: PaymentAccount,
  wanted: readonly Asset[],
): Promise<BalanceView[]> {
  const { database, ledger, usdValueOf } = deps
  const found = await ledger.balances(database, organizationId, paymentAccountId)
  return wanted.map((asset) => {
    const { posted = 0n, available = 0n } = found.find((each) => each.asset === asset) ?? {}
    const usdValue = usdValueOf(asset, posted)
    return {
      currency: showCurrency(deps, asset),
      balance: formatAmount(posted, scaleOf(asset)),
      availableBalance: formatAmount(available, scaleOf(asset)),
      ...(usdValue === undefined ? {} : { usdValue }),
    }
  })
}

function presentEntry(deps: PaymentAccountDeps, entry: StatementEntry): object {
  const { asset, amount } = entry
  if (!isAsset(asset)) throw new Error(`the ledger holds ${asset}, which the catalog does not know`)
  return {
    entryId: entry.postingId,
    type: entry.fact,
    direction: amount < 0n ? 'DEBIT' : 'CREDIT',
    currency: showCurrency(deps, asset),
    amount: formatAmount(amount < 0n ? -amount : amount, scaleOf(asset)),
    balance: formatAmount(entry.balance, scaleOf(asset)),
    reference: entry.reference,
    createdAt: entry.createdAt.toISOString(),
  }
}

function showCurrency({ environment, sandboxContracts }: PaymentAccountDeps, asset: Asset) {
  return currencyOf(environment, asset, sandboxContracts())
}

/** What a service account can hold. Nobody here knows what lies in an account of another bank or wallet. */
function heldAssets({ paymentAccountType, walletType, currency }: PaymentAccount): readonly Asset[] {
  if (paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') return assets.filter((asset) => asset === currency)
  if (!walletType) throw new Refusal('CONFLICT', 'The service holds no balance of an external account')
  const networks = networksOf(walletType)
  return assets.filter((asset) => isTokenAsset(asset) && networks.some((network) => chainOf(asset) === network))
}

/** A wallet on one network need not be told which; a currency must be named where there are several. */
function chooseAsset({ walletType }: PaymentAccount, held: readonly Asset[], { chain, currency }: AssetQuery): Asset {
  const [only, ...others] = held
  if (currency === undefined && chain === undefined && others.length === 0 && only) return only
  if (currency === undefined) throw badField('currency', 'is required for an account with several currencies')
  if (chain === undefined && walletType === 'EVM') throw badField('chain', 'is required for a wallet on several chains')
  const asset = assetOf(currency, chain ?? (walletType === 'SOLANA' ? 'SOLANA' : undefined))
  if (asset && held.includes(asset)) return asset
  throw badField(chain === undefined ? 'currency' : 'chain', 'names nothing that this account can hold')
}
