import type { Queryable } from '../../db/database.ts'
import { type KeptQuote, keepQuotes, lockOfKey } from '../../db/idempotency.ts'
import { quoteLifetimeSeconds } from '../quote.ts'
import type { QuoteParties } from '../quote-parties.ts'
import { accountOf, returnedFundsAs, shownAccount } from '../quote-party-store.ts'
import {
  keyColumns,
  namesOf,
  parameterOf,
  parametersOf,
  placePrices,
  priceColumns,
  requestedColumns,
  valuesOf,
} from './columns-store.ts'
import type { AnswerFacts, NewQuote } from './new-quote.ts'

/** The times of a quote that was stored; without them, the parties as found, which tell why it was not. */
export type QuoteOutcome = QuoteParties & {
  customerOrganizationId: string | null
  allowedMethods: string[] | null
  allowedBy: string | null
  createdAt: Date | null
  expiresAt: Date | null
  guaranteedUntil: Date | null
  /** The limit of one transaction that the guarantee exceeds, in cents. */
  guaranteeMaximum: string | null
  /** Customer and accounts allow the quote; they are shown when this is not true. */
  fits: boolean | null
  /** False while another request holds its idempotency key: no quote was stored. */
  hasKey: boolean
}

const fits = (account: string, label: string, method: string, wallet: string) => `${account}.status = 'ACTIVE'
  and svc.account_fits(${account}.payment_account_type, ${account}.currency, ${account}.payment_method,
        ${account}.wallet_type, ${label}, ${method}, ${wallet})`

/** The source is reserved when the transaction is created. It has no price risk: it leaves before the price can move. */
const isReserved = `source.payment_account_type in ('SVC_CRYPTO_WALLET', 'RETURNED_FUNDS')`

/** The terms of a guarantee with price risk. */
const guaranteeTerms = `
    select (wanted.terms ->> 'usdCents')::numeric as usd_cents,
           coalesce((limits ->> 'guaranteedUSDAmountPerTransaction')::numeric * 100,
                    (wanted.terms ->> 'perTransaction')::numeric)::numeric(38, 0) as per_transaction,
           coalesce((limits ->> 'guaranteedUSDAmountPerOrganization')::numeric * 100,
                    (wanted.terms ->> 'perOrganization')::numeric)::numeric(38, 0) as per_organization,
           coalesce((limits ->> 'guaranteeWindowSeconds')::integer,
                    (wanted.terms ->> 'windowSeconds')::integer) as window_seconds
      from (select requested.guarantee::json as terms) as wanted
      join svc.organizations as organization on organization.organization_id = customer.organization_id
     where requested.guarantee is not null and wanted.terms ->> 'usdCents' is not null and not ${isReserved}`

const requestedCount = Object.keys(requestedColumns).length
const arrayCount = requestedCount + Object.keys(priceColumns).length

/** The number of quotes. A limit that PostgreSQL does not know lets it plan once, for few rows, and not for each batch. */
const plannedOnce = `$${arrayCount + 1}::integer`
const keyedRoute = `$${arrayCount + 2}`
const keys = { names: namesOf(keyColumns), parameters: parametersOf(keyColumns, arrayCount + 3) }

/** A value of the price that the customer's organization has. */
const price = (column: string) => `(${parameterOf(priceColumns, column, requestedCount + 1)})[price_place]`

/** A value ("is true"), so that PostgreSQL computes the set once: a join would compare each quote with each other one. */
const isStored = '(quote_id in (select stored.quote_id from stored)) is true'

const keptQuotes = `,
           kept as (${keepQuotes(`
             select key_organization_id::uuid, ${keyedRoute}, idempotency_key, decode(fingerprint, 'hex'), 201, quote_id,
                    organization_id
               from found
              where idempotency_key is not null and ${isStored}`)})`

const insertStatement = (isKeyed: boolean) => `
           with clock as materialized (
             select now, now + ${quoteLifetimeSeconds} * interval '1 second' as expires_at from svc.now() as now),
           found as materialized (
             select place, quote_id,
                    (price_places::integer[])[array_position(organization_ids::uuid[], customer.organization_id)]
                      as price_place, checked.fits,${isKeyed ? ` ${keys.names}, has_key,` : ''}
                    customer.organization_id, customer.status as customer_status, customer.allowed_methods,
                    customer.allowed_by as found_by, guarantee.usd_cents, guarantee.per_transaction,
                    case when checked.fits is not true and source.status is not null
                         then ${shownAccount('source')} end as source,
                    case when checked.fits is not true and destination.status is not null
                         then ${shownAccount('destination')} end as destination,
                    requested.customer_id, source_id, source_asset, source_method, source_amount,
                    source_amount_text, destination_id, destination_asset, destination_method, value_usd_cents,
                    is_guaranteed, transfer_instructions, transfer_window_seconds, external_id, metadata,
                    case when requested.is_guaranteed and not ${isReserved} then date_trunc('milliseconds', clock.now)
                      + least(transfer_window_seconds, window_seconds) * interval '1 second' end as guaranteed_until,
                    guarantee.per_organization
               from (select ${namesOf(requestedColumns)}, place${isKeyed ? `, ${keys.names}, ${lockOfKey(keyedRoute)} as has_key` : ''}
                       from unnest(${parametersOf(requestedColumns, 1)}${isKeyed ? `, ${keys.parameters}` : ''})
                            with ordinality as requested (${namesOf(requestedColumns)}${isKeyed ? `, ${keys.names}` : ''}, place)
                      limit ${plannedOnce}) as requested
               left join lateral (
                    select organization_id, customer_id, status, allowed_methods, allowed_by from svc.customers
                     where organization_id = any(requested.organization_ids::uuid[])
                       and customer_id = requested.customer_id
                     limit 1) as customer on true
               left join lateral (${accountOf('requested.source_id')} union all
                    ${returnedFundsAs('requested.source_id', 'requested.source_method')} limit 1) as source on true
               left join lateral (${accountOf('requested.destination_id')} limit 1) as destination on true
               left join lateral (${guaranteeTerms} limit 1) as guarantee on true
              cross join lateral (
                    select customer.status = 'ACTIVE' and customer.allowed_by = requested.allowed_by
                           and customer.allowed_methods @> array[requested.source_method, requested.destination_method]
                           and requested.source_id <> requested.destination_id
                           and ${fits('source', 'requested.source_label', 'requested.source_method', 'requested.source_wallet_type')}
                           and ${fits('destination', 'requested.destination_label', 'requested.destination_method', 'requested.destination_wallet_type')}
                        as fits offset 0) as checked
              cross join clock),
           stored as (
             insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
                    source_method, source_amount, source_amount_text, destination_payment_account_id,
                    destination_asset, destination_method, destination_amount, exchange_rate, svc_fee, developer_fee,
                    usd_cents, is_guaranteed, guaranteed_until, guaranteed_usd_cents, guarantee_ceiling_usd_cents, derivation,
                    transaction_parts, transfer_instructions, transfer_window, created_at, expires_at, external_id,
                    metadata)
             select organization_id, quote_id, customer_id, source_id, source_asset, source_method, source_amount,
                    source_amount_text, destination_id, destination_asset, destination_method,
                    ${price('destination_amount')}, ${price('exchange_rate')}, ${price('svc_fee')},
                    ${price('developer_fee')}, value_usd_cents, is_guaranteed, guaranteed_until, usd_cents,
                    per_organization, ${price('derivation')}, ${price('transaction_parts')}::jsonb,
                    transfer_instructions, transfer_window_seconds * interval '1 second', clock.now,
                    clock.expires_at, external_id, metadata::json
               from found cross join clock
              where fits and price_place is not null and coalesce(usd_cents <= per_transaction, true)
                ${isKeyed ? 'and has_key' : ''}
                 on conflict (organization_id, external_id) where external_id is not null do nothing
          returning quote_id)${isKeyed ? keptQuotes : ''}
           select found.organization_id as "customerOrganizationId", found.customer_status as "customerStatus",
                  case when fits is not true then found.allowed_methods end as "allowedMethods",
                  found.found_by as "allowedBy", found.source, found.destination, fits,
                  case when is_stored then clock.now end as "createdAt",
                  case when is_stored then clock.expires_at end as "expiresAt",
                  case when is_stored then guaranteed_until end as "guaranteedUntil",
                  case when usd_cents > per_transaction then per_transaction::text end as "guaranteeMaximum",
                  ${isKeyed ? 'has_key' : 'true'} as "hasKey"
             from found cross join clock cross join lateral (select ${isStored} as is_stored offset 0) as checked
            order by found.place`

const statements = { alone: insertStatement(false), keyed: insertStatement(true) }

/**
 * Checks customers and accounts and stores the quotes, and keeps them for their idempotency keys, in one round trip.
 * Returns an outcome for each, in order. The statement may have committed when they are not as many: callers must not
 * repeat it then. Fails, and stores nothing, when a quote is stored for one of the keys (`isKeyTaken`).
 */
export async function insertQuotes(database: Queryable, quotes: readonly NewQuote[]): Promise<QuoteOutcome[]> {
  const { requested, prices } = placePrices(quotes)
  const keyed = quotes.find(({ request }) => request !== undefined)
  return database.query<QuoteOutcome>({
    name: keyed ? 'insert keyed quotes' : 'insert quotes',
    text: keyed ? statements.keyed : statements.alone,
    values: [
      ...valuesOf(requestedColumns, requested),
      ...valuesOf(priceColumns, prices),
      quotes.length,
      ...(keyed ? [keyed.request?.route, ...valuesOf(keyColumns, quotes)] : []),
    ],
  })
}

/** Finds what the first answer to an idempotency key was made of. */
export async function findAnswerFacts(
  database: Queryable,
  { organizationId, quoteId }: KeptQuote,
): Promise<AnswerFacts> {
  const [facts] = await database.query<AnswerFacts>({
    name: 'find answer of quote',
    text: `select quote_id as "quoteId", expires_at as "expiresAt", exchange_rate as "exchangeRate",
                  destination_amount as "destinationAmount", transaction_parts as parts,
                  guaranteed_until as "guaranteedUntil", external_id as "externalId"
             from svc.quotes where organization_id = $1 and quote_id = $2`,
    values: [organizationId, quoteId],
  })
  if (!facts) throw new Error(`there is no quote ${quoteId}, which an idempotency key names`)
  return facts
}
