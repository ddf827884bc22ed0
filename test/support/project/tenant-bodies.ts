/** Bodies and names for the tests between organizations. */

export function autoFiatAccount(customerId: string, destinationPaymentAccountId: string): object {
  const destination = { destinationPaymentAccountId, destinationCurrency: 'USDC', destinationPaymentMethod: 'BASE' }
  const svcAutoFiatAccount = { currency: 'USD', ...destination }
  return { customerId, paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT', svcAutoFiatAccount }
}

export function ruleOf({
  customerId,
  walletId,
  secondWalletId,
}: Record<'customerId' | 'walletId' | 'secondWalletId', string>) {
  const sides = { from: [walletId, 'USDC', 'BASE'], to: [secondWalletId, 'USDC', 'BASE'] } as const
  return { customerId, ...sides, amount: ['FLAT', '1'], cron: '0 0 29 2 *' } as const
}

export const disbursed = ({ walletId, paymentAccountId }: Record<'walletId' | 'paymentAccountId', string>) => ({
  paymentAccountId: walletId,
  currency: 'USDC',
  chain: 'BASE',
  destinationPaymentAccountId: paymentAccountId,
  reason: 'a test',
})

/** Fields and filters that name no resource. */
export const notIds = new Set([
  'date',
  'account',
  'format',
  'pageToken',
  // The local networks belong to the whole sandbox.
  'network',
  'pageSize',
  'cascade',
  'type',
  'resourceType',
  'status',
  'direction',
  'includePaymentMethods',
  'includeVerification',
  // The bank accounts of the deployment serve every organization.
  'bankAccountId',
  // A correlationId and an externalId are the caller's own: see test/scenarios/lists.
  'chain',
  'currency',
  'sourceAmount',
  'correlationId',
  'externalId',
  'expand',
  'rail',
  'amountFrom',
  'amountTo',
  'createdFrom',
  'createdTo',
  'updatedFrom',
  'updatedTo',
  'email',
  'name',
  'namePrefix',
  'sourceCurrency',
  'sourcePaymentMethod',
  'destinationCurrency',
  'destinationPaymentMethod',
  // A stream has these; a cursor is bound to its organization, see test/scenarios/webhooks/event-stream.test.ts.
  'types',
  'from',
  'cursor',
  // The audit log has these beside its actor.
  'act',
  'to',
])

/** Expected answers for our own customer: it is CREATED and has accounts, so the state rejects the operation. */
export const ownStatus: Record<string, number> = {
  'POST /customers/{customerId}/deactivate': 409,
  'POST /customers/{customerId}/reactivate': 409,
  'POST /customers/{customerId}/erase': 409,
  'POST /sandbox/customers/{customerId}/verification': 409,
  'POST /sandbox/payment-accounts/{paymentAccountId}/complete': 409,
  'POST /webhook-deliveries/{deliveryId}/retry': 409,
  'POST /transactions/{transactionId}/cancel': 409,
  'POST /sandbox/transactions/{transactionId}/return': 409,
  'POST /deposits/{depositId}/resolve': 409,
  'POST /deposits/{depositId}/recall': 409,
  'POST /transactions/{transactionId}/resolve': 409,
  'POST /customers/{customerId}/disbursements': 409,
  'POST /customers/{customerId}/disbursements/{disbursementId}/cancel': 409,
  'POST /approvals/{approvalId}/decision': 409,
  'POST /bank-changes/{bankChangeId}/decision': 409,
  'POST /payment-accounts/{paymentAccountId}/form-link/revoke': 409,
  'POST /transactions/{transactionId}/transfer-link/revoke': 409,
}
/** Operations that change what others need, so each runs on its own organization. */
export const changing = [
  'PATCH /customers/{customerId}',
  'POST /customers/{customerId}/erase',
  'POST /reviews/{customerId}/decision',
  'POST /api-keys/{apiKeyId}/roll',
  'POST /sandbox/deposits/{depositId}/reverse',
]

/** One of the two organizations, and what it has. */
export type Side = {
  organizationId: string
  apiKey: string
  token: string
  apiKeyId: string
  /** The key that acts, as the audit log names it. */
  actor: string
  eventId: string
  customerId: string
  /** An auto fiat account, and the wallet that it pays into. */
  paymentAccountId: string
  walletId: string
  quoteId: string
  transactionId: string
  /** A deposit of that transaction that does not fit it. */
  depositId: string
  /** A completed disbursement of the wallet. */
  disbursementId: string
  /** A notification of change about the payout of that disbursement. */
  bankChangeId: string
  webhookId: string
  deliveryId: string
  /** A customer about whom a reviewer has to decide. */
  reviewedId: string
  inboxId: string
  /** Moves from the wallet to a second one. */
  ruleId: string
  secondWalletId: string
}
