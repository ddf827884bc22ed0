import type { Audit } from '../db/audit.ts'
import type { Queryable } from '../db/database.ts'
import { openDatabase } from '../db/database.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { Pages } from '../lib/pages.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import type { QuoteService } from '../quotes/service.ts'
import { makeSandboxCounterparty } from '../sandbox/counterparty.ts'
import { sandboxScreening } from '../sandbox/screening.ts'
import { makeDeposits } from '../transactions/deposit-service.ts'
import { makePayouts } from '../transactions/payout-service.ts'
import type { PayoutRail, Screening } from '../transactions/ports.ts'
import { makeProgress } from '../transactions/progress-service.ts'
import { makeResolutions } from '../transactions/resolution-service.ts'
import { makeTransactionService } from '../transactions/service.ts'
import type { AppOptions, ServiceParts } from './parts.ts'

type TransactionParts = ServiceParts & {
  audit: Audit
  pages: Pages
  ledger: LedgerService
  paymentAccounts: PaymentAccountService
  quotes: QuoteService
}

/** Nobody is on a list yet. */
const noScreening: Screening<Queryable> = {
  isBlocked: async () => false,
  isCounterpartyBlocked: async () => false,
}

/** Production has no bank and no chain yet: nothing is sent, and nothing is said to have been. */
const noRail: PayoutRail = {
  send: async () => ({ outcome: 'UNKNOWN', why: 'no rail is configured' }),
  ask: async () => ({ state: 'PENDING' }),
}

export function makeTransactionServices(options: AppOptions, parts: TransactionParts) {
  const { config, log, onPoint = () => {} } = options
  const { database, pages, audit, ledger, paymentAccounts, quotes, metrics } = parts
  const isSandbox = config.environment === 'sandbox'
  const transactions = makeTransactionService({ database, pages, ledger, deliveryLog: async () => [] })
  const memory = isSandbox ? openDatabase({ ...options.database, connections: 2 }) : undefined
  const rail = memory
    ? makeSandboxCounterparty({
        ...{ memory, delaySeconds: config.sandboxPayoutDelaySeconds },
        sourceAmountOf: transactions.findSourceAmountOfPayout,
      })
    : noRail
  const onFailure = (job: string, message: string) => (error: unknown) => {
    metrics.countJobFailure(job)
    log.error({ err: error }, message)
  }
  const screening: Screening<Queryable> = isSandbox ? sandboxScreening : noScreening
  const shared = { database, ledger, paymentAccounts, screening, currencyOf: quotes.currencyOf, onPoint }
  const depositOptions = {
    ...{ ...shared, pages, audit },
    onFailure: onFailure('deposits', 'a deposit could not be dealt with and is tried again later'),
  }
  return {
    transactions,
    isCounterpartyBlocked: screening.isCounterpartyBlocked,
    progress: makeProgress({
      ...shared,
      rateNow: quotes.rateNow,
      onFailure: onFailure('transactions', 'a transaction could not be carried on and is tried again later'),
    }),
    deposits: { ...makeDeposits(depositOptions), ...makeResolutions(depositOptions) },
    payouts: makePayouts({
      ...{ ...shared, rail, answerWithinMs: config.leaseMs / 3 },
      sandboxLiquidity: isSandbox ? config.sandboxLiquidity : 0,
      onWaiting: (reason, payouts) => log.warn({ reason, payouts }, 'payouts wait'),
      onFailure: onFailure('payouts', 'a payout could not be carried on and is tried again later'),
    }),
    closeCounterparty: async () => memory?.close(),
  }
}
