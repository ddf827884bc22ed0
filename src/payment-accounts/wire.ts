import Type from 'typebox'
import { fiatLabels, fiatRails, networks } from '../catalog/currencies.ts'
import { networkKinds } from '../catalog/network-kinds.ts'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { AddressBody } from '../customers/identity/schema.ts'
import { exampleAccount, exampleDeletedAccount } from '../http/examples/payment-accounts.ts'
import { payout, records, story } from '../http/examples/story.ts'
import { createdQuery } from '../http/filters.ts'
import { externalIdQuery, newOwnData, shownOwnData } from '../http/own-data.ts'
import {
  CurrencyAnswer,
  type EventPayload,
  oneOf,
  pageOf,
  pageQuery,
  requestBody,
  resource,
  Timestamp,
  Uuid,
} from '../http/wire.ts'
import { facts } from '../ledger/posting.ts'
import type { EventType } from '../lib/event-types.ts'
import { paymentAccountStatuses, paymentAccountTypes } from './payment-account.ts'

const text = (example: string, more: object = {}) => Type.String({ examples: [example], ...more })
const shortText = (example: string, description?: string) =>
  Type.Optional(text(example, { minLength: 1, maxLength: 100, ...(description ? { description } : {}) }))
/** The limit is longer than any account number, so that the rules of the rail report the problem. */
const coordinate = (example: string, description: string) =>
  Type.Optional(text(example, { minLength: 1, maxLength: 64, description }))

const { wallet } = story

const AddressOnChain = resource('AddressOnChain', { address: text(wallet), chain: text('BASE') })

export const PaymentAccountAnswer = resource(
  'PaymentAccount',
  {
    paymentAccountId: text(story.bankAccountId, {
      description: 'Empty while the account is PENDING',
    }),
    pendingPaymentAccountId: Type.Optional(
      text(payout.savingsAccountId, { description: 'While PENDING: the future id of the account' }),
    ),
    paymentAccountType: oneOf(paymentAccountTypes),
    nickname: text('Rent', { description: 'Empty without a nickname' }),
    createdAt: Type.Optional({ ...Timestamp, description: 'ISO 8601 in UTC; absent while PENDING' }),
    deletedAt: Type.Optional({
      ...Timestamp,
      description: 'For a DEACTIVATED account, which stays readable by its id',
    }),
    customerId: Uuid,
    paymentAccountStatus: oneOf(paymentAccountStatuses),
    isThirdParty: Type.Boolean({ examples: [false] }),
    ...shownOwnData,
    bankAccountFormLink: Type.Optional(
      text('https://pay.example.com/forms/bank-account/AZnzonwefVWMG1oPax9KEQAAAAH', { description: 'While PENDING' }),
    ),
    externalBankAccount: Type.Optional(
      resource('ExternalBankAccount', {
        bankAccountType: text('CHECKING'),
        bankAccountOwnerName: text('Ada Example'),
        bankAccountOwnerEmail: text('ada@example.com'),
        bankName: text('First Example Bank'),
        bankAccountCurrency: CurrencyAnswer,
        bankAccountMask: text('****6789'),
        bankAccountPaymentMethod: oneOf(fiatRails),
      }),
    ),
    svcAutoFiatAccount: Type.Optional(
      resource('SvcAutoFiatAccount', {
        currency: CurrencyAnswer,
        supportedDestinationCurrencies: Type.Array(CurrencyAnswer),
        destinationPaymentAccountId: Uuid,
        destinationCurrency: CurrencyAnswer,
        destinationPaymentMethod: oneOf(paymentMethodNames),
        bankName: text('Svc Sandbox Bank'),
        accountNumber: Type.Optional(
          text('8800000001', { description: 'The account for deposits, in the notation of its country' }),
        ),
        routingNumber: Type.Optional(text('010000003')),
        iban: Type.Optional(text('IE64SVCS99000000000001')),
        bicSwift: Type.Optional(text('SVCSIE2DXXX')),
        ifscCode: Type.Optional(text('SVCS0000001')),
        institutionNumber: Type.Optional(text('999')),
        transitNumber: Type.Optional(text('00001')),
      }),
    ),
    externalCryptoWallet: Type.Optional(
      resource('ExternalCryptoWallet', { currency: CurrencyAnswer, address: AddressOnChain }),
    ),
    svcCryptoWallet: Type.Optional(
      resource('SvcCryptoWallet', {
        cryptoWalletType: oneOf(networkKinds),
        address: AddressOnChain,
        chains: Type.Array(oneOf(networks), { description: 'All networks that the address serves' }),
      }),
    ),
  },
  exampleAccount,
)

/** Payloads of the events of payment accounts. */
export const paymentAccountEvents = {
  'payment_account.created': { schema: PaymentAccountAnswer, example: exampleAccount },
  'payment_account.updated': { schema: PaymentAccountAnswer, example: exampleAccount },
  'payment_account.deleted': {
    schema: PaymentAccountAnswer,
    example: exampleDeletedAccount,
  },
} satisfies Partial<Record<EventType, EventPayload>>

export const PaymentAccountPage = pageOf('PaymentAccountPage', 'paymentAccounts', PaymentAccountAnswer)

const OwnerBody = requestBody('BankAccountOwner', {
  type: oneOf(['INDIVIDUAL', 'BUSINESS']),
  firstName: shortText('Ada', 'For an INDIVIDUAL'),
  lastName: shortText('Example', 'For an INDIVIDUAL'),
  businessName: Type.Optional(
    text('Example Goods Inc', { minLength: 1, maxLength: 200, description: 'For a BUSINESS' }),
  ),
  email: Type.Optional(text('ada@example.com', { format: 'email', maxLength: 254 })),
  address: Type.Optional(AddressBody),
})

const bankAccountExample = {
  bankAccountPaymentMethod: 'ACH',
  bankAccountType: 'CHECKING',
  routingNumber: '021000021',
  accountNumber: '000123456789',
  bankName: 'First Example Bank',
  bankAccountOwner: { type: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' },
}

export const BankAccountBody = requestBody(
  'NewExternalBankAccount',
  {
    bankAccountPaymentMethod: oneOf(fiatRails, 'The rail; it decides which of the other fields are required'),
    bankAccountCurrency: Type.Optional(oneOf(fiatLabels, 'The currency of the rail, and the default')),
    bankAccountType: Type.Optional(oneOf(['CHECKING', 'SAVINGS'], 'CHECKING by default')),
    accountNumber: coordinate('000123456789', 'ACH, WIRE, IN_NEFT_RTGS_IMPS; CA_INTERAC without an email'),
    routingNumber: coordinate('021000021', 'ACH and WIRE: the ABA routing number'),
    iban: coordinate('DE89370400440532013000', 'SEPA'),
    bicSwift: coordinate('COBADEFFXXX', 'SEPA and WIRE, if known'),
    ifscCode: coordinate('HDFC0000123', 'IN_NEFT_RTGS_IMPS'),
    institutionNumber: coordinate('003', 'CA_INTERAC without an email'),
    transitNumber: coordinate('12345', 'CA_INTERAC without an email'),
    interacEmail: Type.Optional(
      text('ada@example.com', { format: 'email', maxLength: 254, description: 'CA_INTERAC' }),
    ),
    bankName: shortText('First Example Bank'),
    bankAddress: Type.Optional(text('1 Example Street, New York', { minLength: 1, maxLength: 300 })),
    bankAccountOwner: Type.Optional(OwnerBody),
  },
  {
    description: 'The owner is the customer by default. An account of a third party must name its owner.',
    examples: [bankAccountExample],
  },
)

const WalletBody = requestBody('NewExternalCryptoWallet', {
  chain: Type.Optional(oneOf(networks, 'Required unless address names the chain')),
  currency: text('USDC', { minLength: 1, maxLength: 16 }),
  address: Type.Unsafe<unknown>({
    anyOf: [
      { type: 'string', maxLength: 100 },
      {
        type: 'object',
        required: ['address'],
        additionalProperties: false,
        properties: { address: { type: 'string', maxLength: 100 }, chain: { type: 'string', enum: [...networks] } },
      },
    ],
    examples: [wallet],
  }),
})

const AutoFiatBody = requestBody('NewSvcAutoFiatAccount', {
  currency: oneOf(fiatLabels, 'The currency of the deposits'),
  destinationPaymentAccountId: { ...Uuid, description: 'An ACTIVE account of the same customer' },
  destinationCurrency: text('USDC', { minLength: 1, maxLength: 16 }),
  destinationPaymentMethod: oneOf(paymentMethodNames),
})

export const CreatePaymentAccountBody = requestBody(
  'CreatePaymentAccount',
  {
    customerId: Uuid,
    paymentAccountType: oneOf(paymentAccountTypes),
    nickname: shortText('Rent'),
    isThirdParty: Type.Optional(
      Type.Boolean({ default: false, description: 'True if the account belongs to another person or business' }),
    ),
    externalBankAccount: Type.Optional(BankAccountBody),
    externalCryptoWallet: Type.Optional(WalletBody),
    svcCryptoWallet: Type.Optional(requestBody('NewSvcCryptoWallet', { cryptoWalletType: oneOf(networkKinds) })),
    svcAutoFiatAccount: Type.Optional(AutoFiatBody),
    ...newOwnData,
  },
  {
    description:
      'Send the object of the account type and no other. A bank account without its object stays PENDING until the ' +
      'hosted form is completed.',
    examples: [
      {
        customerId: story.customerId,
        paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
        nickname: 'Salary account',
        externalBankAccount: bankAccountExample,
      },
    ],
  },
)

export const CompletePaymentAccountBody = requestBody('CompletePaymentAccount', {
  externalBankAccount: BankAccountBody,
})

export const PaymentAccountQuery = Type.Object(
  {
    ...pageQuery,
    customerId: Type.Optional({
      ...Uuid,
      description: 'The customer whose accounts to list; required without externalId',
    }),
    status: Type.Optional(oneOf(paymentAccountStatuses, 'Only accounts in this status')),
    type: Type.Optional(oneOf(paymentAccountTypes, 'Only accounts of this type')),
    rail: Type.Optional(oneOf(paymentMethodNames, 'Only accounts that this rail or network reaches')),
    ...externalIdQuery,
    ...createdQuery,
  },
  { additionalProperties: false },
)

const balance = {
  currency: CurrencyAnswer,
  balance: text('125.500000', { description: 'The whole balance, including reserved amounts' }),
  availableBalance: text('100.000000', { description: 'The amount that can be moved now' }),
  usdValue: Type.Optional(
    text('125.50', { description: 'The value of the balance in USD; absent without a current rate' }),
  ),
}

export const BalanceAnswer = resource('PaymentAccountBalance', { paymentAccountId: Uuid, ...balance })
export const BalancesAnswer = resource('PaymentAccountBalances', {
  paymentAccountId: Uuid,
  balances: Type.Array(resource('Balance', balance)),
})

const assetQuery = {
  chain: Type.Optional(oneOf(networks, 'Required for a wallet that serves several networks')),
  currency: Type.Optional(
    text('USDC', { maxLength: 16, description: 'Required for an account with several currencies' }),
  ),
}

export const BalanceQuery = Type.Object(assetQuery, { additionalProperties: false })
export const EntriesQuery = Type.Object({ ...pageQuery, ...assetQuery }, { additionalProperties: false })

const EntryAnswer = resource('Entry', {
  entryId: text(records.entryId),
  type: oneOf(facts, 'The fact that the entry records'),
  direction: oneOf(['CREDIT', 'DEBIT'], 'CREDIT: the balance grew'),
  currency: CurrencyAnswer,
  amount: text('25.500000'),
  balance: text('125.500000', { description: 'After this entry' }),
  reference: text('transaction:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a16:deposit', {
    description: 'The resource behind the entry',
  }),
  createdAt: Timestamp,
})

export const EntryPage = pageOf('EntryPage', 'entries', EntryAnswer)
