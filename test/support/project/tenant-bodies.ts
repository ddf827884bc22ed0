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
  'type',
  'status',
  'direction',
  'includePaymentMethods',
  'includeVerification',
  // The bank accounts of the deployment serve every organization.
  'bankAccountId',
  // A correlationId is the caller's own.
  'chain',
  'currency',
  'sourceAmount',
  'correlationId',
  'sourceCurrency',
  'sourcePaymentMethod',
  'destinationCurrency',
  'destinationPaymentMethod',
  // A stream has these; a cursor is bound to its organization, see test/scenarios/webhooks/event-stream.test.ts.
  'types',
  'from',
  'cursor',
])
