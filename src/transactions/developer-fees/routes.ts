import { type Route, route } from '../../http/route.ts'
import { DisbursementAnswer } from '../disbursements/wire.ts'
import type { FeeReceiver, PreparedFeePayout } from './payout.ts'
import type { DeveloperFeeService } from './service.ts'
import { CreateFeePayoutBody, DeveloperFeesAnswer, FeeReceiverAnswer, SetFeeReceiverBody } from './wire.ts'

export function developerFeeRoutes(developerFees: DeveloperFeeService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/developer-fees',
      access: 'ledger:read',
      tag: 'Ledger',
      summary: 'Read the developer fees',
      description:
        'The fees that Svc collected for your organization and its children, by organization and currency. A fee counts ' +
        'once its transaction converts the money, or a direct transfer is confirmed; a refused payout takes it back.',
      answer: { status: 200, description: 'The balances', schema: DeveloperFeesAnswer },
      handle: ({ caller }) => developerFees.list(caller),
    }),
    route({
      method: 'PUT',
      path: '/developer-fees/receiver',
      access: 'organizations:write',
      tag: 'Disbursements',
      summary: 'Name the customer that receives developer fees',
      description:
        'The customer that stands for its organization: an ACTIVE BUSINESS, verified like every other. Developer fees ' +
        'are paid to the accounts that it has by now, and to no others: name it again to approve newer ones, and ' +
        'coordinates that a bank has corrected since. It replaces the one named before.',
      body: SetFeeReceiverBody,
      refusals: ['NOT_FOUND', 'CONFLICT', 'CUSTOMER_NOT_ACTIVE'],
      answer: { status: 200, description: 'The receiver', schema: FeeReceiverAnswer },
      handle: ({ caller, readBody, once }) =>
        once(
          (tx, receiver: FeeReceiver) => developerFees.setReceiver(tx, caller, receiver),
          () => developerFees.findReceiver(caller, readBody().customerId),
        ),
    }),
    route({
      method: 'POST',
      path: '/developer-fees/payouts',
      access: 'ledger:write',
      tag: 'Disbursements',
      summary: 'Pay out developer fees',
      description:
        'Pays fees to a registered account of the receiver, in their currency. The answer is a disbursement of that ' +
        'customer. A refused, cancelled or returned payout gives the fees back to the balance.',
      body: CreateFeePayoutBody,
      refusals: [
        'POLICY_REFUSED',
        'NOT_FOUND',
        'CONFLICT',
        'CUSTOMER_NOT_ACTIVE',
        'INSUFFICIENT_BALANCE',
        'AMOUNT_BELOW_MINIMUM',
        'AMOUNT_ABOVE_MAXIMUM',
      ],
      answer: { status: 201, description: 'The disbursement', schema: DisbursementAnswer },
      handle: ({ caller, readBody, once }) =>
        once(
          (tx, prepared: PreparedFeePayout) => developerFees.create(tx, caller, prepared),
          () => developerFees.prepare(caller, readBody()),
        ),
    }),
  ]
}
