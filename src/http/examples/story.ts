/**
 * The story that the examples of the OpenAPI document tell together. Ada Example, a customer in the United States, sends
 * 100 USD by ACH from her bank account and receives USDC on BASE in her wallet. On Monday her rule pays half of it back to
 * the bank account, which is closed by then: the bank returns the money, and Ada gets it on her savings account.
 * test/clients/example-story.test.ts plays it against the service.
 */
export const story = {
  organizationId: '0199f3a0-11d4-7a3e-9a57-3f1f5e2c8b90',
  customerId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a12',
  bankAccountId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a13',
  walletId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a14',
  quoteId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a15',
  transactionId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a16',
  depositId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a17',
  createdAt: '2025-11-21T10:00:00.000Z',
  quoteExpiresAt: '2025-11-21T10:05:00.000Z',
  transferExpiresAt: '2025-11-28T10:00:00.000Z',
  depositedAt: '2025-11-22T09:30:00.000Z',
  completedAt: '2025-11-22T09:30:02.000Z',
  transferMessage: 'SVC7K2MPQ4WX8RTB',
  bankReference: 'statement-7-entry-1',
  wallet: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  sourceAmount: '100.00',
  svcFee: '0.50',
  developerFee: '0.50',
  exchangeRate: '1',
  destinationAmount: '99.000000',
  usd: { label: 'USD' },
  usdc: {
    label: 'USDC',
    chain: 'BASE',
    contractAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    currencyDecimals: 6,
  },
} as const

/** The payout of the rule, and what follows. */
export const payout = {
  ruleId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a18',
  runId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a19',
  quoteId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a1a',
  transactionId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a1b',
  approvalId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a1c',
  savingsAccountId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a1d',
  returnedFundsId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a1e',
  disbursementId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a1f',
  sourceAmount: '49.500000',
  svcFee: '0.247500',
  svcFeeUsd: '0.25',
  developerFee: '0.500000',
  developerFeeUsd: '0.50',
  destinationAmount: '48.75',
  bankReference: '8C1B5A0F6B1F4AX',
  at: '2025-11-24T09:00:00.000Z',
  approvedAt: '2025-11-24T09:20:00.000Z',
  paidAt: '2025-11-24T21:00:00.000Z',
  returnedAt: '2025-11-26T09:00:00.000Z',
} as const

/** The integrator: its keys and webhook, and the customer that stands for it as the receiver of developer fees. */
export const integrator = {
  name: 'Example Pay Ltd',
  firstApiKeyId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a20',
  apiKeyId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a21',
  nextApiKeyId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a22',
  approverApiKeyId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a23',
  webhookId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a24',
  eventId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a25',
  deliveryId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a26',
  inboxId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a27',
  customerId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a28',
  bankAccountId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a29',
  feesId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a2a',
  feePayoutId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a2b',
} as const

/** The records of reviewers and operators. */
export const records = {
  reviewId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a30',
  recallId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a31',
  postingId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a32',
  entryId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a33',
  bankFileId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a34',
  bankChangeId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a35',
  auditId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a36',
  submissionId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a37',
  alertId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a38',
} as const

/** The id that a schema shows where no resource is named. */
export const anyId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'

/** Examples of ids by the name of their field. */
export const idExamples: Readonly<Record<string, string>> = {
  organizationId: story.organizationId,
  customerId: story.customerId,
  paymentAccountId: story.bankAccountId,
  sourcePaymentAccountId: story.bankAccountId,
  destinationPaymentAccountId: story.walletId,
  quoteId: story.quoteId,
  transactionId: story.transactionId,
  depositId: story.depositId,
  ruleId: payout.ruleId,
  runId: payout.runId,
  approvalId: payout.approvalId,
  disbursementId: payout.disbursementId,
  apiKeyId: integrator.apiKeyId,
  webhookId: integrator.webhookId,
  eventId: integrator.eventId,
  deliveryId: integrator.deliveryId,
  inboxId: integrator.inboxId,
  ...records,
}
