import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { Validated } from '../lib/validated.ts'
import type { NewAccountRequest } from './request.ts'
import type { PaymentAccountService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Payment accounts'
const params = Type.Object({ paymentAccountId: Uuid })
const accountPath = '/payment-accounts/{paymentAccountId}'
const accountAnswer = { status: 200, description: 'The account', schema: wire.PaymentAccountAnswer } as const

export function paymentAccountRoutes(accounts: PaymentAccountService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/payment-accounts',
      access: 'payment_accounts:write',
      tag,
      summary: 'Create a payment account',
      description:
        'The customer must be CREATED, UNDER_REVIEW, NEEDS_ADDITIONAL_INFORMATION or ACTIVE. A bank account without ' +
        'externalBankAccount is PENDING until its hosted form is completed. Numbers are stored encrypted and shown masked.',
      body: wire.CreatePaymentAccountBody,
      refusals: [
        'NOT_FOUND',
        'CONFLICT',
        'DUPLICATE_PAYMENT_ACCOUNT',
        'EXTERNAL_ID_ALREADY_USED',
        'PAYMENT_METHOD_NOT_AVAILABLE',
      ],
      answer: { status: 201, description: 'The account', schema: wire.PaymentAccountAnswer },
      handle: ({ caller, inspectBody, once }) =>
        once(
          (tx, prepared: Awaited<ReturnType<PaymentAccountService['prepareCreate']>>) =>
            accounts.create(tx, caller, prepared),
          () => accounts.prepareCreate(caller, inspectBody() as Validated<NewAccountRequest>),
          ({ key }) => key,
        ),
    }),
    route({
      method: 'GET',
      path: '/payment-accounts',
      access: 'payment_accounts:read',
      tag,
      summary: 'List the payment accounts of a customer',
      description: 'Newest first, without deleted ones unless you ask for status DEACTIVATED.',
      query: wire.PaymentAccountQuery,
      work: { isFiltered: true },
      refusals: ['SEARCH_TOO_WIDE'],
      answer: { status: 200, description: 'One page', schema: wire.PaymentAccountPage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await accounts.list(caller, filter, page)
        return { paymentAccounts: items, nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: accountPath,
      access: 'payment_accounts:read',
      tag,
      params,
      summary: 'Read one payment account',
      description: 'Send the id, or the pendingPaymentAccountId of a PENDING account.',
      answer: accountAnswer,
      handle: ({ caller, params: { paymentAccountId } }) => accounts.read(caller, paymentAccountId),
    }),
    route({
      method: 'DELETE',
      path: accountPath,
      access: 'payment_accounts:write',
      tag,
      params,
      summary: 'Delete a payment account',
      description:
        'The account becomes DEACTIVATED and stays readable by its id. The request is refused while the account has ' +
        'open transactions, active rules, a balance, or an auto fiat account that pays into it.',
      refusals: ['PAYMENT_ACCOUNT_IN_USE'],
      answer: { ...accountAnswer, description: 'The deleted account' },
      handle: ({ caller, params: { paymentAccountId } }) => accounts.delete(caller, paymentAccountId),
    }),
    route({
      method: 'POST',
      path: `${accountPath}/form-link/revoke`,
      access: 'payment_accounts:write',
      tag,
      params,
      summary: 'Revoke the form link of a bank account',
      description:
        'For a link that went to a wrong address. It stops working at once, and every form that it opened closes. A ' +
        'PENDING account has a new bankAccountFormLink.',
      refusals: ['CONFLICT'],
      answer: accountAnswer,
      handle: ({ caller, params: { paymentAccountId }, once }) =>
        once(
          (tx, opened: Awaited<ReturnType<PaymentAccountService['openFor']>>) =>
            accounts.revokeLink(tx, opened, `api_key:${caller.apiKeyId}`),
          () => accounts.openFor(caller, paymentAccountId),
          ({ key }) => key,
        ),
    }),
    ...balanceRoutes(accounts),
  ]
}

function balanceRoutes(accounts: PaymentAccountService): Route[] {
  const shared = { method: 'GET', access: 'payment_accounts:read', tag, params } as const
  return [
    route({
      ...shared,
      path: `${accountPath}/balance`,
      summary: 'Read one balance of a service account',
      refusals: ['CONFLICT'],
      query: wire.BalanceQuery,
      answer: { status: 200, description: 'The balance', schema: wire.BalanceAnswer },
      handle: ({ caller, params: { paymentAccountId }, query }) =>
        accounts.readBalance(caller, paymentAccountId, query),
    }),
    route({
      ...shared,
      path: `${accountPath}/balances`,
      summary: 'Read every balance of a service account',
      description: 'One balance for each currency that the account can hold, including zeros.',
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The balances', schema: wire.BalancesAnswer },
      handle: ({ caller, params: { paymentAccountId } }) => accounts.readBalances(caller, paymentAccountId),
    }),
    route({
      ...shared,
      path: `${accountPath}/entries`,
      summary: 'List the ledger entries of a service account',
      description: 'Newest first, in all currencies or in the one you name.',
      refusals: ['CONFLICT'],
      query: wire.EntriesQuery,
      answer: { status: 200, description: 'One page', schema: wire.EntryPage },
      handle: async ({ caller, params: { paymentAccountId }, query }) => {
        const { items, nextPageToken } = await accounts.listEntries(caller, paymentAccountId, query)
        return { entries: items, nextPageToken }
      },
    }),
  ]
}
