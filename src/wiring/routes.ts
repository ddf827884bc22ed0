import { auditRoutes } from '../audit/routes.ts'
import { automationRuleRoutes } from '../automation-rules/routes.ts'
import { networks } from '../catalog/currencies.ts'
import { apiKeyRoutes, tokenRoutes } from '../credentials/routes.ts'
import { customerRoutes } from '../customers/routes.ts'
import { eventRoutes } from '../events/routes.ts'
import { describeMessages } from '../events/wire.ts'
import type { Authenticator } from '../http/admission/authenticate.ts'
import { KeptAnswer } from '../http/bodies/kept-answer.ts'
import { buildOpenapi } from '../http/openapi/openapi.ts'
import { operationRoutes } from '../http/operations.ts'
import type { Route } from '../http/route.ts'
import { ledgerRoutes } from '../ledger/routes.ts'
import type { Quota } from '../organizations/organization.ts'
import { organizationRoutes } from '../organizations/routes.ts'
import type { DefaultLimits } from '../organizations/wire.ts'
import { paymentAccountRoutes } from '../payment-accounts/routes.ts'
import { policyRoutes } from '../policies/routes.ts'
import { quoteRoutes } from '../quotes/routes.ts'
import { reviewRoutes } from '../reviews/routes.ts'
import { createBankActService } from '../sandbox/bank/acts.ts'
import { sandboxBankRoutes } from '../sandbox/bank/routes.ts'
import { chainRoutes } from '../sandbox/chain-routes.ts'
import { createSandboxChainService } from '../sandbox/chain-service.ts'
import { createSandboxDepositService } from '../sandbox/deposits.ts'
import { inboxRoutes } from '../sandbox/inbox/routes.ts'
import { paymentAccountSandboxRoutes } from '../sandbox/payment-accounts.ts'
import { clockRoutes, verificationRoutes } from '../sandbox/routes.ts'
import { transactionSandboxRoutes } from '../sandbox/transaction-routes.ts'
import { createSandboxTransactionService } from '../sandbox/transactions.ts'
import { createSandboxVerificationService } from '../sandbox/verification.ts'
import { approvalRoutes } from '../transactions/approvals/routes.ts'
import { bankChangeRoutes } from '../transactions/bank-files/changes/routes.ts'
import { bankFileRoutes } from '../transactions/bank-files/routes.ts'
import { recallRoute } from '../transactions/deposits/recalls/routes.ts'
import { depositRoutes } from '../transactions/deposits/routes.ts'
import { developerFeeRoutes } from '../transactions/developer-fees/routes.ts'
import { disbursementRoutes } from '../transactions/disbursements/routes.ts'
import { reconciliationRoutes } from '../transactions/reconciliation/routes.ts'
import { resolveDepositRoute, resolveTransactionRoute } from '../transactions/resolutions/routes.ts'
import { transactionRoutes } from '../transactions/routes.ts'
import { providerRoutes } from '../verification/provider/routes.ts'
import { deliveryRoutes, replayRoutes, webhookRoutes } from '../webhooks/routes.ts'
import { networksOnChain } from './chains/on-chain.ts'
import type { Deps } from './deps.ts'
import { eventPayloads } from './event-payloads.ts'
import { createReadiness } from './readiness.ts'
import type { Services } from './services.ts'

/** Lists every operation of the API, in the order of the documentation. */
export function listRoutes(deps: Deps, services: Services, authenticate: Authenticator): Route[] {
  const { config, version, metrics, processState } = deps
  const { credentials, tokens, organizations, events, customers, paymentAccounts, sandboxClock } = services
  const onChain = networksOnChain(config)
  const withBank = { ...services, bank: services.sandboxBank, localChains: deps.localChains, onChain }
  const webhooks = describeMessages(eventPayloads)
  const openapi = keepOpenapi((baseUrl) => buildOpenapi(routes, { version, baseUrl, webhooks }))
  const routes: Route[] = [
    ...deps.moreRoutes,
    ...organizationRoutes(organizations, config.environment, defaultLimitsOf(config), quotasOf(config, services)),
    ...apiKeyRoutes(credentials),
    ...tokenRoutes({ credentials, tokens, authenticate }),
    ...eventRoutes(events, services.eventStreams),
    ...webhookRoutes(services.webhooks),
    ...deliveryRoutes(services.deliveries),
    ...replayRoutes(services.replays),
    ...customerRoutes({ customers, onCreated: services.startReview }),
    ...providerRoutes({
      provider: services.verificationProvider,
      refuseBadSignature: (from) => authenticate('', from),
    }),
    ...reviewRoutes(services.reviews),
    ...paymentAccountRoutes(paymentAccounts),
    ...quoteRoutes(services.quotes),
    ...policyRoutes(services.policies, services.policyPreviews),
    resolveTransactionRoute(services.transactionResolutions),
    ...transactionRoutes(services.transactions),
    ...approvalRoutes(services.approvals),
    ...depositRoutes(services.deposits),
    resolveDepositRoute(services.deposits),
    recallRoute(services.recalls),
    ...disbursementRoutes(services.disbursements),
    ...automationRuleRoutes(services.automationRules, services.rulePreviews),
    ...auditRoutes(services.auditLog),
    ...ledgerRoutes(services.ledger),
    ...developerFeeRoutes(services.developerFees),
    ...bankFileRoutes(services.bankFileRecords),
    ...reconciliationRoutes(services.reconciliation, services.statementExports),
    ...bankChangeRoutes(services.bankChanges),
    ...clockRoutes(sandboxClock),
    ...verificationRoutes(createSandboxVerificationService(services), {
      hasBankFiles: services.sandboxBank !== undefined,
      simulatedNetworks: networks.filter((network) => !onChain.has(network)),
    }),
    ...paymentAccountSandboxRoutes(paymentAccounts, services.audit),
    ...inboxRoutes(services.inboxes),
    ...transactionSandboxRoutes(createSandboxDepositService(withBank), createSandboxTransactionService(withBank)),
    ...sandboxBankRoutes(createBankActService(withBank)),
    ...chainRoutes(createSandboxChainService(deps)),
    ...operationRoutes({
      version,
      environment: config.environment,
      metrics,
      openapi: () => openapi(processState.baseUrl),
      readiness: createReadiness(deps, services),
    }),
  ]
  return routes
}

/** Builds the document once for the address of the service, which is known when it listens. */
function keepOpenapi(build: (baseUrl: string) => object): (baseUrl: string) => KeptAnswer {
  let kept: { baseUrl: string; answer: KeptAnswer } | undefined
  return (baseUrl) => {
    if (kept?.baseUrl !== baseUrl)
      kept = { baseUrl, answer: new KeptAnswer(Buffer.from(JSON.stringify(build(baseUrl)))) }
    return kept.answer
  }
}

/** The limits of an organization that has none of its own. */
function defaultLimitsOf({ requestsPerMinute, guarantees }: Deps['config']): DefaultLimits {
  return (tier) => ({
    requestsPerMinute: requestsPerMinute[tier],
    guaranteedUSDAmountPerTransaction: `${guarantees.perTransactionUsd}.00`,
    guaranteedUSDAmountPerOrganization: `${guarantees.perOrganizationUsd}.00`,
    guaranteeWindowSeconds: guarantees.windowSeconds,
  })
}

/** Lists what an organization can have of what is stored for it, and how much of it is read. */
function quotasOf({ environment, ...config }: Deps['config'], services: Services): Quota[] {
  const { customers, webhooks, deliveries, automationRules, inboxes } = services
  const quotas: Quota[] = [
    { name: 'fileBytes', allowed: config.mostFileBytes, readUse: customers.readFileBytes },
    { name: 'webhooks', allowed: config.webhooks.mostWebhooks, readUse: webhooks.count },
    { name: 'webhookAttempts', allowed: config.webhooks.mostAttempts, readUse: deliveries.readAttemptTotals },
    { name: 'automationRules', allowed: config.mostRules, readUse: automationRules.count },
  ]
  if (environment === 'sandbox')
    quotas.push({ name: 'sandboxInboxes', allowed: config.mostInboxes, readUse: inboxes.count })
  return quotas
}
