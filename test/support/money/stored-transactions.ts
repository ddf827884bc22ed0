import type { Database } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { insertDisbursement } from '../../../src/transactions/disbursements/store.ts'
import { insertPayout } from '../../../src/transactions/payouts/store.ts'

/** Stores a quote directly: no customer here is ACTIVE, and the tenant tests need only stored rows. */
export async function storeQuote(
  database: Database,
  organizationId: string,
  customerId: string,
  source: string,
  destination: string,
): Promise<string> {
  const quoteId = newId()
  const side = { asset: 'USDC/BASE', method: 'BASE', amount: '1' }
  const derivation = {
    source: side,
    destination: side,
    exchangeRate: '1',
    crossRate: '1',
    spreadBasisPoints: '0',
    sourceUsdRate: '1',
    rates: [],
    rounding: [],
    converted: '1',
    svcFee: { rule: 'BUILDER/CRYPTO', basisPoints: '50', minimumUsd: '0', amount: '0', usdCents: '0' },
    developerFee: { type: null, asked: null, amount: '0', usdCents: '0' },
  }
  await database.query({
    text: `insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
             source_method, source_amount, source_amount_text, destination_payment_account_id, destination_asset,
             destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, derivation,
             transaction_parts, transfer_window, created_at, expires_at)
           values ($1, $2, $3, $4, 'USDC/BASE', 'BASE', 1, '0.000001', $5, 'USDC/BASE', 'BASE', 1, '1', 0, 0, false, $6,
             $7, '1 hour', svc.now(), svc.now() + interval '5 minutes')`,
    values: [organizationId, quoteId, customerId, source, destination, JSON.stringify(derivation), shownParts],
  })
  return quoteId
}

const shownCurrency = { label: 'USDC', chain: 'BASE', contractAddress: '0x0', currencyDecimals: 6 }
const shownFee = { feeAmount: '0.000000', feeUSDAmount: '0.00' }
const shownParts = JSON.stringify({
  sourceCurrency: shownCurrency,
  sourceAmount: '0.000001',
  sourceDecimals: 6,
  destinationCurrency: shownCurrency,
  destinationDecimals: 6,
  fees: { feeCurrency: shownCurrency, svcFee: shownFee, developerFee: shownFee },
})

/** Stores a final transaction, which no worker changes and whose refund waits for an operator. */
export async function storeTransaction(database: Database, organizationId: string, quoteId: string): Promise<string> {
  const transactionId = newId()
  await database.query({
    text: `insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
             source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
             destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
             exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history, status_written_at, step,
             refund, created_at, updated_at)
           select organization_id, $3, customer_id, quote_id, 'FAILED', source_payment_account_id, false, source_asset,
             source_method, source_amount, destination_payment_account_id, true, destination_asset, destination_method,
             destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, expires_at, transaction_parts, '{}', '{}',
             'DONE', '{"status": "WAITING_FOR_OPERATOR", "amount": "1", "referenceId": ""}', svc.now(), svc.now()
             from svc.quotes where organization_id = $1 and quote_id = $2`,
    values: [organizationId, quoteId, transactionId],
  })
  return transactionId
}

/** Stores an unmatched deposit that does not fit its transaction. */
export async function storeDeposit(database: Database, organizationId: string, transactionId: string): Promise<string> {
  const depositId = newId()
  await database.query({
    text: `insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
             customer_id, payment_account_id, transaction_id, seen_at, created_at, updated_at)
           select organization_id, $3::uuid, 'SEPA', $3::text, 'EUR', 100, 'eur-main', 'UNMATCHED', customer_id,
             source_payment_account_id, transaction_id, svc.now(), svc.now(), svc.now()
             from svc.transactions where organization_id = $1 and transaction_id = $2`,
    values: [organizationId, transactionId, depositId],
  })
  return depositId
}

/** Stores a completed disbursement of a wallet, which no worker changes. */
export async function storeDisbursement(
  database: Database,
  organizationId: string,
  customerId: string,
  walletId: string,
): Promise<string> {
  const disbursementId = newId()
  await database.inTx(async (tx) => {
    await insertPayout(tx, {
      organizationId,
      payoutId: disbursementId,
      transactionId: null,
      depositId: null,
      customerId,
      purpose: 'DISBURSEMENT',
      method: 'BASE',
      asset: 'USDC/BASE',
      amount: 1n,
      paymentAccountId: newId(),
      fromWalletId: walletId,
      status: 'CONFIRMED',
    })
    const source = { source: 'WALLET', sourceAccountId: walletId } as const
    await insertDisbursement(tx, { organizationId, disbursementId, customerId, ...source, parts: [] })
  })
  return disbursementId
}

/** A notification of change about a payout, with nothing to decide. */
export async function storeBankChange(database: Database, payoutId: string): Promise<string> {
  const [bankFileId, bankChangeId] = [newId(), newId()]
  await database.query({
    text: `with file as (
             insert into svc.bank_files (bank_file_id, direction, status, name, content_hash, size, created_at, changed_at)
             values ($1::uuid, 'INCOMING', 'APPLIED', 'a.ach', sha256($1::uuid::text::bytea), 1, svc.now(), svc.now()))
           insert into svc.bank_changes (bank_change_id, change_id, bank_file_id, reference, payout_id, code,
                  sealed_correction, is_refused, status, recorded_at)
           values ($2::uuid, $2::uuid::text, $1, svc.short_reference($3), $3, 'C04', '', false, 'NOTED', svc.now())`,
    values: [bankFileId, bankChangeId, payoutId],
  })
  return bankChangeId
}

/** Stores an approval that has expired, with the id of its transaction. */
export async function storeApproval(database: Database, organizationId: string, transactionId: string): Promise<void> {
  await database.query({
    text: `insert into svc.approvals (organization_id, approval_id, transaction_id, rules, status, created_at, expires_at,
                  decided_at)
           values ($1, $2, $2, '[{"owner": "ORGANIZATION", "ruleId": "large", "approvals": 1}]', 'EXPIRED', svc.now(),
                  svc.now(), svc.now())`,
    values: [organizationId, transactionId],
  })
}
