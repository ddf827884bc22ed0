import Type from 'typebox'
import { scaleOf } from '../../catalog/currencies.ts'
import { CurrencyAnswer, oneOf, resource } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import { type Repayment, repaymentStatuses } from '../transaction.ts'

export const RepaymentAnswer = resource('Repayment', {
  repaymentStatus: oneOf(repaymentStatuses, 'The repayment of funds that a bank returned'),
  repaymentCurrency: CurrencyAnswer,
  repaymentAmount: Type.String({ examples: ['100.00'] }),
  repaymentReferenceId: Type.String({ examples: [''] }),
})

/** Presents a repayment. Only banks return payouts, so the currency is a fiat label. */
export function presentRepayment({ status, asset, amount, referenceId }: Repayment) {
  return {
    repaymentStatus: status,
    repaymentCurrency: { label: asset },
    repaymentAmount: formatAmount(BigInt(amount), scaleOf(asset)),
    repaymentReferenceId: referenceId,
  }
}
