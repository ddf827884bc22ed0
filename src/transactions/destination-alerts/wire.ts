import Type from 'typebox'
import { payout, records, story } from '../../http/examples/story.ts'
import { type EventPayload, resource, Timestamp, Uuid } from '../../http/wire.ts'
import type { EventType } from '../../lib/event-types.ts'

const LargePayout = resource('LargePayout', {
  alertId: Uuid,
  paymentAccountId: Uuid,
  customerId: Uuid,
  transactionId: Type.Optional({ ...Uuid, description: 'Absent for a disbursement and the return of a deposit' }),
  amount: Type.String({
    description: 'The source amount of the transaction, or the amount ordered',
    examples: [payout.sourceAmount],
  }),
  currency: Type.String({ examples: ['USDC'] }),
  usdAmount: Type.String({ description: 'Its value in USD when it was quoted or ordered', examples: ['49.50'] }),
  createdAt: Timestamp,
})

/** The payloads of this capability's events. */
export const destinationAlertEvents = {
  'payment_account.large_payout': {
    schema: LargePayout,
    example: {
      alertId: records.alertId,
      paymentAccountId: story.bankAccountId,
      customerId: story.customerId,
      transactionId: payout.transactionId,
      amount: payout.sourceAmount,
      currency: 'USDC',
      usdAmount: '49.50',
      createdAt: payout.at,
    },
  },
} satisfies Partial<Record<EventType, EventPayload>>
