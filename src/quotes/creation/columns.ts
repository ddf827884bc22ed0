import type { FeeTier } from '../../catalog/fee-schedule.ts'
import type { NewQuote, QuoteFigures } from './new-quote.ts'

/** A value that the statement takes as one array of all quotes: PostgreSQL reads arrays much faster than JSON. */
type Column<Item> = { type: string; read(item: Item): unknown }

const text = <Item>(read: (item: Item) => string | null | undefined): Column<Item> => ({ type: 'text', read })
const uuid = <Item>(read: (item: Item) => string): Column<Item> => ({ type: 'uuid', read })
const units = <Item>(read: (item: Item) => bigint | string | null): Column<Item> => ({ type: 'numeric', read })
const json = (value: object | null | undefined) => (value ? JSON.stringify(value) : null)

/** A row for each quote. An array of organizations or tiers is a text, which the statement casts. */
export const requestedColumns: Readonly<Record<string, Column<NewQuote>>> = {
  organization_ids: text(({ organizations }) => `{${organizations.map((each) => each.organizationId).join(',')}}`),
  tiers: text(({ organizations }) => `{${organizations.map((each) => each.tier).join(',')}}`),
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
  transfer_instructions: text(({ transferInstructions }) => transferInstructions),
  transfer_window_seconds: { type: 'integer', read: ({ transferWindowSeconds }) => transferWindowSeconds },
  external_id: text(({ own }) => own.externalId),
  metadata: text(({ own }) => json(own.metadata)),
}

type Price = { place: number; tier: FeeTier; figures: QuoteFigures; answer: string | undefined }

/** The prices of a quote, one row for each tier that has one. `place` is the row of the quote, from 1. */
export const priceColumns: Readonly<Record<string, Column<Price>>> = {
  place: { type: 'bigint', read: ({ place }) => place },
  tier: text(({ tier }) => tier),
  destination_amount: units(({ figures }) => figures.destinationAmount),
  exchange_rate: text(({ figures }) => figures.exchangeRate),
  svc_fee: units(({ figures }) => figures.svcFee),
  developer_fee: units(({ figures }) => figures.developerFee),
  derivation: text(({ figures }) => figures.derivation),
  transaction_parts: text(({ figures }) => figures.transactionParts),
  answer: text(({ answer }) => answer),
}

export function pricesOf({ prices, answers }: NewQuote, at: number): Price[] {
  return (Object.entries(prices) as [FeeTier, QuoteFigures | undefined][]).flatMap(([tier, figures]) =>
    figures ? [{ place: at + 1, tier, figures, answer: answers?.[tier] }] : [],
  )
}

type Columns = Readonly<Record<string, { type: string }>>

export function namesOf(columns: Columns): string {
  return Object.keys(columns).join(', ')
}

/** Writes the parameters of the arrays, from the one with the number `first`. */
export function parametersOf(columns: Columns, first: number): string {
  return Object.values(columns)
    .map(({ type }, at) => `$${first + at}::${type}[]`)
    .join(', ')
}

export function arraysOf<Item>(columns: Readonly<Record<string, Column<Item>>>, items: readonly Item[]): unknown[][] {
  return Object.values(columns).map(({ read }) => items.map(read))
}
