const usd = { label: 'USD' }
const usdc = {
  label: 'USDC',
  chain: 'BASE',
  contractAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  currencyDecimals: 6,
}
const times = { createdAt: '2026-11-15T12:00:00.000Z', updatedAt: '2026-11-15T12:00:00.000Z' }
const customerId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a12'
const transactionId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a15'
const sourcePaymentAccountId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a13'

/** A transaction as it is created: from a service wallet to a bank. */
export const exampleTransaction = {
  transactionId,
  customerId,
  quoteId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a16',
  transactionStatus: 'CREATED',
  correlationId: 'order-1234',
  source: {
    sourcePaymentAccountId,
    sourceCurrency: usdc,
    sourcePaymentMethod: 'BASE',
    sourceAmount: '100',
    sourceReferenceId: '',
  },
  destination: {
    destinationPaymentAccountId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a14',
    destinationPaymentMethod: 'ACH',
    destinationCurrency: usd,
    exchangeRate: '1',
    destinationAmount: '99.50',
    destinationReferenceId: '',
  },
  fees: {
    feeCurrency: usdc,
    svcFee: { feeAmount: '0.500000', feeUSDAmount: '0.50' },
    developerFee: { feeAmount: '0.000000', feeUSDAmount: '0.00' },
  },
  ...times,
  statusHistory: [{ status: 'CREATED', at: times.createdAt }],
  labels: [],
}

export const exampleDeposit = {
  depositId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a17',
  depositStatus: 'APPLIED',
  labels: [],
  customerId,
  paymentAccountId: sourcePaymentAccountId,
  transactionId,
  currency: usd,
  paymentMethod: 'ACH',
  amount: '100.00',
  appliedAmount: '100.00',
  referenceId: 'statement-7-entry-1',
  message: 'SVC7K2MPQ4WX8RTB',
  ...times,
}
