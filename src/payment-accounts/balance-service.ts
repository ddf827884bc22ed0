import { type Asset, assetOf, assets, chainOf, currencyOf, isTokenAsset, scaleOf } from '../catalog/currencies.ts'
import type { Caller } from '../lib/caller.ts'
import { formatAmount } from '../lib/money.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { openAccount, type PaymentAccountOptions } from './access-service.ts'
import { networksOf, type PaymentAccountRow } from './payment-account.ts'

export type BalanceQuery = { chain?: string; currency?: string }
export type BalanceView = {
  currency: object
  balance: string
  availableBalance: string
  usdValue?: string
}

/** What the service holds for an account, by its ledger. */
export function makeBalances(options: PaymentAccountOptions) {
  const read = async (caller: Caller, paymentAccountId: string) => {
    const { row } = await openAccount(options, caller, paymentAccountId)
    return { row, held: heldAssets(row) }
  }
  return {
    readBalance: async (caller: Caller, paymentAccountId: string, query: BalanceQuery) => {
      const { row, held } = await read(caller, paymentAccountId)
      const asset = chooseAsset(row, held, query)
      const [balance] = await readBalances(options, row, [asset])
      return { paymentAccountId: row.paymentAccountId, ...balance }
    },

    /** Everything the account can hold, zeros included. */
    readBalances: async (caller: Caller, paymentAccountId: string) => {
      const { row, held } = await read(caller, paymentAccountId)
      return { paymentAccountId: row.paymentAccountId, balances: await readBalances(options, row, held) }
    },
  }
}

async function readBalances(
  options: PaymentAccountOptions,
  { organizationId, paymentAccountId }: PaymentAccountRow,
  wanted: readonly Asset[],
): Promise<BalanceView[]> {
  const { database, balancesOf, usdValueOf, environment, sandboxContracts } = options
  const found = await balancesOf(database, organizationId, paymentAccountId)
  return wanted.map((asset) => {
    const { posted = 0n, available = 0n } = found.find((each) => each.asset === asset) ?? {}
    const usdValue = usdValueOf(asset, posted)
    return {
      currency: currencyOf(environment, asset, sandboxContracts()),
      balance: formatAmount(posted, scaleOf(asset)),
      availableBalance: formatAmount(available, scaleOf(asset)),
      ...(usdValue === undefined ? {} : { usdValue }),
    }
  })
}

/** What a service account can hold. Nobody here knows what lies in an account of another bank or wallet. */
function heldAssets({ paymentAccountType, walletType, currency }: PaymentAccountRow): readonly Asset[] {
  if (paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') return assets.filter((asset) => asset === currency)
  if (!walletType) throw new Refusal('CONFLICT', 'The service holds no balance of an external account')
  const networks = networksOf(walletType)
  return assets.filter((asset) => isTokenAsset(asset) && networks.some((network) => chainOf(asset) === network))
}

/** A wallet on one network need not be told which; a currency must be named where there are several. */
function chooseAsset(row: PaymentAccountRow, held: readonly Asset[], { chain, currency }: BalanceQuery): Asset {
  const [only, ...others] = held
  if (currency === undefined && chain === undefined && others.length === 0 && only) return only
  if (currency === undefined) throw badField('currency', 'is required for an account with several currencies')
  const network = row.walletType === 'SOLANA' ? 'SOLANA' : undefined
  if (chain === undefined && row.walletType === 'EVM')
    throw badField('chain', 'is required for a wallet on several chains')
  const asset = assetOf(currency, chain ?? network)
  if (asset && held.includes(asset)) return asset
  throw badField(chain === undefined ? 'currency' : 'chain', 'names nothing that this account can hold')
}
