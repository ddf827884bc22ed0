import { type Route, route } from '../../http/route.ts'
import { DepositAnswer, DepositParams, ResolveDepositBody } from '../deposits/wire.ts'
import { ResolveTransactionBody, TransactionAnswer, TransactionParams } from '../wire.ts'
import type { DepositResolutionService, DepositToResolve } from './deposits.ts'
import type { TransactionResolutionService, TransactionToResolve } from './transactions.ts'

export function resolveTransactionRoute(resolutions: TransactionResolutionService): Route {
  return route({
    method: 'POST',
    path: '/transactions/{transactionId}/resolve',
    access: 'transactions:write',
    reviewerAccess: 'reviews:write',
    tag: 'Decisions',
    params: TransactionParams,
    summary: 'Resolve a transaction',
    description:
      'Records an operator decision, once. REJECT fails a transaction whose money has not left, and refunds the ' +
      'received amount or releases the reserve; it also needs the scope `reviews:write`. For a refund that is WAITING_FOR_OPERATOR: REFUND ' +
      'retries it, to the source account or another registered account of the customer; CREDIT keeps it for the ' +
      'customer, in its currency. For a repayment that is WAITING_FOR_OPERATOR: PAY_AGAIN pays the returned funds ' +
      'out in the same currency and on the same rail, to the same account or another one of the customer. The same ' +
      'is decided about money that a confirmed watch-list match blocks by who may clear matches.',
    body: ResolveTransactionBody,
    refusals: ['CONFLICT', 'POLICY_REFUSED'],
    answer: { status: 200, description: 'The transaction', schema: TransactionAnswer },
    handle: ({ caller, params: { transactionId }, readBody, once }) =>
      once(
        (tx, found: TransactionToResolve) => resolutions.resolve(tx, caller, found),
        () => resolutions.openToResolve(caller, transactionId, readBody),
      ),
  })
}

export function resolveDepositRoute(resolutions: DepositResolutionService): Route {
  return route({
    method: 'POST',
    path: '/deposits/{depositId}/resolve',
    access: 'transactions:write',
    reviewerAccess: 'reviews:write',
    tag: 'Decisions',
    params: DepositParams,
    summary: 'Resolve a deposit',
    description:
      'Records an operator decision about an UNMATCHED deposit, once. RETURN sends it back to the registered account ' +
      'that sent it, or to the source account of its transaction. CREDIT keeps it for the customer, in its currency. ' +
      'APPLY counts it towards a transaction that awaits money. A deposit that is HELD because its customer is not ' +
      'ACTIVE can be resolved the same way with the additional scope `reviews:write`, and one whose sender is on a ' +
      'watch list, or whose customer has a confirmed match, by who may clear matches; decide an open review of the ' +
      'customer first.',
    body: ResolveDepositBody,
    refusals: ['CONFLICT', 'POLICY_REFUSED'],
    answer: { status: 200, description: 'The deposit', schema: DepositAnswer },
    handle: ({ caller, params: { depositId }, readBody, once }) =>
      once(
        (tx, found: DepositToResolve) => resolutions.resolve(tx, caller, found),
        () => resolutions.openToResolve(caller, depositId, readBody),
      ),
  })
}
