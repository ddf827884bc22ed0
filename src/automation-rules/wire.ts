import Type from 'typebox'
import { scaleOf } from '../catalog/currencies.ts'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { CurrencyAnswer, type EventPayload, oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import type { EventType } from '../lib/event-types.ts'
import { formatAmount } from '../lib/money.ts'
import { developerFeeTypes } from '../quotes/quote.ts'
import type { ShowCurrency } from './request.ts'
import { anId, exampleBody, exampleTemplate, otherId, Schedule, threshold } from './request-wire.ts'
import { amountTypes, type RuleRow, ruleStatuses, triggerTypes } from './rule.ts'
import { type RunRow, runStatuses } from './run.ts'

const Id = Type.String({ description: 'Opaque', examples: [anId] })
const Method = oneOf(paymentMethodNames, 'A rail or network')
const Amount = Type.String({ description: 'A decimal as text', examples: ['25.00'] })

export const RunAnswer = resource('AutomationRuleRun', {
  runId: Id,
  ruleId: Id,
  trigger: oneOf(triggerTypes),
  scheduledFor: { ...Timestamp, description: 'The minute of the schedule, or when the balance was seen to be enough' },
  status: oneOf(runStatuses),
  reason: Type.Optional(
    Type.String({ description: 'Why nothing was moved, or has not been yet', examples: ['INSUFFICIENT_BALANCE'] }),
  ),
  amount: Type.Optional({ ...Amount, description: 'What was moved, in the source currency', examples: ['25.000000'] }),
  quoteId: Type.Optional(Uuid),
  transactionId: Type.Optional(Uuid),
  createdAt: Timestamp,
  finishedAt: Type.Optional(Timestamp),
})

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
    thresholdAmount: Type.Optional({ ...Amount, description: threshold }),
    cronSchedule: Type.Optional(Schedule),
  }),
  status: oneOf(ruleStatuses, 'A PAUSED rule keeps everything and does nothing'),
  nextRunAt: Type.Optional({ ...Timestamp, description: 'Of an ACTIVE rule that is TIME_BASED' }),
  lastRun: Type.Optional(RunAnswer),
  createdAt: Timestamp,
})

export const RulePage = pageOf('AutomationRulePage', 'automationRules', RuleAnswer)
export const RunPage = pageOf('AutomationRuleRunPage', 'runs', RunAnswer)

/** An id of any shape is looked for: clients treat them as opaque. */
export const RuleParams = Type.Object({ ruleId: Id })

export const RuleQuery = Type.Object(
  {
    customerId: Type.Optional({ ...Uuid, description: 'Only those of this customer' }),
    sourcePaymentAccountId: Type.Optional(
      Type.String({ description: 'Only those that take from this account', examples: [anId] }),
    ),
    pageToken: pageQuery.pageToken,
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'How many to return; all of them unless given' }),
    ),
  },
  { additionalProperties: false },
)

export const RunQuery = Type.Object(
  { ...pageQuery, status: Type.Optional(oneOf(runStatuses, 'Only runs in this status')) },
  { additionalProperties: false },
)

export type RunView = ReturnType<typeof presentRun>
export type RuleView = ReturnType<typeof presentRule>

export function presentRun(run: RunRow, { sourceAsset }: Pick<RuleRow, 'sourceAsset'>) {
  const { reason, amount, quoteId, transactionId, finishedAt } = run
  return {
    ...{ runId: run.runId, ruleId: run.ruleId, trigger: run.triggerType },
    ...{ scheduledFor: run.scheduledFor.toISOString(), status: run.status },
    ...(reason === null ? {} : { reason }),
    ...(amount === null ? {} : { amount: formatAmount(BigInt(amount), scaleOf(sourceAsset)) }),
    ...(quoteId === null ? {} : { quoteId }),
    ...(transactionId === null ? {} : { transactionId }),
    createdAt: run.createdAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  }
}

/** Its events carry the same, with the run that they tell of as the last one. */
export function presentRule(rule: RuleRow, lastRun: RunRow | undefined, showCurrency: ShowCurrency) {
  const { developerFeeType, developerFeeText, thresholdText, cronSchedule, nextRunAt } = rule
  return {
    ...{ id: rule.ruleId, name: rule.name, customerId: rule.customerId },
    transactionTemplate: {
      source: {
        ...{ sourcePaymentAccountId: rule.sourcePaymentAccountId, sourcePaymentMethod: rule.sourceMethod },
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
    ...(lastRun ? { lastRun: presentRun(lastRun, rule) } : {}),
    createdAt: rule.createdAt.toISOString(),
  }
}

const exampleRun = {
  ...{ runId: otherId, ruleId: anId, trigger: 'TIME_BASED', scheduledFor: '2025-11-24T09:00:00.000Z' },
  createdAt: '2025-11-24T09:00:00.412Z',
}
const exampleUsdc = {
  label: 'USDC',
  chain: 'BASE',
  contractAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  currencyDecimals: 6,
}
const exampleRule = {
  ...{ id: anId, ...exampleBody },
  transactionTemplate: {
    ...exampleTemplate,
    source: { ...exampleTemplate.source, sourceCurrency: exampleUsdc },
    destination: { ...exampleTemplate.destination, destinationCurrency: { label: 'USD' } },
  },
  ...{ status: 'ACTIVE', nextRunAt: '2025-12-01T09:00:00.000Z', createdAt: '2025-11-21T10:00:00.000Z' },
}

/** What the events of this capability carry. */
export const automationRuleEvents = {
  'automation_rule.executed': {
    schema: RuleAnswer,
    example: {
      ...exampleRule,
      lastRun: {
        ...{ ...exampleRun, status: 'EXECUTED', amount: '25.000000', quoteId: anId, transactionId: otherId },
        finishedAt: '2025-11-24T09:00:00.731Z',
      },
    },
  },
  'automation_rule.failed': {
    schema: RuleAnswer,
    example: {
      ...exampleRule,
      lastRun: {
        ...{ ...exampleRun, status: 'FAILED', reason: 'DEVELOPER_FEE_BELOW_SVC_FEE' },
        finishedAt: '2025-11-24T09:00:00.731Z',
      },
    },
  },
} satisfies Partial<Record<EventType, EventPayload>>
