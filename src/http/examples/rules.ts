import { payout, story } from './story.ts'

const developerFee = { developerFeeType: 'USD', developerFeeAmount: payout.developerFeeUsd }
const amount = { type: 'PCT', value: '50' }
const trigger = { type: 'TIME_BASED', cronSchedule: '0 9 * * mon' }
const source = { sourcePaymentAccountId: story.walletId, sourcePaymentMethod: 'BASE' }
const destination = { destinationPaymentAccountId: story.bankAccountId, destinationPaymentMethod: 'ACH' }

/** The rule that Ada's integrator creates: half of the wallet, each Monday. */
export const exampleNewRule = {
  name: 'Weekly payout',
  customerId: story.customerId,
  transactionTemplate: {
    source: { ...source, sourceCurrency: 'USDC' },
    destination: { ...destination, destinationCurrency: 'USD' },
    amount,
    developerFee,
  },
  trigger,
}

export const exampleRule = {
  id: payout.ruleId,
  ruleId: payout.ruleId,
  name: exampleNewRule.name,
  customerId: story.customerId,
  transactionTemplate: {
    source: { ...source, sourceCurrency: story.usdc },
    destination: { ...destination, destinationCurrency: story.usd },
    amount,
    developerFee,
  },
  trigger,
  status: 'ACTIVE',
  ruleStatus: 'ACTIVE',
  nextRunAt: payout.at,
  createdAt: story.completedAt,
}

const { nextRunAt: _nextRunAt, ...resting } = exampleRule
const paused = { ...resting, status: 'PAUSED', ruleStatus: 'PAUSED' }

/** The first run of the rule. */
export const exampleRun = {
  runId: payout.runId,
  ruleId: payout.ruleId,
  triggerType: 'TIME_BASED',
  scheduledFor: payout.at,
  runStatus: 'EXECUTED',
  sourceAmount: payout.sourceAmount,
  quoteId: payout.quoteId,
  transactionId: payout.transactionId,
  createdAt: payout.at,
  finishedAt: payout.at,
}

const { sourceAmount: _amount, quoteId: _quote, transactionId: _transaction, ...moved } = exampleRun

/** The same run, if a policy had refused it. */
export const exampleFailedRun = { ...moved, runStatus: 'FAILED', reason: 'POLICY_REFUSED' }

const previewed = (scheduledFor: string, sourceAmount: string, destinationAmount: string) => ({
  scheduledFor,
  runStatus: 'EXECUTED',
  sourceAmount,
  destinationAmount,
})

export const ruleOperations = {
  previewAutomationRule: {
    answer: {
      description: 'At 09:00, only on Monday (UTC)',
      currency: story.usdc,
      availableBalance: story.destinationAmount,
      runs: [
        previewed(payout.at, payout.sourceAmount, payout.destinationAmount),
        previewed('2025-12-01T09:00:00.000Z', '24.750000', '24.12'),
        previewed('2025-12-08T09:00:00.000Z', '12.375000', '11.81'),
      ],
      warnings: [],
    },
  },
  pauseAutomationRule: { answer: paused },
  deleteAutomationRule: { answer: { ...paused, lastRun: exampleRun, deletedAt: payout.returnedAt } },
}
