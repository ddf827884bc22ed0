import { payout, records, story } from './story.ts'

/** Ada's bank account. */
export const exampleAccount = {
  paymentAccountId: story.bankAccountId,
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  nickname: 'Salary account',
  createdAt: story.createdAt,
  customerId: story.customerId,
  paymentAccountStatus: 'ACTIVE',
  isThirdParty: false,
  externalBankAccount: {
    bankAccountType: 'CHECKING',
    bankAccountOwnerName: 'Ada Example',
    bankAccountOwnerEmail: 'ada@example.com',
    bankName: 'First Example Bank',
    bankAccountCurrency: story.usd,
    bankAccountMask: '****6789',
    bankAccountPaymentMethod: 'ACH',
  },
}

/** The same account after its bank has closed it, and Ada has deleted it. */
export const exampleDeletedAccount = {
  ...exampleAccount,
  paymentAccountStatus: 'DEACTIVATED',
  deletedAt: '2025-11-27T09:00:00.000Z',
}

/** Ada's savings account, before she has filled in its form. */
const pending = {
  paymentAccountId: '',
  pendingPaymentAccountId: payout.savingsAccountId,
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  nickname: 'Savings',
  customerId: story.customerId,
  paymentAccountStatus: 'PENDING',
  isThirdParty: false,
  bankAccountFormLink: 'https://pay.example.com/forms/bank-account/AZnzonwefVWMG1oPax9KHQAAAAI',
}

const { pendingPaymentAccountId: _pending, bankAccountFormLink: _link, ...completed } = pending

const balance = {
  currency: story.usdc,
  balance: story.destinationAmount,
  availableBalance: story.destinationAmount,
  usdValue: '99.00',
}

export const paymentAccountOperations = {
  deletePaymentAccount: { answer: exampleDeletedAccount },
  revokePaymentAccountFormLink: { answer: pending },
  completeSandboxPaymentAccount: {
    request: {
      externalBankAccount: {
        bankAccountPaymentMethod: 'ACH',
        bankAccountType: 'SAVINGS',
        routingNumber: '021000021',
        accountNumber: '000987654321',
        bankName: 'Second Example Bank',
      },
    },
    answer: {
      ...completed,
      paymentAccountId: payout.savingsAccountId,
      paymentAccountStatus: 'ACTIVE',
      createdAt: payout.returnedAt,
      externalBankAccount: {
        ...exampleAccount.externalBankAccount,
        bankAccountType: 'SAVINGS',
        bankName: 'Second Example Bank',
        bankAccountMask: '****4321',
      },
    },
  },
  getPaymentAccountBalance: { answer: { paymentAccountId: story.walletId, ...balance } },
  listPaymentAccountBalances: { answer: { paymentAccountId: story.walletId, balances: [balance] } },
  listPaymentAccountEntries: {
    answer: {
      entries: [
        {
          entryId: records.entryId,
          type: 'PAYOUT',
          direction: 'CREDIT',
          currency: story.usdc,
          amount: story.destinationAmount,
          balance: story.destinationAmount,
          reference: `transaction:${story.transactionId}:payout`,
          createdAt: story.completedAt,
        },
      ],
      nextPageToken: '',
    },
  },
}
