import Type from 'typebox'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { CurrencyAnswer, oneOf, requestBody, Uuid } from '../http/wire.ts'
import { developerFeeTypes } from '../quotes/quote.ts'
import { amountTypes, triggerTypes } from './rule.ts'
import { longestCron } from './triggers/cron.ts'

export const anId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
const otherId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a12'
const Method = oneOf(paymentMethodNames, 'A rail or network')
/** Longer than any amount: what is wrong with one is told in words, not as a length. */
const SentAmount = Type.String({ maxLength: 200, examples: ['25.00'] })
const Label = Type.String({ minLength: 1, maxLength: 16, examples: ['USDC'] })
export const Schedule = Type.String({
  maxLength: longestCron,
  description: 'Of TIME_BASED: minute, hour, day of the month, month, day of the week, in UTC',
  examples: ['0 9 * * mon'],
})
export const threshold = 'Of THRESHOLD_BASED: fires when this much of the source currency is available'

const DeveloperFeeBody = Type.Optional(
  requestBody('AutomationRuleFeeTerms', {
    developerFeeType: oneOf(developerFeeTypes),
    developerFeeAmount: SentAmount,
  }),
)
const AmountBody = requestBody('AutomationRuleAmountTerms', {
  type: oneOf(amountTypes),
  value: { ...SentAmount, description: 'FLAT: of the source currency. PCT: 0 to 100, of the available balance' },
})
const TriggerBody = requestBody('AutomationRuleTriggerTerms', {
  type: oneOf(triggerTypes),
  thresholdAmount: Type.Optional({ ...SentAmount, description: threshold }),
  cronSchedule: Type.Optional(Schedule),
})

const exampleTemplate = {
  source: { sourcePaymentAccountId: anId, sourcePaymentMethod: 'BASE', sourceCurrency: 'USDC' },
  destination: { destinationPaymentAccountId: otherId, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD' },
  amount: { type: 'PCT', value: '50' },
}
const exampleTrigger = { type: 'TIME_BASED', cronSchedule: '0 9 * * mon' }
const exampleBody = {
  ...{ name: 'Weekly payout', customerId: anId },
  ...{ transactionTemplate: exampleTemplate, trigger: exampleTrigger },
}

const createFields = {
  name: Type.String({ minLength: 1, maxLength: 200, description: 'For you; nothing personal', examples: ['Rent'] }),
  customerId: Uuid,
  transactionTemplate: requestBody('CreateAutomationRuleTemplate', {
    source: requestBody('CreateAutomationRuleSource', {
      sourcePaymentAccountId: { ...Uuid, description: 'A service wallet of the customer' },
      sourcePaymentMethod: Method,
      sourceCurrency: Label,
    }),
    destination: requestBody('CreateAutomationRuleDestination', {
      destinationPaymentAccountId: { ...Uuid, description: 'Any account of the customer but an auto fiat account' },
      destinationPaymentMethod: Method,
      destinationCurrency: Label,
    }),
    amount: AmountBody,
    developerFee: DeveloperFeeBody,
  }),
  trigger: TriggerBody,
}

export const CreateRuleBody = requestBody('CreateAutomationRule', createFields, { examples: [exampleBody] })

export const PreviewRuleBody = requestBody(
  'PreviewAutomationRule',
  {
    ...createFields,
    runs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 5, description: 'How many times ahead, of TIME_BASED' }),
    ),
  },
  { examples: [{ ...exampleBody, runs: 3 }] },
)

/** As it was read: then the currency is an object. */
const CurrencyBody = Type.Unsafe<unknown>({
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 16 },
    { ...CurrencyAnswer, title: 'CurrencyAsRead' },
  ],
  description: 'The label, or the object as an answer shows it',
  examples: ['USDC'],
})
const Ignored = Type.Optional(Type.Unsafe<unknown>({ description: 'May come back as it was read; ignored' }))

export const ReplaceRuleBody = requestBody(
  'ReplaceAutomationRule',
  {
    id: Type.String({ description: 'The id in the path', examples: [anId] }),
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
    ...{ status: Ignored, nextRunAt: Ignored, lastRun: Ignored, createdAt: Ignored },
  },
  { examples: [{ id: anId, ...exampleBody }] },
)
