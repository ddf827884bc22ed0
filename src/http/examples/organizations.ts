import { integrator, payout, story } from './story.ts'

const branding = {
  displayName: 'Example Pay',
  logoUrl: 'https://example.com/logo.png',
  primaryColor: '#1a4fff',
  supportEmail: 'help@example.com',
}

/** The integrator's organization. */
export const exampleOrganization = {
  organizationId: story.organizationId,
  name: integrator.name,
  tier: 'BUILDER',
  environment: 'sandbox',
  branding,
  allowedOrigins: ['https://app.example.com'],
  allowedIps: [],
  decidesReviews: true,
  limits: {
    requestsPerMinute: 6_000,
    guaranteedUSDAmountPerTransaction: '10000.00',
    guaranteedUSDAmountPerOrganization: '100000.00',
    guaranteeWindowSeconds: 3_600,
  },
  quotas: {
    fileBytes: { used: 48_211_904, allowed: 100_000_000_000 },
    webhooks: { used: 1, allowed: 100 },
    webhookAttempts: { used: 1_204, allowed: 1_000_000 },
    automationRules: { used: 1, allowed: 1_000 },
    sandboxInboxes: { used: 1, allowed: 10 },
  },
  createdAt: '2025-11-07T09:00:00.000Z',
}

const terms = {
  name: 'Checkout server',
  scopes: ['customers:read', 'quotes:write', 'transactions:write'],
  expiresAt: '2030-01-01T00:00:00.000Z',
  allowedIps: ['192.0.2.0/24'],
}

/** The key of the checkout server. */
export const exampleApiKey = {
  apiKeyId: integrator.apiKeyId,
  ...terms,
  createdAt: '2025-11-07T09:30:00.000Z',
  parentApiKeyId: integrator.firstApiKeyId,
}

const apiKey = 'svc_test_0R7sxkq1Q0m3nXw2r8mJb0qfUpWm3o2vYJrYl0o9sXc'
const used = { ...exampleApiKey, lastUsedAt: payout.at }

/** The policies: sums of a day, quiet nights, and an approval of what is large. */
export const examplePolicyRules = [
  { ruleId: 'daily-total', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '50000.00' },
  { ruleId: 'nights', kind: 'QUIET_HOURS', from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' },
  { ruleId: 'large-payouts', kind: 'APPROVAL', above: '40.00', approvals: 1, expiresInHours: 24 },
]

/** The approval that the payout of the rule waits for. */
export const exampleApproval = {
  approvalId: payout.approvalId,
  approvalStatus: 'OPEN',
  transactionId: payout.transactionId,
  customerId: story.customerId,
  source: {
    sourcePaymentAccountId: story.walletId,
    sourceCurrency: story.usdc,
    sourceAmount: payout.sourceAmount,
  },
  destination: {
    destinationPaymentAccountId: story.bankAccountId,
    destinationPaymentMethod: 'ACH',
    destinationCurrency: story.usd,
    destinationAmount: payout.destinationAmount,
  },
  rules: [{ ruleId: 'large-payouts', owner: 'ORGANIZATION', approvals: 1 }],
  makerApiKeyId: integrator.apiKeyId,
  decisions: [],
  createdAt: payout.at,
  expiresAt: '2025-11-25T09:00:00.000Z',
}

/** The same approval, once another key has approved. */
export const exampleApproved = {
  ...exampleApproval,
  approvalStatus: 'APPROVED',
  decisions: [{ apiKeyId: integrator.approverApiKeyId, decision: 'APPROVE', decidedAt: payout.approvedAt }],
  decidedAt: payout.approvedAt,
}

const go = { owner: 'ORGANIZATION', outcome: 'GO' }

export const organizationOperations = {
  updateOrganization: {
    request: { name: integrator.name, branding, allowedOrigins: exampleOrganization.allowedOrigins },
  },
  createApiKey: { request: terms, answer: { ...exampleApiKey, apiKey } },
  listApiKeys: { answer: { apiKeys: [used], nextPageToken: '' } },
  revokeApiKey: { answer: { ...used, revokedApiKeyIds: [integrator.apiKeyId] } },
  rollApiKey: {
    answer: {
      ...exampleApiKey,
      apiKeyId: integrator.nextApiKeyId,
      createdAt: payout.at,
      parentApiKeyId: integrator.apiKeyId,
      apiKey: 'svc_test_9xWm2kq7Q1n4nYw3r9mKc1rgVqXn4p3wZKsZm1p0tYd',
      predecessorEndsAt: '2025-11-25T09:00:00.000Z',
    },
  },
  createToken: {
    request: {
      grant_type: 'client_credentials',
      client_id: integrator.apiKeyId,
      client_secret: apiKey,
      scope: 'customers:read quotes:write',
    },
  },
  previewPolicy: {
    request: { quoteId: payout.quoteId },
    answer: {
      outcome: 'APPROVAL',
      usdAmount: '49.50',
      rules: [
        {
          ruleId: 'daily-total',
          kind: 'LIMIT',
          ...go,
          window: 'DAY',
          limit: '50000.00',
          used: '0.00',
          remaining: '50000.00',
        },
        { ruleId: 'nights', kind: 'QUIET_HOURS', ...go },
        { ruleId: 'large-payouts', kind: 'APPROVAL', owner: 'ORGANIZATION', outcome: 'APPROVAL' },
      ],
    },
  },
  decideApproval: { answer: exampleApproved },
}
