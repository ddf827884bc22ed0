import Type from 'typebox'
import { CurrencyAnswer, requestBody, resource, Uuid } from '../../http/wire.ts'

export const FeeReceiverAnswer = resource('FeeReceiver', { organizationId: Uuid, customerId: Uuid })

export const SetFeeReceiverBody = requestBody('SetFeeReceiver', {
  customerId: { ...Uuid, description: 'An ACTIVE customer of type BUSINESS that stands for your organization' },
})

export const CreateFeePayoutBody = requestBody('CreateFeePayout', {
  currency: Type.String({ examples: ['USD'] }),
  chain: Type.Optional(Type.String({ description: 'The network of a token', examples: ['BASE'] })),
  amount: Type.Optional(Type.String({ description: 'Default: all that one payout can take', examples: ['12.50'] })),
  destinationPaymentAccountId: {
    ...Uuid,
    description: 'An ACTIVE external account of the receiver, in the currency and network of the fees',
  },
})

export const DeveloperFeesAnswer = resource('DeveloperFees', {
  developerFees: Type.Array(
    resource('DeveloperFeeBalance', {
      organizationId: Uuid,
      currency: CurrencyAnswer,
      balance: Type.String({ description: 'What Svc owes the organization in this currency', examples: ['12.50'] }),
      availableBalance: Type.String({
        description:
          'The part that can be paid out: it is collected, its transactions are paid, and their deposits were not reversed',
        examples: ['12.50'],
      }),
    }),
  ),
  receivers: Type.Array(FeeReceiverAnswer, { description: 'The customers whose accounts receive the fees' }),
})
