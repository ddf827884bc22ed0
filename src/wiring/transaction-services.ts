import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import { openDatabase } from '../db/database.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { Pages } from '../lib/pages.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import type { QuoteDeps } from '../quotes/price.ts'
import type { QuoteService } from '../quotes/service.ts'
import type { ReviewService } from '../reviews/service.ts'
import { createSandboxCounterparty } from '../sandbox/counterparty.ts'
import { isMagicallyBlocked } from '../sandbox/screening.ts'
import type { ScreeningService } from '../screening/service.ts'
import { createAdvanceService } from '../transactions/advance.ts'
import { createAutoTransactionService } from '../transactions/deposits/auto-transaction.ts'
import { createDepositService } from '../transactions/deposits/service.ts'
import { createUnattributedDepositService } from '../transactions/deposits/unattributed.ts'
import { createPayoutService } from '../transactions/payouts/service.ts'
import { createDepositResolutionService } from '../transactions/resolutions/deposits.ts'
import { createTransactionResolutionService } from '../transactions/resolutions/transactions.ts'
import { createCounterpartyScreeningService } from '../transactions/screening/counterparty.ts'
import { createTransactionService } from '../transactions/service.ts'
import type { DeliveryLog } from '../transactions/timeline/service.ts'
import type { VerificationService } from '../verification/service.ts'
import type { AppDeps, ServiceDeps } from './deps.ts'

type TransactionParts = ServiceDeps & {
  pages: Pages
  audit: Audit
  customers: CustomerService
  verification: VerificationService
  reviews: ReviewService
  screening: ScreeningService
  deliveryLog: DeliveryLog
  ledger: LedgerService
  paymentAccounts: PaymentAccountService
  quotes: QuoteService
  quoteOptions: QuoteDeps
}

export function createTransactionServices(deps: AppDeps, parts: TransactionParts) {
  const { config, log, onPoint = () => {} } = deps
  const { database, pages, customers, ledger, paymentAccounts, quotes, quoteOptions, metrics } = parts
  const isSandbox = config.environment === 'sandbox'
  const transactions = createTransactionService({ database, pages, ledger, deliveryLog: parts.deliveryLog })
  const memory = isSandbox ? openDatabase({ ...deps.database, connections: 2 }) : undefined
  // Elsewhere there is no bank and no chain yet: what is owed waits.
  const rail =
    memory &&
    createSandboxCounterparty({
      ...{ memory, delaySeconds: config.sandboxPayoutDelaySeconds },
      sourceAmountOf: transactions.findSourceAmountOfPayout,
    })
  const onFailure = (job: string, message: string) => (error: unknown) => {
    metrics.countJobFailure(job)
    log.error({ err: error }, message)
  }
  const screening = createCounterpartyScreeningService({
    ...{ database, customers, verification: parts.verification, reviews: parts.reviews, watchList: parts.screening },
    isMagic: ({ name }) => isSandbox && isMagicallyBlocked(name),
  })
  const shared = { database, ledger, paymentAccounts, screening, currencyOf: quotes.currencyOf, onPoint }
  const depositOptions = {
    ...{ ...shared, pages, customers, createAutoTransaction: createAutoTransactionService(quoteOptions) },
    onFailure: onFailure('deposits', 'a deposit could not be dealt with and is tried again later'),
  }
  return {
    transactions,
    transactionResolutions: createTransactionResolutionService({ ...shared, customers }),
    isCounterpartyBlocked: screening.isCounterpartyBlocked,
    progress: createAdvanceService({
      ...shared,
      rateNow: quotes.rateNow,
      onFailure: onFailure('transactions', 'a transaction could not be carried on and is tried again later'),
    }),
    nobodysDeposits: createUnattributedDepositService({ ...shared, customers, audit: parts.audit }),
    deposits: { ...createDepositService(depositOptions), ...createDepositResolutionService(depositOptions) },
    payouts: createPayoutService({
      ...{ ...shared, rail, answerWithinMs: config.leaseMs / 3 },
      sandboxLiquidity: isSandbox ? config.sandboxLiquidity : 0,
      onWaiting: (reason, payouts) => log.warn({ reason, payouts }, 'payouts wait'),
      onFailure: onFailure('payouts', 'a payout could not be carried on and is tried again later'),
    }),
    closeCounterparty: async () => memory?.close(),
  }
}
