import { createAnchorFile, createAnchorPost } from '../adapters/audit-anchors.ts'
import { createOutboundHttp } from '../adapters/outbound-http.ts'
import { createAuditLogService } from '../audit/service.ts'
import { createRuleMakerService } from '../automation-rules/makers.ts'
import { runChecks } from '../automation-rules/runs/check-store.ts'
import { createBalanceIncreaseListener } from '../automation-rules/triggers/threshold.ts'
import { type CredentialService, createCredentialService } from '../credentials/service.ts'
import { createCustodyService } from '../custody/service.ts'
import { custodyChecks } from '../custody/store.ts'
import { anchorDuty } from '../db/audit/anchors.ts'
import { auditChecks, commandActor } from '../db/audit/audit.ts'
import { createCheckService } from '../db/checks/service.ts'
import { grantChecks } from '../db/grants.ts'
import { eventChecks } from '../db/outbox/checks.ts'
import type { RevisionName } from '../db/revisions.ts'
import { type Check, databaseChecks } from '../db/verify.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { encryptionChecks } from '../encryption/store.ts'
import type { OpenData } from '../events/event.ts'
import { openEvents } from '../events/open.ts'
import { createEventService } from '../events/service.ts'
import { createEventStreamService } from '../events/stream.ts'
import { createLedgerService } from '../ledger/service.ts'
import type { Tier } from '../organizations/organization.ts'
import { createOrganizationService } from '../organizations/service.ts'
import { paymentAccountChecks } from '../payment-accounts/store.ts'
import { createPolicyPreviewService } from '../policies/preview-service.ts'
import { createPolicyService } from '../policies/service.ts'
import type { RateService } from '../quotes/rates/service.ts'
import { reviewChecks } from '../reviews/store.ts'
import { createSandboxClockService } from '../sandbox/clock.ts'
import { createInboxService } from '../sandbox/inbox/service.ts'
import type { ScreeningService } from '../screening/service.ts'
import { createTokenService, type TokenService } from '../tokens/service.ts'
import { transactionChecks } from '../transactions/checks/store.ts'
import { wakeHeld } from '../transactions/deposits/held-store.ts'
import { reversalChecks } from '../transactions/deposits/reversals/check-store.ts'
import { disbursementChecks } from '../transactions/disbursements/check-store.ts'
import { liquidityChecks } from '../transactions/treasury/liquidity-check-store.ts'
import type { TreasuryService } from '../transactions/treasury/service.ts'
import { providerChecks } from '../verification/provider/store.ts'
import { webhookChecks } from '../webhooks/delivery/session-store.ts'
import { createMakerService } from '../webhooks/makers/service.ts'
import { makerChecks } from '../webhooks/makers/store.ts'
import { createReconciliation } from './bank-services.ts'
import { createChainPayouts } from './chains/payouts.ts'
import { createChainNodes, createChainServices } from './chains/services.ts'
import { createCustomerServices } from './customer-services.ts'
import type { Deps } from './deps.ts'
import { createFormServices } from './form-services.ts'
import { createPaymentAccountServices } from './payment-account-services.ts'
import { createQuoteServices } from './quote-services.ts'
import { createRuleServices } from './rule-services.ts'
import { createSandboxBank } from './sandbox-bank/create.ts'
import { createTransactionServices } from './transaction-services.ts'
import { createWebhookServices } from './webhook-services.ts'

export type Services = ReturnType<typeof createServices>

export function createServices(deps: Deps) {
  const { config, log, database, secret, pages, audit, vault } = deps
  const accessServices = createAccessServices(deps)
  const ledger = createLedgerService({
    database,
    pages,
    audit,
    onIncrease: createBalanceIncreaseListener(config.ruleCoolDownSeconds),
    onHalted: (halt) => log.error(halt, 'payouts are halted'),
    checkAges: config.checkAges,
  })
  const custody = createCustodyService(deps)
  const customerServices = createCustomerServices(deps, accessServices.organizations)
  const quoteServices = createQuoteServices(deps, customerServices)
  const webhookServices = createWebhookServices(deps, accessServices.credentials)
  const { customers } = customerServices
  const { rates, quotes, quoteDeps } = quoteServices
  const accountServices = createPaymentAccountServices(deps, { ...customerServices, custody, ledger, rates })
  const { paymentAccounts } = accountServices
  const deliveryLog = webhookServices.deliveries.listAttemptsFor
  const chainNodes = createChainNodes(deps)
  const chainPayouts = createChainPayouts(deps, { ...chainNodes, custody, ledger })
  const others = { ...customerServices, custody, ledger, paymentAccounts, quotes, quoteDeps, deliveryLog, chainPayouts }
  const transactionServices = createTransactionServices(deps, { ...others, ...accessServices })
  const { transactions, deposits, payouts } = transactionServices
  const openData: OpenData = (sealed) => openEvents(vault, sealed)
  const events = createEventService({ database, pages, openData })
  return {
    ...customerServices,
    ...createFormServices(deps, { ...customerServices, transactions }, paymentAccounts),
    ...quoteServices,
    ...accountServices,
    ...webhookServices,
    ...transactionServices,
    chainPayouts,
    ...createChainServices(deps, { custody, ledger, deposits, payouts, chainNodes }),
    ...createRuleServices(deps, { customers, ledger, quotes, quoteDeps, transactions, ...accessServices.credentials }),
    ...accessServices,
    policies: createPolicyService({ database, audit, actor: commandActor(config.operator) }),
    policyPreviews: createPolicyPreviewService({ database, valueNow: quotes.valueNow }),
    ...createAuditServices(deps),
    vault,
    custody,
    ledger,
    events,
    eventStreams: createEventStreamService({
      database,
      openData,
      cursorKey: deriveKey(secret, 'event cursors'),
      onError: (error) => log.warn({ err: error }, 'an event stream could not be served and continues later'),
    }),
    ...createReconciliation(deps, { ledger, chainPayouts, ...transactionServices }),
    ...createSandboxServices(deps, { ...transactionServices, ...webhookServices, events }),
    checks: createCheckService({
      database,
      checks: [
        ...ledger.checks,
        ...transactionServices.payouts.checks,
        ...listChecks(deps.auditKey),
        ...paymentAccounts.checks,
      ],
      onResults: ledger.haltIfViolated,
      onFailure: deps.onJobFailure('checks', 'a check could not run'),
    }),
    forget: createCacheEviction(deps, { ...quoteServices, ...customerServices, ...accessServices }),
  }
}

type SandboxNeeds = {
  treasury: TreasuryService
  webhooks: ReturnType<typeof createWebhookServices>['webhooks']
  events: Pick<ReturnType<typeof createEventService>, 'findKey'>
}

/** Creates the sandbox's clock, bank and inboxes. */
function createSandboxServices(deps: Deps, { treasury, webhooks, events }: SandboxNeeds) {
  const { config, database, pages, vault, secret } = deps
  return {
    sandboxClock: createSandboxClockService(deps),
    sandboxBank: createSandboxBank(deps, treasury),
    inboxes: createInboxService({
      database,
      pages,
      vault,
      nowMs: deps.revisions.databaseNow,
      tokenKey: deriveKey(secret, 'sandbox inboxes'),
      mostInboxes: config.mostInboxes,
      baseUrl: () => deps.processState.baseUrl,
      secretsFor: webhooks.secretsFor,
      findEventKey: events.findKey,
    }),
  }
}

/** Creates what reads the audit log, and what anchors the heads of its chains where a setting names a place. */
function createAuditServices({ config, database, pages, audit, metrics }: Deps) {
  const { auditAnchor } = config
  const acts = metrics.addCounter('svc_audit_acts_total', 'Sealed acts of the audit log', 'act')
  const http = createOutboundHttp()
  const anchor =
    auditAnchor &&
    ('file' in auditAnchor ? createAnchorFile(auditAnchor.file) : createAnchorPost(http, auditAnchor.url))
  return {
    audit,
    auditLog: createAuditLogService({ database, pages }),
    auditDuties: anchor ? [anchorDuty(database, anchor)] : [],
    countAct: (act: string) => acts.inc({ act }),
    closeAnchors: http.close,
  }
}

/** Creates the services that authenticate callers. */
function createAccessServices({ config, log, database, secret, revisions, pages, audit }: Deps) {
  const { environment } = config
  const actor = commandActor(config.operator)
  const nowMs = revisions.databaseNow
  const organizations = createOrganizationService({ database, pages, audit, environment, actor, onResumed: wakeHeld })
  const sealingKey = deriveKey(secret, 'signing keys')
  const tokens = createTokenService({ database, sealingKey, audience: `svc:${environment}`, audit, actor, nowMs })
  const credentials = createCredentialService({
    database,
    pages,
    environment,
    organizations,
    tokens,
    audit,
    webhooks: createMakerService({ audit }),
    rules: createRuleMakerService({ audit }),
    actor,
    nowMs,
    isFresh: revisions.isFresh,
    requestsPerMinute: (tier, limits) => limits.requestsPerMinute ?? config.requestsPerMinute[tier as Tier],
    onWrongEnvironment: () => log.warn('a key of the other environment was refused'),
  })
  return { organizations, tokens, credentials }
}

type Caching = {
  rates: RateService
  screening: ScreeningService
  credentials: CredentialService
  tokens: TokenService
}

/** Drops or reloads a cache of this process after another process changed its data. */
function createCacheEviction({ log, vault }: Deps, { rates, screening, credentials, tokens }: Caching) {
  return (name: RevisionName): void => {
    const onFailure = (error: unknown) => log.warn({ err: error, name }, 'a cache could not be reloaded')
    if (name === 'data keys') vault.forgetAll()
    if (name === 'rates') rates.load().catch(onFailure)
    if (name === 'watch list') screening.load().catch(onFailure)
    if (name !== 'credentials') return
    credentials.forget()
    tokens.reload().catch(onFailure)
  }
}

/** Lists the checks beside those of the ledger. */
function listChecks(auditKey: Buffer): Check[] {
  return [
    ...transactionChecks,
    ...disbursementChecks,
    ...liquidityChecks,
    ...reversalChecks,
    ...runChecks,
    ...databaseChecks,
    ...grantChecks,
    ...encryptionChecks,
    ...eventChecks,
    ...webhookChecks,
    ...makerChecks,
    ...auditChecks(auditKey),
    ...reviewChecks,
    ...providerChecks,
    ...custodyChecks,
    ...paymentAccountChecks,
  ]
}
