import Type from 'typebox'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { CurrencyAnswer, oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import { developerFeeTypes } from '../quotes/quote.ts'
import type { ShowCurrency } from './request.ts'
import { exampleId, Schedule, thresholdDescription } from './request-wire.ts'
import { amountTypes, type Rule, ruleStatuses, triggerTypes } from './rule.ts'
import { type Run, runStatuses } from './runs/run.ts'
import { presentRun, RunAnswer } from './runs/wire.ts'

const Id = Type.String({ description: 'Opaque', examples: [exampleId] })
const Method = oneOf(paymentMethodNames, 'A rail or network')
const Amount = Type.String({ description: 'A decimal as text', examples: ['25.00'] })

const DeveloperFeeAnswer = resource('AutomationRuleDeveloperFee', {
  developerFeeType: oneOf(developerFeeTypes),
  developerFeeAmount: Amount,
})

export const RuleAnswer = resource('AutomationRule', {
  id: Id,
  name: Type.String({ examples: ['Weekly payout'] }),
  customerId: Uuid,
  transactionTemplate: resource('AutomationRuleTemplate', {
    source: resource('AutomationRuleSource', {
      sourcePaymentAccountId: Uuid,
      sourcePaymentMethod: Method,
      sourceCurrency: CurrencyAnswer,
    }),
    destination: resource('AutomationRuleDestination', {
      destinationPaymentAccountId: Uuid,
      destinationPaymentMethod: Method,
      destinationCurrency: CurrencyAnswer,
    }),
    amount: resource('AutomationRuleAmount', { type: oneOf(amountTypes), value: Amount }),
    developerFee: Type.Optional(DeveloperFeeAnswer),
  }),
  trigger: resource('AutomationRuleTrigger', {
    type: oneOf(triggerTypes),
    thresholdAmount: Type.Optional({ ...Amount, description: thresholdDescription }),
    cronSchedule: Type.Optional(Schedule),
  }),
  status: oneOf(ruleStatuses, 'A PAUSED rule keeps its terms and does not fire'),
  nextRunAt: Type.Optional({ ...Timestamp, description: 'For an ACTIVE rule that is TIME_BASED' }),
  lastRun: Type.Optional(RunAnswer),
  createdAt: Timestamp,
})

export const RulePage = pageOf('AutomationRulePage', 'automationRules', RuleAnswer)
export const RunPage = pageOf('AutomationRuleRunPage', 'runs', RunAnswer)

/** An opaque id: an unknown id of any shape gets 404, not 400. */
export const RuleParams = Type.Object({ ruleId: Id })

export const RuleQuery = Type.Object(
  {
    customerId: Type.Optional({ ...Uuid, description: 'Only rules of this customer' }),
    sourcePaymentAccountId: Type.Optional(
      Type.String({ description: 'Only rules that take from this account', examples: [exampleId] }),
    ),
    pageToken: pageQuery.pageToken,
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'How many rules to return; all by default' }),
    ),
  },
  { additionalProperties: false },
)

export const RunQuery = Type.Object(
  { ...pageQuery, status: Type.Optional(oneOf(runStatuses, 'Only runs in this status')) },
  { additionalProperties: false },
)

export type RuleView = ReturnType<typeof presentRule>
export type RunView = ReturnType<typeof presentRun>

export function presentRule(rule: Rule, lastRun: Run | undefined, showCurrency: ShowCurrency) {
  const { developerFeeType, developerFeeText, thresholdText, cronSchedule, nextRunAt } = rule
  return {
    id: rule.ruleId,
    name: rule.name,
    customerId: rule.customerId,
    transactionTemplate: {
      source: {
        sourcePaymentAccountId: rule.sourcePaymentAccountId,
        sourcePaymentMethod: rule.sourceMethod,
        sourceCurrency: showCurrency(rule.sourceAsset),
      },
      destination: {
        destinationPaymentAccountId: rule.destinationPaymentAccountId,
        destinationPaymentMethod: rule.destinationMethod,
        destinationCurrency: showCurrency(rule.destinationAsset),
      },
      amount: { type: rule.amountType, value: rule.amountText },
      ...(developerFeeType === null || developerFeeText === null
        ? {}
        : { developerFee: { developerFeeType, developerFeeAmount: developerFeeText } }),
    },
    trigger: {
      type: rule.triggerType,
      ...(thresholdText === null ? {} : { thresholdAmount: thresholdText }),
      ...(cronSchedule === null ? {} : { cronSchedule }),
    },
    status: rule.status,
    ...(nextRunAt === null ? {} : { nextRunAt: nextRunAt.toISOString() }),
    ...(lastRun ? { lastRun: presentRun(lastRun, rule.sourceAsset) } : {}),
    createdAt: rule.createdAt.toISOString(),
  }
}
