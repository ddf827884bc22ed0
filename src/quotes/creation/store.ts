import type { Asset } from '../../catalog/currencies.ts'
import type { FeeTier } from '../../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Queryable } from '../../db/database.ts'
import type { ClaimedKey, IdempotentRequest } from '../../db/idempotency.ts'
import type { NewOwnData } from '../../lib/resources/own-data.ts'
import type { NewGuarantee } from '../guarantee.ts'
import { type Derivation, quoteLifetimeSeconds } from '../quote.ts'
import type { QuoteParties } from '../quote-parties.ts'
import { accountOf, returnedFundsAs } from '../quote-party-store.ts'

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
  /** Customer, accounts and price allow the quote. */
  isPriced: boolean | null
  /** The state of its idempotency key; null without one. A quote whose key is not free was not stored. */
  key: ClaimedKey | null
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
  /** The request with the idempotency key; no two quotes of one statement have the same. */
  request: IdempotentRequest | undefined
  quoteId: string
  customerId: string
  organizations: readonly { organizationId: string; tier: FeeTier }[]
  source: { paymentAccountId: string; asset: Asset; method: PaymentMethod; amount: bigint; amountText: string }
  destination: { paymentAccountId: string; asset: Asset; method: PaymentMethod }
  isGuaranteed: boolean
  /** The value of the source amount, in cents. */
  usdCents: string | null
  guarantee: NewGuarantee | undefined
  transferInstructions: string | null
  transferWindowSeconds: number
  /** The catalog edition that the customer's allowed methods must come from. */
  allowedBy: string
  /** Null for fiat, which no service wallet holds. */
  sourceWalletType: string | null
  destinationWalletType: string | null
  labels: { source: string; destination: string }
  own: NewOwnData
  prices: Partial<Record<FeeTier, QuoteFigures>>
  /** With a key: the answer of each price, in pieces between which its times belong, separated by `answerCut`. */
  answers: Partial<Record<FeeTier, string>> | undefined
}

/** A character that JSON text never has. */
export const answerCut = '\u001f'

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

/** Locks the idempotency keys, and finds what is stored for them. */
const claimedKeys = `claimed as materialized (
             select key.place, is_ours, key.fingerprint, key.answer from svc.claim_keys($2, $3, $4) as key),
`

/** Stores the answers of the quotes that were stored. Runs because the result joins its row. */
const keptAnswers = `, kept as materialized (
             select svc.keep_answers(array_agg(($2::uuid[])[place]), array_agg(($3::text[])[place]),
                      array_agg(($4::text[])[place]), array_agg(($5::bytea[])[place]), 201,
                      array_agg(concat(split_part(shown, e'\\x1f', 1), svc.format_time(expires_at),
                        split_part(shown, e'\\x1f', 2), ',"guaranteedUntil":"' || svc.format_time(guaranteed_until) || '"',
                        split_part(shown, e'\\x1f', 3)))) as kept
               from stored join found using (quote_id) join claimed using (place))`

const joinedKeys = 'left join claimed using (place) cross join kept'

const claimedKey = `case when is_ours is not null then json_build_object('isOurs', is_ours,
                    'fingerprint', encode(claimed.fingerprint, 'hex'), 'answer', claimed.answer) end`

const insertStatement = (isKeyed: boolean) => `
           with requested as materialized (
             select place, organization_ids, tiers, quote_id, customer_id, source_id, source_asset, source_method,
                    source_amount, source_amount_text, source_label, source_wallet_type, destination_id,
                    destination_asset, destination_method, destination_label, destination_wallet_type, is_guaranteed,
                    value_usd_cents, guarantee, allowed_by, transfer_instructions, transfer_window_seconds, external_id,
                    metadata, prices, answers
               from json_to_recordset($1) as requested (place integer, organization_ids uuid[], tiers text[], quote_id uuid,
                    customer_id uuid, source_id uuid, source_asset text, source_method text, source_amount numeric,
                    source_amount_text text, source_label text, source_wallet_type text, destination_id uuid,
                    destination_asset text, destination_method text, destination_label text,
                    destination_wallet_type text, is_guaranteed boolean, value_usd_cents numeric, guarantee json, allowed_by text,
                    transfer_instructions text, transfer_window_seconds integer, external_id text, metadata json,
                    prices json, answers json)),
           found as materialized (
             select place, quote_id, customer.organization_id, customer.status as customer_status, customer.allowed_methods,
                    customer.allowed_by as found_by,
                    source.shown as source, destination.shown as destination,
                    requested.prices -> requested.tiers[array_position(requested.organization_ids, customer.organization_id)] as price,
                    requested.answers ->> requested.tiers[array_position(requested.organization_ids, customer.organization_id)] as shown,
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
${isKeyed ? claimedKeys : ''}           clock as materialized (select svc.now() as now),
           stored as (
             insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
                    source_method, source_amount, source_amount_text, destination_payment_account_id,
                    destination_asset, destination_method, destination_amount, exchange_rate, svc_fee, developer_fee,
                    usd_cents, is_guaranteed, guaranteed_until, guaranteed_usd_cents, guarantee_ceiling_usd_cents, derivation,
                    transaction_parts, transfer_instructions, transfer_window, created_at, expires_at, external_id,
                    metadata)
             select organization_id, requested.quote_id, customer_id, source_id, source_asset, source_method, source_amount,
                    source_amount_text, destination_id, destination_asset, destination_method,
                    (price ->> 'destinationAmount')::numeric, price ->> 'exchangeRate', (price ->> 'svcFee')::numeric,
                    (price ->> 'developerFee')::numeric, value_usd_cents, is_guaranteed,
                    case when has_guarantee_window then date_trunc('milliseconds', clock.now)
                      + least(transfer_window_seconds, window_seconds) * interval '1 second' end,
                    usd_cents, per_organization, price ->> 'derivation', price -> 'transactionParts', transfer_instructions,
                    transfer_window_seconds * interval '1 second', clock.now,
                    clock.now + ${quoteLifetimeSeconds} * interval '1 second', external_id, metadata
               from requested join found using (place) cross join clock
               ${isKeyed ? 'left join claimed using (place)' : ''}
              where fits and price is not null and coalesce(usd_cents <= per_transaction, true)
                ${isKeyed ? 'and (is_ours is null or is_ours and claimed.fingerprint is null)' : ''}
                 on conflict (organization_id, external_id) where external_id is not null do nothing
          returning quote_id, created_at, expires_at, guaranteed_until)${isKeyed ? keptAnswers : ''}
           select found.organization_id as "customerOrganizationId", found.customer_status as "customerStatus",
                  found.allowed_methods as "allowedMethods", found.found_by as "allowedBy", found.source,
                  found.destination, stored.created_at as "createdAt", stored.expires_at as "expiresAt",
                  stored.guaranteed_until as "guaranteedUntil",
                  case when usd_cents > per_transaction then per_transaction::text end as "guaranteeMaximum",
                  found.fits and found.price is not null as "isPriced",
                  ${isKeyed ? claimedKey : 'null'} as key
             from found left join stored using (quote_id) ${isKeyed ? joinedKeys : ''} order by found.place`

const statements = { alone: insertStatement(false), keyed: insertStatement(true) }

/**
 * Checks customers and accounts and stores the quotes, and the answers to their idempotency keys, in one round trip.
 * Returns an outcome for each, in order.
 */
export async function insertQuotes(database: Queryable, quotes: readonly NewQuote[]): Promise<QuoteOutcome[]> {
  const all = <Value>(read: (request: IdempotentRequest) => Value) =>
    quotes.map(({ request }) => (request === undefined ? null : read(request)))
  const isKeyed = quotes.some(({ request }) => request !== undefined)
  const keys = [
    all(({ organizationId }) => organizationId),
    all(({ route }) => route),
    all(({ key }) => key),
    all(({ fingerprint }) => fingerprint),
  ]
  const outcomes = await database.query<QuoteOutcome>({
    name: isKeyed ? 'insert keyed quotes' : 'insert quotes',
    text: isKeyed ? statements.keyed : statements.alone,
    values: [JSON.stringify(quotes.map(asRecord)), ...(isKeyed ? keys : [])],
  })
  if (outcomes.length !== quotes.length) throw new Error('the statement returned no outcome for some quotes')
  return outcomes
}

function asRecord({ source, destination, labels, ...quote }: NewQuote, place: number) {
  return {
    place: place + 1,
    organization_ids: quote.organizations.map(({ organizationId }) => organizationId),
    tiers: quote.organizations.map(({ tier }) => tier),
    quote_id: quote.quoteId,
    customer_id: quote.customerId,
    is_guaranteed: quote.isGuaranteed,
    value_usd_cents: quote.usdCents,
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
    external_id: quote.own.externalId,
    metadata: quote.own.metadata,
    prices: quote.prices,
    answers: quote.answers,
  }
}
