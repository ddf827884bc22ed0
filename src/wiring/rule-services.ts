import { createPreviewService } from '../automation-rules/runs/preview-service.ts'
import { createRunService } from '../automation-rules/runs/service.ts'
import { createRuleService } from '../automation-rules/service.ts'
import { createScheduleService } from '../automation-rules/triggers/schedule.ts'
import { createThresholdService } from '../automation-rules/triggers/threshold.ts'
import type { CustomerService } from '../customers/service.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { QuoteDeps } from '../quotes/price.ts'
import type { QuoteService } from '../quotes/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { AppDeps, CustomerDeps } from './deps.ts'

type RuleParts = CustomerDeps & {
  customers: CustomerService
  ledger: LedgerService
  quotes: QuoteService
  quoteOptions: QuoteDeps
  transactions: TransactionService
}

export function createRuleServices(deps: AppDeps, parts: RuleParts) {
  const { database, pages, audit, metrics, customers, ledger, quotes, quoteOptions, transactions } = parts
  const { config, log, onPoint = () => {} } = deps
  const onFailure = (error: unknown) => {
    metrics.countJobFailure('rule runs')
    log.error({ err: error }, 'runs of rules could not be carried out and are tried again later')
  }
  const showCurrency = quotes.currencyOf
  return {
    automationRules: createRuleService({ database, pages, audit, showCurrency }),
    rulePreviews: createPreviewService({ database, showCurrency, customers, ledger, quoteOptions }),
    ruleSchedule: createScheduleService({ database, onFailure, onPoint }),
    ruleThresholds: createThresholdService({ database, onPoint }),
    ruleRuns: createRunService({
      ...{ database, quotes, transactions, coolDownSeconds: config.ruleCoolDownSeconds },
      ...{ onOutcome: metrics.countRuleRun, onFailure, onPoint },
    }),
  }
}
