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

/** Reads balances and entries of service accounts from the ledger. */
export function createBalanceService(deps: PaymentAccountDeps) {
  const read = async (caller: Caller, paymentAccountId: string) => {
    const { account } = await openAccount(deps, caller, paymentAccountId)
    return { account, holdable: holdableAssets(account) }
  }
  return {
    readBalance: async (caller: Caller, paymentAccountId: string, query: AssetQuery) => {
      const { account, holdable } = await read(caller, paymentAccountId)
      const [balance] = await readBalances(deps, account, [chooseAsset(account, holdable, query)])
      return { paymentAccountId: account.paymentAccountId, ...balance }
    },

    /** Reads a balance for each asset that the account can hold, including zeros. */
    readBalances: async (caller: Caller, paymentAccountId: string) => {
      const { account, holdable } = await read(caller, paymentAccountId)
      return { paymentAccountId: account.paymentAccountId, balances: await readBalances(deps, account, holdable) }
    },

    /** Lists the ledger entries, newest first, in all assets or in the one that the query names. */
    listEntries: async (
      caller: Caller,
      paymentAccountId: string,
      query: PageRequest & AssetQuery,
    ): Promise<Page<object>> => {
      const { account, holdable } = await read(caller, paymentAccountId)
      const { chain, currency, ...page } = query
      const asset = chain || currency ? chooseAsset(account, holdable, query) : undefined
      const filter = { ...page, ...(asset ? { asset } : {}) }
      const { organizationId } = account
      const { items, nextPageToken } = await deps.ledger.entries([organizationId], account.paymentAccountId, filter)
      return { items: items.map((entry) => presentEntry(deps, entry)), nextPageToken }
    },
  }
}

async function readBalances(
  deps: PaymentAccountDeps,
  { organizationId, paymentAccountId }: PaymentAccount,
  shownAssets: readonly Asset[],
): Promise<BalanceView[]> {
  const { database, ledger, usdValueOf } = deps
  const found = await ledger.balances(database, organizationId, paymentAccountId)
  return shownAssets.map((asset) => {
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
  if (!isAsset(asset)) throw new Error(`the ledger has an entry in ${asset}, which the catalog does not list`)
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

/** Lists the assets that a service account can hold. Balances of external accounts are unknown to the service. */
function holdableAssets({ paymentAccountType, walletType, currency }: PaymentAccount): readonly Asset[] {
  if (paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') return assets.filter((asset) => asset === currency)
  if (!walletType) throw new Refusal('CONFLICT', 'Only service accounts have a balance; this account is external')
  const networks = networksOf(walletType)
  return assets.filter((asset) => isTokenAsset(asset) && networks.some((network) => chainOf(asset) === network))
}

/** Chooses the asset that a query names. Chain and currency are optional where the account has only one. */
function chooseAsset(
  { walletType }: PaymentAccount,
  holdable: readonly Asset[],
  { chain, currency }: AssetQuery,
): Asset {
  const [only, ...others] = holdable
  if (currency === undefined && chain === undefined && others.length === 0 && only) return only
  if (currency === undefined) throw badField('currency', 'is required for an account with several currencies')
  if (chain === undefined && walletType === 'EVM') throw badField('chain', 'is required for a wallet on several chains')
  const asset = assetOf(currency, chain ?? (walletType === 'SOLANA' ? 'SOLANA' : undefined))
  if (asset && holdable.includes(asset)) return asset
  throw badField(chain === undefined ? 'currency' : 'chain', 'must name an asset that this account can hold')
}
