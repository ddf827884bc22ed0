import { createPreviewService } from '../automation-rules/runs/preview-service.ts'
import { createRunService } from '../automation-rules/runs/service.ts'
import { createRuleService } from '../automation-rules/service.ts'
import { createScheduleService } from '../automation-rules/triggers/schedule.ts'
import { createThresholdService } from '../automation-rules/triggers/threshold.ts'
import type { CredentialService } from '../credentials/service.ts'
import type { CustomerService } from '../customers/service.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { Deps } from './deps.ts'
import type { QuoteServices } from './quote-services.ts'

type Needed = Pick<QuoteServices, 'quotes' | 'quoteDeps'> & {
  customers: CustomerService
  ledger: LedgerService
  transactions: TransactionService
  holdKey: CredentialService['holdKey']
}

export function createRuleServices(
  deps: Deps,
  { customers, ledger, quotes, quoteDeps, transactions, holdKey }: Needed,
) {
  const { config, database, pages, audit, metrics, onPoint } = deps
  const onFailure = deps.onJobFailure('rule runs', 'rule runs could not be executed and are retried later')
  const showCurrency = quotes.currencyOf
  return {
    automationRules: createRuleService({ database, pages, audit, showCurrency, holdKey, mostRules: config.mostRules }),
    rulePreviews: createPreviewService({ database, showCurrency, customers, ledger, quoteDeps }),
    ruleSchedule: createScheduleService({ database, onFailure, onPoint }),
    ruleThresholds: createThresholdService({ database, onPoint }),
    ruleRuns: createRunService({
      database,
      quotes,
      transactions,
      coolDownSeconds: config.ruleCoolDownSeconds,
      onOutcome: metrics.countRuleRun,
      onFailure,
      onPoint,
    }),
  }
}
