import { JsonText } from '../http/bodies/json-text.ts'
import { type Route, route } from '../http/route.ts'
import { readExpansions } from './lists/expansions.ts'
import type { TransactionService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Transactions'
const params = wire.TransactionParams
const oneTransaction = { status: 200, description: 'The transaction', schema: wire.TransactionAnswer } as const

export function transactionRoutes(transactions: TransactionService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/transactions',
      access: 'transactions:write',
      tag,
      summary: 'Create a transaction from a quote',
      description:
        'A transaction from a service wallet or from returned funds is CREATED, and its amount is reserved. Any other ' +
        'is AWAITING_TRANSFER, with transfer instructions for the customer.',
      body: wire.CreateTransactionBody,
      needsIdempotencyKey: true,
      refusals: [
        'NOT_FOUND',
        'CUSTOMER_NOT_ACTIVE',
        'PAYMENT_METHOD_NOT_AVAILABLE',
        'AMOUNT_ABOVE_MAXIMUM',
        'CONFLICT',
        'EXTERNAL_ID_ALREADY_USED',
        'QUOTE_EXPIRED',
        'QUOTE_ALREADY_USED',
        'INSUFFICIENT_BALANCE',
        'UNSUPPORTED_ROUTE',
        'POLICY_REFUSED',
      ],
      answer: { status: 201, description: 'The transaction', schema: wire.TransactionAnswer },
      handle: ({ caller, readBody, byKey }) => {
        const body = readBody()
        return byKey((request) => transactions.create(caller, request, body))
      },
    }),
    route({
      method: 'GET',
      path: '/transactions',
      access: 'transactions:read',
      tag,
      summary: 'List transactions',
      description:
        'Newest first, including those of child organizations. With a time range and no id, the order is that of the ' +
        'range. `rail` and the amount range need an id or a time range.',
      query: wire.TransactionQuery,
      work: { isFiltered: true },
      refusals: ['SEARCH_TOO_WIDE'],
      answer: { status: 200, description: 'A page of transactions', schema: wire.TransactionPage },
      handle: async ({ caller, query: { pageToken, pageSize, expand, ...filter } }) => {
        const page = {
          ...(pageToken ? { pageToken } : {}),
          ...(pageSize ? { pageSize } : {}),
          expand: readExpansions(expand) ?? [],
        }
        return new JsonText(wire.showPage(await transactions.list(caller, filter, page)))
      },
    }),
    route({
      method: 'GET',
      path: '/transactions/{transactionId}',
      access: 'transactions:read',
      tag,
      params,
      summary: 'Read one transaction',
      query: wire.ReadTransactionQuery,
      answer: oneTransaction,
      handle: async ({ caller, params: { transactionId }, query: { expand } }) =>
        new JsonText(await transactions.read(caller, transactionId, readExpansions(expand))),
    }),
    route({
      method: 'GET',
      access: 'transactions:read',
      tag,
      params,
      path: '/transactions/{transactionId}/timeline',
      summary: 'Read the timeline of a transaction',
      description: 'Oldest first, in business time. Entries about watch-list matches need the scope `reviews:read`.',
      answer: { status: 200, description: 'The timeline', schema: wire.TimelineAnswer },
      handle: async ({ caller, params: { transactionId } }) => {
        const transaction = await transactions.find(caller, transactionId)
        return { transactionId: transaction.transactionId, entries: await transactions.timeline(caller, transaction) }
      },
    }),
    route({
      method: 'GET',
      access: 'transactions:read',
      tag,
      params,
      path: '/transactions/{transactionId}/ledger-entries',
      summary: 'Read the ledger entries of a transaction',
      answer: { status: 200, description: 'The entries', schema: wire.LedgerEntriesAnswer },
      handle: async ({ caller, params: { transactionId } }) => {
        const transaction = await transactions.find(caller, transactionId)
        return { transactionId: transaction.transactionId, entries: await transactions.ledgerEntries(transaction) }
      },
    }),
    route({
      method: 'POST',
      access: 'transactions:write',
      tag,
      params,
      path: '/transactions/{transactionId}/cancel',
      summary: 'Cancel a transaction',
      description: 'Possible until money has moved. The reserved amount becomes available again.',
      refusals: ['TRANSACTION_NOT_CANCELLABLE'],
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId }, once }) =>
        once(
          (tx, transaction: Awaited<ReturnType<TransactionService['find']>>) => transactions.cancel(tx, transaction),
          () => transactions.find(caller, transactionId),
        ),
    }),
    route({
      method: 'POST',
      access: 'transactions:write',
      tag,
      params,
      path: '/transactions/{transactionId}/transfer-link/revoke',
      summary: 'Revoke the link of the pay page',
      description:
        'For a link that went to a wrong address. It stops working at once, and every page that it opened closes. ' +
        'While the transaction awaits the transfer, reads have a new transferLink; this answer has none.',
      refusals: ['CONFLICT'],
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId }, once }) =>
        once(
          (tx, transaction: Awaited<ReturnType<TransactionService['find']>>) =>
            transactions.revokeLink(tx, caller, transaction),
          () => transactions.find(caller, transactionId),
        ),
    }),
  ]
}
