import Type from 'typebox'
import { CurrencyAnswer, resource, Uuid } from '../../http/wire.ts'

export const DeveloperFeesAnswer = resource('DeveloperFees', {
  developerFees: Type.Array(
    resource('DeveloperFeeBalance', {
      organizationId: Uuid,
      currency: CurrencyAnswer,
      balance: Type.String({ description: 'What Svc owes the organization in this currency', examples: ['12.50'] }),
    }),
  ),
})
