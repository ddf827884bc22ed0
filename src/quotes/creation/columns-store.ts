import type { FeeTier } from '../../catalog/fee-schedule.ts'
import { joinedTexts, joinTexts } from '../../db/values/joined-texts.ts'
import type { NewQuote, QuoteFigures } from './new-quote.ts'

/**
 * A value that the statement takes as one array of all quotes: PostgreSQL reads arrays much faster than JSON. Those of
 * a joined column are one text.
 */
type Column<Item> = { type: string; isJoined?: true; read(item: Item): unknown }

const text = <Item>(read: (item: Item) => string | null | undefined): Column<Item> => ({ type: 'text', read })
const uuid = <Item>(read: (item: Item) => string): Column<Item> => ({ type: 'uuid', read })
/** JSON or other text without control characters, or nothing. */
const joined = <Item>(read: (item: Item) => string | null | undefined): Column<Item> => {
  return { type: 'text', isJoined: true, read }
}
const units = <Item>(read: (item: Item) => bigint | string | null): Column<Item> => ({ type: 'numeric', read })
const json = (value: object | null | undefined) => (value ? JSON.stringify(value) : null)

/** A quote, and the place of its price for each organization that the customer may belong to, from 1. */
type Requested = NewQuote & { pricePlaces: readonly (number | null)[] }

/** A row for each quote. Arrays of one quote are texts, which the statement casts. */
export const requestedColumns: Readonly<Record<string, Column<Requested>>> = {
  organization_ids: text(({ organizations }) => `{${organizations.map((each) => each.organizationId).join(',')}}`),
  price_places: text(({ pricePlaces }) => `{${pricePlaces.map((place) => place ?? 'NULL').join(',')}}`),
  quote_id: uuid(({ quoteId }) => quoteId),
  customer_id: uuid(({ customerId }) => customerId),
  source_id: uuid(({ source }) => source.paymentAccountId),
  source_asset: text(({ source }) => source.asset),
  source_method: text(({ source }) => source.method),
  source_amount: units(({ source }) => source.amount),
  source_amount_text: text(({ source }) => source.amountText),
  source_label: text(({ labels }) => labels.source),
  source_wallet_type: text(({ sourceWalletType }) => sourceWalletType),
  destination_id: uuid(({ destination }) => destination.paymentAccountId),
  destination_asset: text(({ destination }) => destination.asset),
  destination_method: text(({ destination }) => destination.method),
  destination_label: text(({ labels }) => labels.destination),
  destination_wallet_type: text(({ destinationWalletType }) => destinationWalletType),
  is_guaranteed: { type: 'boolean', read: ({ isGuaranteed }) => isGuaranteed },
  value_usd_cents: units(({ usdCents }) => usdCents),
  guarantee: text(({ guarantee }) => json(guarantee)),
  allowed_by: text(({ allowedBy }) => allowedBy),
  transfer_instructions: joined(({ transferInstructions }) => transferInstructions),
  transfer_window_seconds: { type: 'integer', read: ({ transferWindowSeconds }) => transferWindowSeconds },
  external_id: text(({ own }) => own.externalId),
  metadata: text(({ own }) => json(own.metadata)),
}

/** The prices of all quotes; `price_places` leads to them. */
export const priceColumns: Readonly<Record<string, Column<QuoteFigures>>> = {
  destination_amount: units((figures) => figures.destinationAmount),
  exchange_rate: text((figures) => figures.exchangeRate),
  svc_fee: units((figures) => figures.svcFee),
  developer_fee: units((figures) => figures.developerFee),
  derivation: joined((figures) => figures.derivation),
  transaction_parts: joined((figures) => figures.transactionParts),
}

const ofKey = (read: (request: NonNullable<NewQuote['request']>) => string) =>
  joined<NewQuote>(({ request }) => request && read(request))

/** The idempotency key of each quote, with its organization; nulls without one. The fingerprint in hexadecimal. */
export const keyColumns: Readonly<Record<string, Column<NewQuote>>> = {
  key_organization_id: ofKey(({ organizationId }) => organizationId),
  idempotency_key: ofKey(({ key }) => key),
  fingerprint: ofKey(({ fingerprint }) => fingerprint.toString('hex')),
}

/** Lists the prices of all quotes, once for each tier of a quote, and gives each quote their places. */
export function placePrices(quotes: readonly NewQuote[]): { requested: Requested[]; prices: QuoteFigures[] } {
  const prices: QuoteFigures[] = []
  const requested = quotes.map((quote) => {
    const placeOf = new Map<FeeTier, number | null>()
    for (const { tier } of quote.organizations) {
      if (placeOf.has(tier)) continue
      const figures = quote.prices[tier]
      placeOf.set(tier, figures ? prices.push(figures) : null)
    }
    return { ...quote, pricePlaces: quote.organizations.map(({ tier }) => placeOf.get(tier) ?? null) }
  })
  return { requested, prices }
}

type Columns = Readonly<Record<string, Pick<Column<never>, 'type' | 'isJoined'>>>

export function namesOf(columns: Columns): string {
  return Object.keys(columns).join(', ')
}

/** Writes the parameters of the arrays, from the one with the number `first`. */
export function parametersOf(columns: Columns, first: number): string {
  return Object.keys(columns)
    .map((name) => parameterOf(columns, name, first))
    .join(', ')
}

export function parameterOf(columns: Columns, name: string, first: number): string {
  const place = `$${first + Object.keys(columns).indexOf(name)}`
  const { type, isJoined } = columns[name] as Columns[string]
  return isJoined ? joinedTexts(place) : `${place}::${type}[]`
}

export function valuesOf<Item>(columns: Readonly<Record<string, Column<Item>>>, items: readonly Item[]): unknown[] {
  return Object.values(columns).map(({ isJoined, read }) => {
    const values = items.map(read)
    return isJoined ? joinTexts(values as (string | null | undefined)[]) : values
  })
}
