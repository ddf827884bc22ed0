import type { Asset } from '../catalog/currencies.ts'
import type { FeeTier } from '../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import type { Queryable } from '../db/database.ts'
import type { Parties, PartyIds } from './parties.ts'
import { quoteLifetimeSeconds } from './quote.ts'

export type QuoteRow = {
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
}

/** What was found of those a quote is for, and the quote itself when nothing stood in its way. */
export type QuoteOutcome = Parties & {
  customerOrganizationId: string | null
  allowedMethods: string[] | null
  allowedBy: string | null
  createdAt: Date | null
  expiresAt: Date | null
}

export type QuoteFigures = {
  destinationAmount: bigint
  svcFee: bigint
  developerFee: bigint
  exchangeRate: string
  derivation: string
  transactionParts: string
}

/** A price for each organization that the customer might belong to: tiers differ. Without figures: nothing is stored. */
export type NewQuote = {
  quoteId: string
  customerId: string
  source: { paymentAccountId: string; asset: Asset; method: PaymentMethod; amount: bigint; amountText: string }
  destination: { paymentAccountId: string; asset: Asset; method: PaymentMethod }
  isGuaranteed: boolean
  transferInstructions: string | null
  transferWindowSeconds: number
  /** The edition of the catalog that the customer's methods must have been found out by. */
  allowedBy: string
  /** None for fiat, which fits no service wallet. */
  sourceWalletType: string | null
  destinationWalletType: string | null
  labels: { source: string; destination: string }
  prices: readonly {
    organizationId: string
    figures: QuoteFigures | undefined
  }[]
}

const accountColumns = `jsonb_build_object('paymentAccountType', payment_account_type, 'status', status,
  'currency', currency, 'paymentMethod', payment_method, 'walletType', wallet_type)`

const fits = (account: string, label: string, method: string, wallet: string) => `${account}.status = 'ACTIVE' and case
    when ${account}.payment_account_type = 'SVC_CRYPTO_WALLET' then ${account}.wallet_type = ${wallet}
    when ${account}.payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT' then false
    else ${account}.currency = ${label} and ${account}.payment_method = ${method} end`

/** Looks at customer and accounts and stores the quote, in one round trip. */
export async function insertQuote(database: Queryable, quote: NewQuote): Promise<QuoteOutcome> {
  const { source, destination, prices } = quote
  const [outcome] = await database.query<QuoteOutcome>({
    name: 'insert quote',
    text: `with customer as (
             select organization_id, customer_id, status, allowed_methods, allowed_by from svc.customers
              where organization_id = any($1) and customer_id = $2),
           source as (
             select account.organization_id, account.payment_account_type, account.status, account.currency,
                    account.payment_method, account.wallet_type
               from customer join svc.payment_accounts as account
                 on account.organization_id = customer.organization_id and account.customer_id = customer.customer_id
              where account.payment_account_id = $3),
           destination as (
             select account.organization_id, account.payment_account_type, account.status, account.currency,
                    account.payment_method, account.wallet_type
               from customer join svc.payment_accounts as account
                 on account.organization_id = customer.organization_id and account.customer_id = customer.customer_id
              where account.payment_account_id = $4),
           price as (
             select organization_id, destination_amount, svc_fee, developer_fee, exchange_rate, derivation, parts
               from unnest($1::uuid[], $5::numeric[], $6::numeric[], $7::numeric[], $8::text[], $9::text[], $24::text[])
                    as given (organization_id, destination_amount, svc_fee, developer_fee, exchange_rate, derivation,
                              parts)
              where derivation is not null),
           clock as (select svc.now() as now),
           stored as (
             insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
                    source_method, source_amount, source_amount_text, destination_payment_account_id,
                    destination_asset, destination_method, destination_amount, exchange_rate, svc_fee, developer_fee,
                    is_guaranteed, derivation, transaction_parts, transfer_instructions, transfer_window, created_at,
                    expires_at)
             select customer.organization_id, $10, customer.customer_id, $3, $11, $12, $13, $14, $4, $15, $16,
                    price.destination_amount, price.exchange_rate, price.svc_fee, price.developer_fee, $17,
                    price.derivation, price.parts, $25, $26 * interval '1 second', clock.now, clock.now + $18 * interval '1 second'
               from customer join price on price.organization_id = customer.organization_id
                    cross join source cross join destination cross join clock
              where customer.status = 'ACTIVE' and customer.allowed_by = $19
                and customer.allowed_methods @> array[$12::text, $16::text] and $3 <> $4
                and ${fits('source', '$20', '$12', '$22')} and ${fits('destination', '$21', '$16', '$23')}
          returning created_at, expires_at)
           select customer.organization_id as "customerOrganizationId", customer.status as "customerStatus",
                  customer.allowed_methods as "allowedMethods", customer.allowed_by as "allowedBy",
                  (select ${accountColumns} from source) as source,
                  (select ${accountColumns} from destination) as destination,
                  stored.created_at as "createdAt", stored.expires_at as "expiresAt"
             from clock left join customer on true left join stored on true`,
    values: [
      prices.map(({ organizationId }) => organizationId),
      ...[quote.customerId, source.paymentAccountId, destination.paymentAccountId],
      prices.map(({ figures }) => figures?.destinationAmount ?? null),
      prices.map(({ figures }) => figures?.svcFee ?? null),
      prices.map(({ figures }) => figures?.developerFee ?? null),
      prices.map(({ figures }) => figures?.exchangeRate ?? null),
      prices.map(({ figures }) => figures?.derivation ?? null),
      ...[quote.quoteId, source.asset, source.method, source.amount, source.amountText],
      ...[destination.asset, destination.method, quote.isGuaranteed, quoteLifetimeSeconds, quote.allowedBy],
      ...[quote.labels.source, quote.labels.destination, quote.sourceWalletType, quote.destinationWalletType],
      prices.map(({ figures }) => figures?.transactionParts ?? null),
      ...[quote.transferInstructions, quote.transferWindowSeconds],
    ],
  })
  if (!outcome) throw new Error('the clock gave no row')
  return outcome
}

/** Those whom a quote would be for, when it is refused for what else it says. */
export async function findParties(
  database: Queryable,
  organizationIds: readonly string[],
  { customerId, from, to }: PartyIds,
): Promise<Parties> {
  const account = (id: string) => `(select ${accountColumns} from svc.payment_accounts as account
    where account.organization_id = customer.organization_id and account.customer_id = customer.customer_id
      and account.payment_account_id = ${id})`
  const [found] = await database.query<Parties>({
    name: 'find parties of a quote',
    text: `select customer.status as "customerStatus", ${account('$3')} as source, ${account('$4')} as destination
             from svc.customers as customer
            where customer.organization_id = any($1) and customer.customer_id = $2`,
    values: [organizationIds, customerId, from, to],
  })
  return found ?? { customerStatus: null, source: null, destination: null }
}

export async function findQuote(
  database: Queryable,
  organizationIds: readonly string[],
  quoteId: string,
): Promise<QuoteRow | undefined> {
  const [found] = await database.query<QuoteRow>({
    name: 'find quote',
    text: `select organization_id as "organizationId", quote_id as "quoteId", customer_id as "customerId",
                  source_payment_account_id as "sourcePaymentAccountId", source_asset as "sourceAsset",
                  source_method as "sourceMethod", source_amount_text as "sourceAmountText",
                  destination_payment_account_id as "destinationPaymentAccountId",
                  destination_asset as "destinationAsset", destination_method as "destinationMethod",
                  is_guaranteed as "isGuaranteed", derivation, created_at as "createdAt", expires_at as "expiresAt"
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

/** A quote of money that is here already: customer and accounts are looked at by whoever uses it, in this transaction. */
export async function insertDepositQuote(transaction: Queryable, quote: DepositQuote): Promise<void> {
  const { source, destination, figures } = quote
  await transaction.query({
    name: 'insert quote of a deposit',
    text: `insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
                  source_method, source_amount, source_amount_text, destination_payment_account_id, destination_asset,
                  destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed,
                  derivation, transaction_parts, transfer_instructions, transfer_window, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, true, $16, $17, $18,
                  $19 * interval '1 second', svc.now(), svc.now() + $19 * interval '1 second')`,
    values: [
      ...[quote.organizationId, quote.quoteId, quote.customerId, source.paymentAccountId, source.asset, source.method],
      ...[source.amount, source.amountText, destination.paymentAccountId, destination.asset, destination.method],
      ...[figures.destinationAmount, figures.exchangeRate, figures.svcFee, figures.developerFee, figures.derivation],
      ...[figures.transactionParts, quote.transferInstructions, quoteLifetimeSeconds],
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
