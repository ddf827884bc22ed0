import type { Asset } from '../catalog/currencies.ts'
import type { FeeTier } from '../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { NewGuarantee } from './guarantee.ts'
import { type Derivation, quoteLifetimeSeconds } from './quote.ts'
import type { QuoteParties } from './quote-parties.ts'
import { accountOf, returnedFundsAs } from './quote-party-store.ts'

export type StoredQuote = {
  organizationId: string
  quoteId: string
  customerId: string
  sourcePaymentAccountId: string
  sourceAsset: Asset
  sourceMethod: PaymentMethod
  sourceAmountText: string
  destinationPaymentAccountId: string
  destinationAsset: Asset
  destinationMethod: PaymentMethod
  isGuaranteed: boolean
  derivation: string
  createdAt: Date
  expiresAt: Date
  /** The end of the guarantee; null without one, and for a service wallet, which pays at once. */
  guaranteedUntil: Date | null
}

/** The parties of a quote as found, and the times of the quote if it was stored. */
export type QuoteOutcome = QuoteParties & {
  customerOrganizationId: string | null
  allowedMethods: string[] | null
  allowedBy: string | null
  createdAt: Date | null
  expiresAt: Date | null
  guaranteedUntil: Date | null
  /** The limit of one transaction that the guarantee exceeds, in cents. */
  guaranteeMaximum: string | null
}

/** Amounts in smallest units. */
export type QuoteFigures = {
  destinationAmount: string
  svcFee: string
  developerFee: string
  exchangeRate: string
  derivation: Derivation
  transactionParts: object
}

/**
 * A quote to store, with a price for each tier of the organizations the customer may belong to. Without a price, none
 * is stored.
 */
export type NewQuote = {
  quoteId: string
  customerId: string
  organizations: readonly { organizationId: string; tier: FeeTier }[]
  source: { paymentAccountId: string; asset: Asset; method: PaymentMethod; amount: bigint; amountText: string }
  destination: { paymentAccountId: string; asset: Asset; method: PaymentMethod }
  isGuaranteed: boolean
  guarantee: NewGuarantee | undefined
  transferInstructions: string | null
  transferWindowSeconds: number
  /** The catalog edition that the customer's allowed methods must come from. */
  allowedBy: string
  /** Null for fiat, which no service wallet holds. */
  sourceWalletType: string | null
  destinationWalletType: string | null
  labels: { source: string; destination: string }
  prices: Partial<Record<FeeTier, QuoteFigures>>
}

const fits = (account: string, label: string, method: string, wallet: string) => `${account}.status = 'ACTIVE'
  and svc.account_fits(${account}.payment_account_type, ${account}.currency, ${account}.payment_method,
        ${account}.wallet_type, ${label}, ${method}, ${wallet})`

/** The source is reserved when the transaction is created. It has no price risk: it leaves before the price can move. */
const isReserved = `source.payment_account_type in ('SVC_CRYPTO_WALLET', 'RETURNED_FUNDS')`

/** The terms of a guarantee with price risk. */
const guaranteeTerms = `
    select (requested.guarantee ->> 'usdCents')::numeric as usd_cents,
           coalesce((limits ->> 'guaranteedUSDAmountPerTransaction')::numeric * 100,
                    (requested.guarantee ->> 'perTransaction')::numeric)::numeric(38, 0) as per_transaction,
           coalesce((limits ->> 'guaranteedUSDAmountPerOrganization')::numeric * 100,
                    (requested.guarantee ->> 'perOrganization')::numeric)::numeric(38, 0) as per_organization,
           coalesce((limits ->> 'guaranteeWindowSeconds')::integer,
                    (requested.guarantee ->> 'windowSeconds')::integer) as window_seconds
      from svc.organizations as organization
     where organization.organization_id = customer.organization_id
       and requested.guarantee ->> 'usdCents' is not null and not ${isReserved}`

/** Checks customers and accounts and stores the quotes in one round trip. Returns an outcome for each, in order. */
export async function insertQuotes(database: Queryable, quotes: readonly NewQuote[]): Promise<QuoteOutcome[]> {
  const outcomes = await database.query<QuoteOutcome>({
    name: 'insert quotes',
    text: `with requested as materialized (
             select place, organization_ids, tiers, quote_id, customer_id, source_id, source_asset, source_method,
                    source_amount, source_amount_text, source_label, source_wallet_type, destination_id,
                    destination_asset, destination_method, destination_label, destination_wallet_type, is_guaranteed,
                    guarantee, allowed_by, transfer_instructions, transfer_window_seconds, prices
               from json_to_recordset($1) as requested (place integer, organization_ids uuid[], tiers text[], quote_id uuid,
                    customer_id uuid, source_id uuid, source_asset text, source_method text, source_amount numeric,
                    source_amount_text text, source_label text, source_wallet_type text, destination_id uuid,
                    destination_asset text, destination_method text, destination_label text,
                    destination_wallet_type text, is_guaranteed boolean, guarantee json, allowed_by text,
                    transfer_instructions text, transfer_window_seconds integer, prices json)),
           found as materialized (
             select place, quote_id, customer.organization_id, customer.status as customer_status, customer.allowed_methods,
                    customer.allowed_by as found_by,
                    source.shown as source, destination.shown as destination,
                    requested.prices -> requested.tiers[array_position(requested.organization_ids, customer.organization_id)] as price,
                    customer.status = 'ACTIVE' and customer.allowed_by = requested.allowed_by
                      and customer.allowed_methods @> array[requested.source_method, requested.destination_method]
                      and requested.source_id <> requested.destination_id
                      and ${fits('source', 'requested.source_label', 'requested.source_method', 'requested.source_wallet_type')}
                      and ${fits('destination', 'requested.destination_label', 'requested.destination_method', 'requested.destination_wallet_type')} as fits,
                    requested.is_guaranteed and not ${isReserved} as has_guarantee_window,
                    guarantee.usd_cents, guarantee.per_transaction, guarantee.per_organization, guarantee.window_seconds
               from requested
               left join lateral (
                    select organization_id, customer_id, status, allowed_methods, allowed_by from svc.customers
                     where organization_id = any(requested.organization_ids) and customer_id = requested.customer_id
                     limit 1) as customer on true
               left join lateral (${accountOf('requested.source_id')} union all
                    ${returnedFundsAs('requested.source_id', 'requested.source_method')} limit 1) as source on true
               left join lateral (${accountOf('requested.destination_id')} limit 1) as destination on true
               left join lateral (${guaranteeTerms} limit 1) as guarantee on true),
           clock as materialized (select svc.now() as now),
           stored as (
             insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
                    source_method, source_amount, source_amount_text, destination_payment_account_id,
                    destination_asset, destination_method, destination_amount, exchange_rate, svc_fee, developer_fee,
                    is_guaranteed, guaranteed_until, guaranteed_usd_cents, guarantee_ceiling_usd_cents, derivation,
                    transaction_parts, transfer_instructions, transfer_window, created_at, expires_at)
             select organization_id, requested.quote_id, customer_id, source_id, source_asset, source_method, source_amount,
                    source_amount_text, destination_id, destination_asset, destination_method,
                    (price ->> 'destinationAmount')::numeric, price ->> 'exchangeRate', (price ->> 'svcFee')::numeric,
                    (price ->> 'developerFee')::numeric, is_guaranteed,
                    case when has_guarantee_window then date_trunc('milliseconds', clock.now)
                      + least(transfer_window_seconds, window_seconds) * interval '1 second' end,
                    usd_cents, per_organization, price ->> 'derivation',
                    price -> 'transactionParts', transfer_instructions,
                    transfer_window_seconds * interval '1 second', clock.now,
                    clock.now + ${quoteLifetimeSeconds} * interval '1 second'
               from requested join found using (place) cross join clock
              where fits and price is not null and coalesce(usd_cents <= per_transaction, true)
          returning quote_id, created_at, expires_at, guaranteed_until)
           select found.organization_id as "customerOrganizationId", found.customer_status as "customerStatus",
                  found.allowed_methods as "allowedMethods", found.found_by as "allowedBy", found.source,
                  found.destination, stored.created_at as "createdAt", stored.expires_at as "expiresAt",
                  stored.guaranteed_until as "guaranteedUntil",
                  case when usd_cents > per_transaction then per_transaction::text end as "guaranteeMaximum"
             from found left join stored using (quote_id) order by found.place`,
    values: [JSON.stringify(quotes.map(asRecord))],
  })
  if (outcomes.length !== quotes.length) throw new Error('the statement returned no outcome for some quotes')
  return outcomes
}

function asRecord({ source, destination, labels, ...quote }: NewQuote, place: number) {
  return {
    place,
    organization_ids: quote.organizations.map(({ organizationId }) => organizationId),
    tiers: quote.organizations.map(({ tier }) => tier),
    quote_id: quote.quoteId,
    customer_id: quote.customerId,
    is_guaranteed: quote.isGuaranteed,
    guarantee: quote.guarantee,
    source_id: source.paymentAccountId,
    source_asset: source.asset,
    source_method: source.method,
    source_amount: String(source.amount),
    source_amount_text: source.amountText,
    source_label: labels.source,
    source_wallet_type: quote.sourceWalletType,
    destination_id: destination.paymentAccountId,
    destination_asset: destination.asset,
    destination_method: destination.method,
    destination_label: labels.destination,
    destination_wallet_type: quote.destinationWalletType,
    allowed_by: quote.allowedBy,
    transfer_instructions: quote.transferInstructions,
    transfer_window_seconds: quote.transferWindowSeconds,
    prices: quote.prices,
  }
}

export async function findQuote(
  database: Queryable,
  organizationIds: readonly string[],
  quoteId: string,
): Promise<StoredQuote | undefined> {
  const [found] = await database.query<StoredQuote>({
    name: 'find quote',
    text: `select organization_id as "organizationId", quote_id as "quoteId", customer_id as "customerId",
                  source_payment_account_id as "sourcePaymentAccountId", source_asset as "sourceAsset",
                  source_method as "sourceMethod", source_amount_text as "sourceAmountText",
                  destination_payment_account_id as "destinationPaymentAccountId",
                  destination_asset as "destinationAsset", destination_method as "destinationMethod",
                  is_guaranteed as "isGuaranteed", derivation, created_at as "createdAt", expires_at as "expiresAt",
                  guaranteed_until as "guaranteedUntil"
             from svc.quotes where organization_id = any($1) and quote_id = $2`,
    values: [organizationIds, quoteId],
  })
  return found
}

export type DepositQuote = Pick<NewQuote, 'quoteId' | 'customerId' | 'source' | 'destination'> & {
  organizationId: string
  figures: QuoteFigures
  transferInstructions: string
}

/** Stores the quote of a deposit. The caller checks customer and accounts in the same tx, when it uses the quote. */
export async function insertDepositQuote(tx: Tx, quote: DepositQuote): Promise<void> {
  const { source, destination, figures } = quote
  await tx.query({
    name: 'insert quote of a deposit',
    text: `insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
                  source_method, source_amount, source_amount_text, destination_payment_account_id, destination_asset,
                  destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed,
                  derivation, transaction_parts, transfer_instructions, transfer_window, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, true, $16, $17, $18,
                  $19 * interval '1 second', svc.now(), svc.now() + $19 * interval '1 second')`,
    values: [
      quote.organizationId,
      quote.quoteId,
      quote.customerId,
      source.paymentAccountId,
      source.asset,
      source.method,
      source.amount,
      source.amountText,
      destination.paymentAccountId,
      destination.asset,
      destination.method,
      figures.destinationAmount,
      figures.exchangeRate,
      figures.svcFee,
      figures.developerFee,
      JSON.stringify(figures.derivation),
      JSON.stringify(figures.transactionParts),
      quote.transferInstructions,
      quoteLifetimeSeconds,
    ],
  })
}

export async function readTier(database: Queryable, organizationId: string): Promise<FeeTier> {
  const [found] = await database.query<{ tier: FeeTier }>({
    name: 'read tier',
    text: 'select tier from svc.organizations where organization_id = $1',
    values: [organizationId],
  })
  if (!found) throw new Error(`there is no organization ${organizationId}`)
  return found.tier
}
