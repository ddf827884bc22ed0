import Type from 'typebox'
import { scaleOf } from '../../catalog/currencies.ts'
import { CurrencyAnswer, oneOf, resource } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import { type Repayment, repaymentStatuses } from '../transaction.ts'

export const RepaymentAnswer = resource('Repayment', {
  repaymentStatus: oneOf(repaymentStatuses, 'Whether what a bank gave back was paid again'),
  repaymentCurrency: CurrencyAnswer,
  repaymentAmount: Type.String({ examples: ['100.00'] }),
  repaymentReferenceId: Type.String({ examples: [''] }),
})

/** Only banks give back, so the currency is a label. */
export function presentRepayment({ status, asset, amount, referenceId }: Repayment) {
  return {
    repaymentStatus: status,
    repaymentCurrency: { label: asset },
    repaymentAmount: formatAmount(BigInt(amount), scaleOf(asset)),
    repaymentReferenceId: referenceId,
  }
}
