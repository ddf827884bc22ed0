import { makeRuns } from '../automation-rules/run-service.ts'
import { makeSchedule } from '../automation-rules/schedule-service.ts'
import { makeThresholds } from '../automation-rules/threshold-service.ts'
import type { QuoteService } from '../quotes/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { AppOptions, ServiceParts } from './parts.ts'

type RuleParts = ServiceParts & { quotes: QuoteService; transactions: TransactionService }

export function makeRuleServices(options: AppOptions, { database, metrics, quotes, transactions }: RuleParts) {
  const { config, log, onPoint = () => {} } = options
  const onFailure = (error: unknown) => {
    metrics.countJobFailure('rule runs')
    log.error({ err: error }, 'runs of rules could not be carried out and are tried again later')
  }
  return {
    ruleSchedule: makeSchedule({ database, onFailure, onPoint }),
    ruleThresholds: makeThresholds({ database, onPoint }),
    ruleRuns: makeRuns({
      ...{ database, quotes, transactions, coolDownSeconds: config.ruleCoolDownSeconds },
      ...{ onOutcome: metrics.countRuleRun, onFailure, onPoint },
    }),
  }
}
