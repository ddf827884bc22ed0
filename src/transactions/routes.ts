import { JsonText } from '../http/bodies/json-text.ts'
import { type Route, route } from '../http/route.ts'
import type { DepositService } from './deposits/service.ts'
import * as depositWire from './deposits/wire.ts'
import type { DepositToResolve, ResolutionService } from './resolutions/deposits.ts'
import type { TransactionResolutionService, TransactionToResolve } from './resolutions/transactions.ts'
import type { TransactionService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Transactions'
const params = wire.TransactionParams
const oneTransaction = { status: 200, description: 'The transaction', schema: wire.TransactionAnswer } as const

export function transactionRoutes(
  transactions: TransactionService,
  resolutions: TransactionResolutionService,
): Route[] {
  return [
    resolveTransactionRoute(resolutions),
    route({
      ...({ method: 'POST', path: '/transactions', access: 'transactions:write', tag } as const),
      summary: 'Turn a quote into a transaction',
      description:
        'From a service wallet: CREATED, with the amount reserved. Otherwise AWAITING_TRANSFER, with instructions for ' +
        'the customer.',
      body: wire.CreateTransactionBody,
      needsIdempotencyKey: true,
      refusals: [
        ...(['NOT_FOUND', 'CUSTOMER_NOT_ACTIVE', 'PAYMENT_METHOD_NOT_AVAILABLE', 'CONFLICT', 'QUOTE_EXPIRED'] as const),
        ...(['QUOTE_ALREADY_USED', 'INSUFFICIENT_BALANCE', 'UNSUPPORTED_ROUTE'] as const),
      ],
      answer: { status: 201, description: 'The transaction', schema: wire.TransactionAnswer },
      handle: ({ caller, readBody, byKey }) => {
        const body = readBody()
        return byKey((request) => transactions.create(caller, request, body))
      },
    }),
    route({
      ...({ method: 'GET', path: '/transactions', access: 'transactions:read', tag } as const),
      summary: 'List transactions',
      description: 'Newest first, those of child organizations among them.',
      query: wire.TransactionQuery,
      answer: { status: 200, description: 'One page', schema: wire.TransactionPage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        return new JsonText(wire.showPage(await transactions.list(caller, filter, page)))
      },
    }),
    route({
      ...({ method: 'GET', path: '/transactions/{transactionId}', access: 'transactions:read', tag, params } as const),
      summary: 'Read one transaction',
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId } }) => transactions.read(caller, transactionId),
    }),
    route({
      ...({ method: 'GET', access: 'transactions:read', tag, params } as const),
      path: '/transactions/{transactionId}/timeline',
      summary: 'Read everything that happened to a transaction',
      description:
        'Oldest first, in business time. That it was stopped because of a list is shown to those with `reviews:read`.',
      answer: { status: 200, description: 'The story', schema: wire.TimelineAnswer },
      handle: async ({ caller, params: { transactionId } }) => {
        const row = await transactions.find(caller, transactionId)
        return { transactionId: row.transactionId, entries: await transactions.timeline(caller, row) }
      },
    }),
    route({
      ...({ method: 'GET', access: 'transactions:read', tag, params } as const),
      path: '/transactions/{transactionId}/ledger-entries',
      summary: 'Read what was posted about a transaction',
      answer: { status: 200, description: 'The entries', schema: wire.LedgerEntriesAnswer },
      handle: async ({ caller, params: { transactionId } }) => {
        const row = await transactions.find(caller, transactionId)
        return { transactionId: row.transactionId, entries: await transactions.ledgerEntries(row) }
      },
    }),
    route({
      ...({ method: 'POST', access: 'transactions:write', tag, params } as const),
      path: '/transactions/{transactionId}/cancel',
      summary: 'Cancel a transaction',
      description: 'As long as nothing has moved. What was reserved is available again.',
      refusals: ['TRANSACTION_NOT_CANCELLABLE'],
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId }, once }) =>
        once(
          (transaction, row: Awaited<ReturnType<TransactionService['find']>>) => transactions.cancel(transaction, row),
          () => transactions.find(caller, transactionId),
        ),
    }),
  ]
}

function resolveTransactionRoute(resolutions: TransactionResolutionService): Route {
  return route({
    ...({ method: 'POST', access: 'transactions:write', tag, params } as const),
    path: '/transactions/{transactionId}/resolve',
    summary: 'Decide about a transaction that waits for a person',
    description:
      'Once. REJECT ends one whose money has not left: it is FAILED, and what came in goes back; it needs the scope ' +
      '`reviews:write` as well. About a refund that is WAITING_FOR_OPERATOR: REFUND sends it again, to the source account ' +
      'or another registered account of the customer; CREDIT keeps it for the customer, in its currency. About what a ' +
      'bank gave back (`repayment` is WAITING_FOR_OPERATOR): PAY_AGAIN pays it again in the same currency, by the same ' +
      'rail, to the same account or another of the customer. Whoever has `reviews:write` decides the same way about what ' +
      'stays because a hit on the customer was confirmed.',
    body: wire.ResolveTransactionBody,
    refusals: ['CONFLICT'],
    answer: oneTransaction,
    handle: ({ caller, params: { transactionId }, readBody, once }) =>
      once(
        (transaction, found: TransactionToResolve) => resolutions.resolve(transaction, caller, found),
        () => resolutions.openToResolve(caller, transactionId, readBody),
      ),
  })
}

const oneDeposit = { status: 200, description: 'The deposit', schema: depositWire.DepositAnswer } as const

export function depositRoutes(deposits: DepositService & ResolutionService): Route[] {
  const shared = { tag: 'Deposits', params: depositWire.DepositParams } as const
  return [
    route({
      ...({ method: 'GET', path: '/deposits', access: 'transactions:read', tag: 'Deposits' } as const),
      summary: 'List deposits',
      description: 'Newest first, those of child organizations among them.',
      query: depositWire.DepositQuery,
      answer: { status: 200, description: 'One page', schema: depositWire.DepositPage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await deposits.list(caller, filter, page)
        return { deposits: items, nextPageToken }
      },
    }),
    route({
      ...({ ...shared, method: 'GET', path: '/deposits/{depositId}', access: 'transactions:read' } as const),
      summary: 'Read one deposit',
      answer: oneDeposit,
      handle: ({ caller, params: { depositId } }) => deposits.read(caller, depositId),
    }),
    route({
      ...({ ...shared, method: 'POST', path: '/deposits/{depositId}/resolve', access: 'transactions:write' } as const),
      summary: 'Decide about a deposit',
      description:
        'Once. About one that is UNMATCHED: RETURN sends it back to the registered account that it came from, or that ' +
        'its transaction was to be paid from; CREDIT keeps it for the customer, in the currency that it came in; APPLY ' +
        'counts it towards a transaction that waits for money. About one that is HELD because its sender is on a list, or ' +
        'for a customer who is not ACTIVE, the same, but the scope `reviews:write` is needed as well, and an open review ' +
        'of the customer is decided first.',
      body: depositWire.ResolveBody,
      refusals: ['CONFLICT'],
      answer: oneDeposit,
      handle: ({ caller, params: { depositId }, readBody, once }) =>
        once(
          (transaction, found: DepositToResolve) => deposits.resolve(transaction, caller, found),
          () => deposits.openToResolve(caller, depositId, readBody),
        ),
    }),
  ]
}
