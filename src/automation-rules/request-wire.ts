import Type from 'typebox'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { exampleNewRule } from '../http/examples/rules.ts'
import { payout } from '../http/examples/story.ts'
import { newOwnData, replacedOwnData } from '../http/own-data.ts'
import { CurrencyAnswer, oneOf, requestBody, Uuid } from '../http/wire.ts'
import { developerFeeTypes } from '../quotes/quote.ts'
import { amountTypes, triggerTypes } from './rule.ts'
import { maxCronLength } from './triggers/cron.ts'

const Method = oneOf(paymentMethodNames, 'A rail or network')
/** The limit is longer than any amount, so that parseAmount reports the problem rather than the schema. */
const SentAmount = Type.String({ maxLength: 200, examples: ['25.00'] })
const Label = Type.String({ minLength: 1, maxLength: 16, examples: ['USDC'] })
export const Schedule = Type.String({
  maxLength: maxCronLength,
  description: 'For TIME_BASED: minute, hour, day of the month, month and day of the week, in UTC',
  examples: ['0 9 * * mon'],
})
export const thresholdDescription =
  'For THRESHOLD_BASED: the rule fires when this much of the source currency is available'

const DeveloperFeeBody = Type.Optional(
  requestBody('AutomationRuleFeeTerms', {
    developerFeeType: oneOf(developerFeeTypes),
    developerFeeAmount: SentAmount,
  }),
)
const AmountBody = requestBody('AutomationRuleAmountTerms', {
  type: oneOf(amountTypes),
  value: {
    ...SentAmount,
    description: 'FLAT: an amount of the source currency. PCT: 0 to 100 percent of the available balance',
  },
})
const TriggerBody = requestBody('AutomationRuleTriggerTerms', {
  type: oneOf(triggerTypes),
  thresholdAmount: Type.Optional({ ...SentAmount, description: thresholdDescription }),
  cronSchedule: Type.Optional(Schedule),
})

const createFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Your name for the rule; put no personal data in it',
    examples: ['Rent'],
  }),
  customerId: Uuid,
  transactionTemplate: requestBody('CreateAutomationRuleTemplate', {
    source: requestBody('CreateAutomationRuleSource', {
      sourcePaymentAccountId: { ...Uuid, description: 'A service wallet of the customer' },
      sourcePaymentMethod: Method,
      sourceCurrency: Label,
    }),
    destination: requestBody('CreateAutomationRuleDestination', {
      destinationPaymentAccountId: { ...Uuid, description: 'Any account of the customer except an auto fiat account' },
      destinationPaymentMethod: Method,
      destinationCurrency: Label,
    }),
    amount: AmountBody,
    developerFee: DeveloperFeeBody,
  }),
  trigger: TriggerBody,
}

export const CreateRuleBody = requestBody(
  'CreateAutomationRule',
  { ...createFields, ...newOwnData },
  { examples: [exampleNewRule] },
)

export const PreviewRuleBody = requestBody(
  'PreviewAutomationRule',
  {
    ...createFields,
    ...newOwnData,
    runs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 5,
        description: 'For TIME_BASED: how many runs to preview',
      }),
    ),
  },
  { examples: [{ ...exampleNewRule, runs: 3 }] },
)

/** Accepts the currency object of an answer too, so that a caller can send back the rule as read. */
const CurrencyBody = Type.Unsafe<unknown>({
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 16 },
    { ...CurrencyAnswer, title: 'CurrencyAsRead' },
  ],
  description: 'The label, or the currency object of an answer',
  examples: ['USDC'],
})
const Ignored = Type.Optional(
  Type.Unsafe<unknown>({ description: 'Ignored; accepted so that you can send back the rule as you read it' }),
)

export const ReplaceRuleBody = requestBody(
  'ReplaceAutomationRule',
  {
    id: Type.String({ description: 'The id in the path', examples: [payout.ruleId] }),
    name: createFields.name,
    customerId: Uuid,
    transactionTemplate: requestBody('ReplaceAutomationRuleTemplate', {
      source: requestBody('ReplaceAutomationRuleSource', {
        sourcePaymentAccountId: Uuid,
        sourcePaymentMethod: Method,
        sourceCurrency: CurrencyBody,
      }),
      destination: requestBody('ReplaceAutomationRuleDestination', {
        destinationPaymentAccountId: Uuid,
        destinationPaymentMethod: Method,
        destinationCurrency: CurrencyBody,
      }),
      amount: AmountBody,
      developerFee: DeveloperFeeBody,
    }),
    trigger: TriggerBody,
    ...replacedOwnData,
    ruleId: Ignored,
    status: Ignored,
    ruleStatus: Ignored,
    nextRunAt: Ignored,
    lastRun: Ignored,
    createdAt: Ignored,
  },
  { examples: [{ id: payout.ruleId, ...exampleNewRule }] },
)
