import { makePreviewService } from '../automation-rules/runs/preview-service.ts'
import { makeRuns } from '../automation-rules/runs/service.ts'
import { makeRuleService } from '../automation-rules/service.ts'
import { makeSchedule } from '../automation-rules/triggers/schedule.ts'
import { makeThresholds } from '../automation-rules/triggers/threshold.ts'
import type { CustomerService } from '../customers/service.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { QuoteOptions } from '../quotes/price.ts'
import type { QuoteService } from '../quotes/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { AppOptions, CustomerParts } from './parts.ts'

type RuleParts = CustomerParts & {
  customers: CustomerService
  ledger: LedgerService
  quotes: QuoteService
  quoteOptions: QuoteOptions
  transactions: TransactionService
}

export function makeRuleServices(options: AppOptions, parts: RuleParts) {
  const { database, pages, audit, metrics, customers, ledger, quotes, quoteOptions, transactions } = parts
  const { config, log, onPoint = () => {} } = options
  const onFailure = (error: unknown) => {
    metrics.countJobFailure('rule runs')
    log.error({ err: error }, 'runs of rules could not be carried out and are tried again later')
  }
  const showCurrency = quotes.currencyOf
  return {
    automationRules: makeRuleService({ database, pages, audit, showCurrency }),
    rulePreviews: makePreviewService({ database, showCurrency, customers, ledger, quoteOptions }),
    ruleSchedule: makeSchedule({ database, onFailure, onPoint }),
    ruleThresholds: makeThresholds({ database, onPoint }),
    ruleRuns: makeRuns({
      ...{ database, quotes, transactions, coolDownSeconds: config.ruleCoolDownSeconds },
      ...{ onOutcome: metrics.countRuleRun, onFailure, onPoint },
    }),
  }
}
