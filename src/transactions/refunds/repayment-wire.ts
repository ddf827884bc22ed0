import Type from 'typebox'
import { CurrencyAnswer, oneOf, resource } from '../../http/wire.ts'
import { repaymentStatuses } from '../transaction.ts'

export const RepaymentAnswer = resource('Repayment', {
  repaymentStatus: oneOf(repaymentStatuses, 'The repayment of funds that a bank returned'),
  repaymentCurrency: CurrencyAnswer,
  repaymentAmount: Type.String({ examples: ['100.00'] }),
  repaymentReferenceId: Type.String({ examples: [''] }),
})
