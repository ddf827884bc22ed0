import { examplePayout } from './payments.ts'
import { integrator, payout, records, story } from './story.ts'

/** The disbursement of the returned money to Ada's savings account. */
export const exampleDisbursement = {
  disbursementId: payout.disbursementId,
  disbursementStatus: 'PENDING',
  customerId: story.customerId,
  paymentAccountId: payout.returnedFundsId,
  destinationPaymentAccountId: payout.savingsAccountId,
  currency: story.usd,
  amount: payout.destinationAmount,
  referenceId: '',
  createdAt: payout.returnedAt,
}

/** The correction of the account number that the bank asks for. */
export const exampleBankChange = {
  bankChangeId: records.bankChangeId,
  bankChangeStatus: 'OPEN',
  code: 'C01',
  paymentAccountId: story.bankAccountId,
  transactionId: payout.transactionId,
  correction: { accountNumber: '****0001' },
  createdAt: payout.paidAt,
}

/** The payout, once the bank has returned it and an operator has it paid to the savings account. */
const repaid = {
  ...examplePayout,
  transactionStatus: 'FAILED',
  failureReason: 'destination_returned_funds',
  updatedAt: payout.returnedAt,
  statusHistory: [...examplePayout.statusHistory, { status: 'FAILED', at: payout.returnedAt }],
  repayment: {
    repaymentStatus: 'PENDING',
    repaymentCurrency: story.usd,
    repaymentAmount: payout.destinationAmount,
    repaymentReferenceId: '',
  },
}

const fees = (currency: object, balance: string) => ({
  organizationId: story.organizationId,
  currency,
  balance,
  availableBalance: balance,
})
const receiver = { organizationId: story.organizationId, customerId: integrator.customerId }

export const returnOperations = {
  returnSandboxTransaction: { answer: examplePayout },
  returnBySandboxBank: { request: { transactionId: payout.transactionId, code: 'R02' }, answer: examplePayout },
  getReturnedFunds: {
    answer: {
      returnedFunds: [
        {
          paymentAccountId: payout.returnedFundsId,
          currency: story.usd,
          balance: payout.destinationAmount,
          transactionId: payout.transactionId,
        },
      ],
    },
  },
  createDisbursement: {
    request: {
      paymentAccountId: payout.returnedFundsId,
      currency: 'USD',
      amount: payout.destinationAmount,
      destinationPaymentAccountId: payout.savingsAccountId,
      reason: 'The bank has closed the old account',
    },
  },
  cancelDisbursement: { answer: { ...exampleDisbursement, disbursementStatus: 'CANCELLED' } },
  resolveTransaction: {
    request: {
      action: 'PAY_AGAIN',
      paymentAccountId: payout.savingsAccountId,
      reason: 'The bank has closed the old account',
    },
    answer: repaid,
  },
  decideBankChange: {
    answer: { ...exampleBankChange, bankChangeStatus: 'CONFIRMED', decidedAt: payout.returnedAt },
  },
  getDeveloperFees: {
    answer: {
      developerFees: [fees(story.usd, story.developerFee), fees(story.usdc, payout.developerFee)],
      receivers: [receiver],
    },
  },
  setDeveloperFeeReceiver: { request: { customerId: integrator.customerId }, answer: receiver },
  payOutDeveloperFees: {
    request: {
      currency: 'USD',
      amount: story.developerFee,
      destinationPaymentAccountId: integrator.bankAccountId,
    },
    answer: {
      ...exampleDisbursement,
      disbursementId: integrator.feePayoutId,
      customerId: integrator.customerId,
      paymentAccountId: integrator.feesId,
      destinationPaymentAccountId: integrator.bankAccountId,
      amount: story.developerFee,
    },
  },
}
