import { type Route, route } from '../../http/route.ts'
import { DepositAnswer, DepositParams, ResolveBody } from '../deposits/wire.ts'
import { ResolveTransactionBody, TransactionAnswer, TransactionParams } from '../wire.ts'
import type { DepositToResolve, ResolutionService } from './deposits.ts'
import type { TransactionResolutionService, TransactionToResolve } from './transactions.ts'

export function resolveTransactionRoute(resolutions: TransactionResolutionService): Route {
  return route({
    method: 'POST',
    path: '/transactions/{transactionId}/resolve',
    access: 'transactions:write',
    tag: 'Transactions',
    params: TransactionParams,
    summary: 'Decide about a transaction that waits for a person',
    description:
      'Once. REJECT ends one whose money has not left: it is FAILED, and what came in goes back; it needs the scope ' +
      '`reviews:write` as well. About a refund that is WAITING_FOR_OPERATOR: REFUND sends it again, to the source account ' +
      'or another registered account of the customer; CREDIT keeps it for the customer, in its currency. About what a ' +
      'bank gave back (`repayment` is WAITING_FOR_OPERATOR): PAY_AGAIN pays it again in the same currency, by the same ' +
      'rail, to the same account or another of the customer. Whoever has `reviews:write` decides the same way about what ' +
      'stays because a hit on the customer was confirmed.',
    body: ResolveTransactionBody,
    refusals: ['CONFLICT'],
    answer: { status: 200, description: 'The transaction', schema: TransactionAnswer },
    handle: ({ caller, params: { transactionId }, readBody, once }) =>
      once(
        (tx, found: TransactionToResolve) => resolutions.resolve(tx, caller, found),
        () => resolutions.openToResolve(caller, transactionId, readBody),
      ),
  })
}

export function resolveDepositRoute(resolutions: ResolutionService): Route {
  return route({
    method: 'POST',
    path: '/deposits/{depositId}/resolve',
    access: 'transactions:write',
    tag: 'Deposits',
    params: DepositParams,
    summary: 'Decide about a deposit',
    description:
      'Once. About one that is UNMATCHED: RETURN sends it back to the registered account that it came from, or that ' +
      'its transaction was to be paid from; CREDIT keeps it for the customer, in the currency that it came in; APPLY ' +
      'counts it towards a transaction that waits for money. About one that is HELD because its sender is on a list, or ' +
      'for a customer who is not ACTIVE, the same, but the scope `reviews:write` is needed as well, and an open review ' +
      'of the customer is decided first.',
    body: ResolveBody,
    refusals: ['CONFLICT'],
    answer: { status: 200, description: 'The deposit', schema: DepositAnswer },
    handle: ({ caller, params: { depositId }, readBody, once }) =>
      once(
        (tx, found: DepositToResolve) => resolutions.resolve(tx, caller, found),
        () => resolutions.openToResolve(caller, depositId, readBody),
      ),
  })
}
