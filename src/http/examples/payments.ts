import { payout, records, story } from './story.ts'

const times = { createdAt: story.createdAt, updatedAt: story.createdAt }

/** The transaction of the story in events, as it is created: Svc awaits Ada's transfer. */
export const exampleCreated = {
  transactionId: story.transactionId,
  customerId: story.customerId,
  quoteId: story.quoteId,
  transactionStatus: 'AWAITING_TRANSFER',
  correlationId: 'order-1234',
  externalId: 'payment-1234',
  source: {
    sourcePaymentAccountId: story.bankAccountId,
    sourceCurrency: story.usd,
    sourcePaymentMethod: 'ACH',
    sourceAmount: story.sourceAmount,
    sourceReferenceId: '',
  },
  destination: {
    destinationPaymentAccountId: story.walletId,
    destinationPaymentMethod: 'BASE',
    destinationCurrency: story.usdc,
    exchangeRate: story.exchangeRate,
    destinationAmount: story.destinationAmount,
    destinationReferenceId: '',
  },
  fees: {
    feeCurrency: story.usd,
    svcFee: { feeAmount: story.svcFee, feeUSDAmount: story.svcFee },
    developerFee: { feeAmount: story.developerFee, feeUSDAmount: story.developerFee },
  },
  transferInstructions: {
    type: 'fiat',
    transferPaymentMethod: 'ACH',
    transferMessage: story.transferMessage,
    transferBankBeneficiaryName: 'Svc',
    transferBankName: 'Svc Sandbox Bank',
    transferBankAddress: '1 Sandbox Street, Springfield',
    transferBankAccountNumber: '8800000001',
    transferRoutingNumber: '010000003',
  },
  ...times,
  expiresAt: story.transferExpiresAt,
  statusHistory: [{ status: 'AWAITING_TRANSFER', at: story.createdAt }],
  labels: [],
}

/** The fields of its creation beside the quote. */
export const exampleOwnData = {
  correlationId: exampleCreated.correlationId,
  externalId: exampleCreated.externalId,
  metadata: { team: 'north' },
}

const transferLink = 'https://pay.example.com/forms/pay/AQGZ86J8Hn1VjBtaD2sfShYAAAABq1c0ZV9uYVdfM2RmZ2hqa2w'

/** The same transaction in answers, which also have the caller's pairs. */
export const exampleTransaction = { ...exampleCreated, metadata: exampleOwnData.metadata, transferLink }

const { transferInstructions, expiresAt: _expiresAt, ...ended } = exampleCreated
const processing = [...ended.statusHistory, { status: 'PROCESSING', at: story.depositedAt }]

/** The same transaction, once its deposit has arrived. */
export const exampleProcessing = {
  ...ended,
  transactionStatus: 'PROCESSING',
  source: { ...ended.source, sourceReferenceId: story.bankReference },
  transferInstructions,
  updatedAt: story.depositedAt,
  statusHistory: processing,
}

/** The deposit of the story. */
export const exampleDeposit = {
  depositId: story.depositId,
  depositStatus: 'APPLIED',
  labels: [],
  customerId: story.customerId,
  paymentAccountId: story.bankAccountId,
  transactionId: story.transactionId,
  currency: story.usd,
  paymentMethod: 'ACH',
  amount: story.sourceAmount,
  appliedAmount: story.sourceAmount,
  referenceId: story.bankReference,
  message: story.transferMessage,
  createdAt: story.depositedAt,
  updatedAt: story.depositedAt,
}

const { message: _message, ...withoutMessage } = exampleDeposit
const cancelledAt = '2025-11-21T11:00:00.000Z'
const money = { amount: story.sourceAmount, currency: story.usd }
const decidedAt = '2025-11-22T11:00:00.000Z'

export const paymentOperations = {
  getExchangeRate: {
    answer: {
      exchangeRate: story.exchangeRate,
      feeComponents: {
        feeCurrency: story.usd,
        svcFee: { basisPoints: '50', minimumUSDAmount: '0.00' },
        spreadBasisPoints: '0',
      },
      destinationAmount: '99.500000',
      fees: { ...exampleCreated.fees, developerFee: { feeAmount: '0.00', feeUSDAmount: '0.00' } },
      asOf: story.createdAt,
    },
  },
  createTransaction: { request: { quoteId: story.quoteId, ...exampleOwnData } },
  getTransactionTimeline: {
    answer: {
      transactionId: story.transactionId,
      entries: [
        {
          at: story.createdAt,
          kind: 'QUOTE',
          details: { quoteId: story.quoteId, expiresAt: story.quoteExpiresAt },
        },
        { at: story.createdAt, kind: 'STATUS', details: { status: 'AWAITING_TRANSFER' } },
        {
          at: story.depositedAt,
          kind: 'DEPOSIT',
          details: { depositId: story.depositId, method: 'ACH', status: 'APPLIED', ...money },
        },
        { at: story.depositedAt, kind: 'DEPOSIT_APPLIED', details: { depositId: story.depositId, ...money } },
        { at: story.depositedAt, kind: 'STATUS', details: { status: 'PROCESSING' } },
        { at: story.completedAt, kind: 'STATUS', details: { status: 'COMPLETED' } },
      ],
    },
  },
  listTransactionLedgerEntries: {
    answer: {
      transactionId: story.transactionId,
      entries: [
        ['CLEARING', undefined, `-${story.destinationAmount}`],
        ['WALLET', story.walletId, story.destinationAmount],
        ['CUSTODY', undefined, `-${story.destinationAmount}`],
        ['TREASURY', undefined, story.destinationAmount],
      ].map(([kind, holder, amount]) => ({
        postingId: records.postingId,
        reference: `transaction:${story.transactionId}:payout`,
        fact: 'PAYOUT',
        account: { kind, ...(holder ? { holder } : {}), asset: 'USDC/BASE' },
        amount,
        createdAt: story.completedAt,
      })),
    },
  },
  cancelTransaction: {
    answer: {
      ...ended,
      transactionStatus: 'CANCELLED',
      updatedAt: cancelledAt,
      statusHistory: [...ended.statusHistory, { status: 'CANCELLED', at: cancelledAt }],
    },
  },
  revokeTransactionTransferLink: {
    answer: { ...exampleCreated, transferLink: transferLink.replace('AAAAB', 'AAAAC') },
  },
  advanceSandboxTransaction: { answer: exampleProcessing },
  getDepositSender: { answer: { depositId: story.depositId, isAwaitingList: false, matches: [] } },
  resolveDeposit: {
    request: {
      action: 'APPLY',
      transactionId: story.transactionId,
      reason: 'The customer sent it without the message',
    },
    answer: { ...withoutMessage, updatedAt: decidedAt },
  },
  answerDepositRecall: {
    answer: {
      ...exampleDeposit,
      recall: {
        recallId: records.recallId,
        recallStatus: 'ACCEPTED',
        code: 'DUPL',
        amount: story.sourceAmount,
        createdAt: '2025-11-22T10:00:00.000Z',
        decidedAt,
      },
    },
  },
  recallBySandboxBank: { request: { depositId: story.depositId, code: 'DUPL' } },
  reverseSandboxDeposit: {
    answer: {
      ...exampleDeposit,
      depositStatus: 'REVERSED',
      reversedAmount: story.sourceAmount,
      updatedAt: decidedAt,
    },
  },
  sendSandboxDeposit: {
    request: { amount: story.sourceAmount, currency: 'USD', rail: 'ACH', reference: story.transferMessage },
    answer: {
      referenceId: story.bankReference,
      sightingStatus: 'RECORDED',
      amount: story.sourceAmount,
      currency: 'USD',
      paymentMethod: 'ACH',
    },
  },
  sendSandboxBankDeposit: {
    request: {
      bankAccountId: 'usd-main',
      amount: story.sourceAmount,
      reference: story.transferMessage,
      senderName: 'Ada Example',
      rail: 'ACH',
      entryReference: story.bankReference,
    },
    answer: {
      referenceId: story.bankReference,
      bankAccountId: 'usd-main',
      amount: story.sourceAmount,
      currency: 'USD',
      paymentMethod: 'ACH',
    },
  },
}

const payoutFees = {
  feeCurrency: story.usdc,
  svcFee: { feeAmount: payout.svcFee, feeUSDAmount: payout.svcFeeUsd },
  developerFee: { feeAmount: payout.developerFee, feeUSDAmount: payout.developerFeeUsd },
}

/** The payout of the rule, once the bank has paid it. */
export const examplePayout = {
  transactionId: payout.transactionId,
  customerId: story.customerId,
  quoteId: payout.quoteId,
  transactionStatus: 'COMPLETED',
  source: {
    sourcePaymentAccountId: story.walletId,
    sourceCurrency: story.usdc,
    sourcePaymentMethod: 'BASE',
    sourceAmount: payout.sourceAmount,
    sourceReferenceId: '',
  },
  destination: {
    destinationPaymentAccountId: story.bankAccountId,
    destinationPaymentMethod: 'ACH',
    destinationCurrency: story.usd,
    exchangeRate: story.exchangeRate,
    destinationAmount: payout.destinationAmount,
    destinationReferenceId: payout.bankReference,
  },
  fees: payoutFees,
  createdAt: payout.at,
  updatedAt: payout.paidAt,
  statusHistory: [
    { status: 'CREATED', at: payout.at },
    { status: 'PROCESSING', at: payout.approvedAt },
    { status: 'COMPLETED', at: payout.paidAt },
  ],
  labels: [],
}
