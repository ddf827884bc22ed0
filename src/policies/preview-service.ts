import { type Asset, assets, labelOf, scaleOf } from '../catalog/currencies.ts'
import type { Database } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { parseAmount } from '../lib/money.ts'
import { badField, badFields, notFound } from '../lib/refusal.ts'
import { judgePayment } from './judge-payment.ts'
import * as store from './preview-store.ts'

export type PolicyPreviewDeps = {
  database: Database
  /** Values an amount in cents of USD; undefined while there is no current price. */
  valueNow(asset: Asset, amount: bigint): bigint | undefined
}
export type PolicyPreviewService = ReturnType<typeof createPolicyPreviewService>

type PreviewRequest = {
  quoteId?: string
  customerId?: string
  destinationPaymentAccountId?: string
  amount?: string
  currency?: string
  apiKeyId?: string
  at?: string
}

const described = ['customerId', 'destinationPaymentAccountId', 'amount', 'currency'] as const

/** Tells what policies would do to a payment, with the function that decides about real ones. */
export function createPolicyPreviewService(deps: PolicyPreviewDeps) {
  return {
    preview: async (caller: Caller, request: PreviewRequest) => {
      const payment = await readPayment(deps, caller, request)
      const { apiKeyId = caller.apiKeyId } = request
      const isOwn = await store.isOwnKey(deps.database, caller.organizationIds, apiKeyId)
      if (!isOwn) throw notFound()
      const { usdCents, isToWallet } = payment
      const value = usdCents === null ? undefined : BigInt(usdCents)
      if (isToWallet) return judgePayment([], value)
      const at = request.at === undefined ? null : new Date(request.at)
      return judgePayment(await store.weighPayment(deps.database, { ...payment, apiKeyId, at }), value)
    },
  }
}

async function readPayment(
  deps: PolicyPreviewDeps,
  caller: Caller,
  request: PreviewRequest,
): Promise<store.PreviewedPayment> {
  const { database } = deps
  const { quoteId, customerId, destinationPaymentAccountId, amount, currency } = request
  if (quoteId !== undefined) {
    const extra = described.filter((field) => request[field] !== undefined)
    if (extra.length > 0)
      throw badFields(extra.map((field) => ({ field, message: 'must be absent with quoteId, which names it' })))
    return (await store.findQuotedPayment(database, caller.organizationIds, quoteId)) ?? refuse()
  }
  const missing = described.filter((field) => request[field] === undefined)
  if (missing.length > 0 || !customerId || !destinationPaymentAccountId || !amount || !currency)
    throw badFields(missing.map((field) => ({ field, message: 'is required without quoteId' })))
  const asset = assets.find((each) => labelOf(each) === currency)
  if (!asset) throw badField('currency', 'must be a currency of this service, such as USDC')
  const parsed = parseAmount(amount, scaleOf(asset))
  if (!parsed.ok) throw badField('amount', parsed.problem)
  const account = { customerId, paymentAccountId: destinationPaymentAccountId }
  const found = await store.findDestination(database, caller.organizationIds, account)
  return { ...(found ?? refuse()), usdCents: deps.valueNow(asset, parsed.units)?.toString() ?? null }
}

function refuse(): never {
  throw notFound()
}
