import Type from 'typebox'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { exampleRule } from '../http/examples/rules.ts'
import { payout, story } from '../http/examples/story.ts'
import { createdQuery } from '../http/filters.ts'
import { externalIdQuery, shownOwnData } from '../http/own-data.ts'
import { CurrencyAnswer, oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import { type Metadata, presentExternalId } from '../lib/resources/own-data.ts'
import { developerFeeTypes } from '../quotes/quote.ts'
import type { ShowCurrency } from './request.ts'
import { Schedule, thresholdDescription } from './request-wire.ts'
import { amountTypes, type Rule, ruleStatuses, triggerTypes } from './rule.ts'
import { type Run, runStatuses } from './runs/run.ts'
import { presentRun, RunAnswer } from './runs/wire.ts'

const Id = Type.String({ description: 'Opaque', examples: [payout.ruleId] })
const Method = oneOf(paymentMethodNames, 'A rail or network')
const Amount = Type.String({ description: 'A decimal as text', examples: ['25.00'] })

const DeveloperFeeAnswer = resource('AutomationRuleDeveloperFee', {
  developerFeeType: oneOf(developerFeeTypes),
  developerFeeAmount: Amount,
})

export const RuleAnswer = resource(
  'AutomationRule',
  {
    id: Id,
    ruleId: { ...Id, description: 'The same as id' },
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
    status: oneOf(ruleStatuses, 'A PAUSED rule keeps its terms and does not fire. A deleted rule shows PAUSED'),
    ruleStatus: oneOf(ruleStatuses, 'The same as status'),
    nextRunAt: Type.Optional({ ...Timestamp, description: 'For an ACTIVE rule that is TIME_BASED' }),
    lastRun: Type.Optional(RunAnswer),
    ...shownOwnData,
    createdAt: Timestamp,
    deletedAt: Type.Optional({ ...Timestamp, description: 'For a deleted rule, which stays readable by its id' }),
  },
  exampleRule,
)

export const RulePage = pageOf('AutomationRulePage', 'automationRules', RuleAnswer)
export const RunPage = pageOf('AutomationRuleRunPage', 'runs', RunAnswer)

/** An opaque id: an unknown id of any shape gets 404, not 400. */
export const RuleParams = Type.Object({ ruleId: Id })

export const RuleQuery = Type.Object(
  {
    customerId: Type.Optional({ ...Uuid, description: 'Only rules of this customer' }),
    sourcePaymentAccountId: Type.Optional(
      Type.String({ description: 'Only rules that take from this account', examples: [story.walletId] }),
    ),
    status: Type.Optional(oneOf(ruleStatuses, 'Only rules in this status')),
    ...externalIdQuery,
    ...createdQuery,
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

export type RuleView = ReturnType<typeof presentRule> & { metadata?: Metadata }
export type RunView = ReturnType<typeof presentRun>

/** Presents a rule. A deleted one does not fire, so that it shows PAUSED, and deletedAt. */
export function presentRule(rule: Rule, lastRun: Run | undefined, showCurrency: ShowCurrency) {
  const { developerFeeType, developerFeeText, thresholdText, cronSchedule, nextRunAt } = rule
  const status = rule.deletedAt === null ? rule.status : 'PAUSED'
  return {
    id: rule.ruleId,
    ruleId: rule.ruleId,
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
    status,
    ruleStatus: status,
    ...(nextRunAt === null ? {} : { nextRunAt: nextRunAt.toISOString() }),
    ...(lastRun ? { lastRun: presentRun(lastRun, rule.sourceAsset) } : {}),
    ...presentExternalId(rule),
    createdAt: rule.createdAt.toISOString(),
    ...(rule.deletedAt === null ? {} : { deletedAt: rule.deletedAt.toISOString() }),
  }
}
