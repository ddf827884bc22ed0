import type { FeeTier } from '../catalog/fee-schedule.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { NewQuote, QuoteFigures } from './creation/new-quote.ts'
import { quoteLifetimeSeconds, type StoredQuote } from './quote.ts'

export const columns = `quote.organization_id as "organizationId", quote.quote_id as "quoteId",
  quote.customer_id as "customerId", quote.source_payment_account_id as "sourcePaymentAccountId",
  quote.source_asset as "sourceAsset", quote.source_method as "sourceMethod",
  quote.source_amount_text as "sourceAmountText",
  quote.destination_payment_account_id as "destinationPaymentAccountId",
  quote.destination_asset as "destinationAsset", quote.destination_method as "destinationMethod",
  quote.is_guaranteed as "isGuaranteed", quote.derivation, quote.created_at as "createdAt",
  quote.expires_at as "expiresAt", quote.guaranteed_until as "guaranteedUntil", quote.external_id as "externalId",
  quote.metadata`

export async function findQuote(
  database: Queryable,
  organizationIds: readonly string[],
  quoteId: string,
): Promise<StoredQuote | undefined> {
  return (await findQuotes(database, organizationIds, [quoteId]))[0]
}

export function findQuotes(
  database: Queryable,
  organizationIds: readonly string[],
  quoteIds: readonly string[],
): Promise<StoredQuote[]> {
  return database.query<StoredQuote>({
    name: 'find quotes',
    text: `select ${columns} from svc.quotes as quote
            where quote.organization_id = any($1) and quote.quote_id = any($2)`,
    values: [organizationIds, quoteIds],
  })
}

export type DepositQuote = Pick<NewQuote, 'quoteId' | 'customerId' | 'source' | 'destination' | 'usdCents'> & {
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
                  derivation, transaction_parts, transfer_instructions, transfer_window, created_at, expires_at,
                  usd_cents)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, true, $16, $17, $18,
                  $19 * interval '1 second', svc.now(), svc.now() + $19 * interval '1 second', $20)`,
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
      figures.derivation,
      figures.transactionParts,
      quote.transferInstructions,
      quoteLifetimeSeconds,
      quote.usdCents,
    ],
  })
}

/** Empties the metadata of a customer's quotes, for an erasure. */
export async function eraseQuoteMetadata(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase metadata of quotes',
    text: 'select from svc.erase_quote_metadata($1, $2)',
    values: [organizationId, customerId],
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
