import { runChecks } from '../automation-rules/runs/check-store.ts'
import { createBalanceIncreaseListener } from '../automation-rules/triggers/threshold.ts'
import { type CredentialService, createCredentialService } from '../credentials/service.ts'
import { createCustodyService } from '../custody/service.ts'
import { custodyChecks } from '../custody/store.ts'
import { auditChecks, createAudit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { eventChecks } from '../db/outbox/sequencer.ts'
import type { RevisionName } from '../db/revisions.ts'
import { type Check, databaseChecks, type Verification, verify } from '../db/verify.ts'
import { createVault, type Vault } from '../encryption/data-keys.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { encryptionChecks } from '../encryption/store.ts'
import type { OpenData } from '../events/event.ts'
import { openEvents } from '../events/open.ts'
import { createEventService } from '../events/service.ts'
import { createEventStreamService } from '../events/stream.ts'
import type { Logger } from '../http/log.ts'
import type { HttpMetrics } from '../http/metrics.ts'
import { createLedgerService } from '../ledger/service.ts'
import { createPages } from '../lib/pages.ts'
import type { Tier } from '../organizations/organization.ts'
import { createOrganizationService } from '../organizations/service.ts'
import { paymentAccountChecks } from '../payment-accounts/store.ts'
import type { RateService } from '../quotes/rates/service.ts'
import { reviewChecks } from '../reviews/store.ts'
import { createSandboxClockService } from '../sandbox/clock.ts'
import { createInboxService } from '../sandbox/inbox/service.ts'
import type { ScreeningService } from '../screening/service.ts'
import { createTokenService, type TokenService } from '../tokens/service.ts'
import { transactionChecks } from '../transactions/check-store.ts'
import { providerChecks } from '../verification/provider/store.ts'
import { webhookChecks } from '../webhooks/delivery/session-store.ts'
import { createCustomerServices } from './customer-services.ts'
import type { Address, AppDeps, ServiceDeps } from './deps.ts'
import { createPaymentAccountServices } from './payment-account-services.ts'
import { createQuoteServices } from './quote-services.ts'
import { createRuleServices } from './rule-services.ts'
import { createTransactionServices } from './transaction-services.ts'
import { createWebhookServices } from './webhook-services.ts'

export type Services = ReturnType<typeof createServices>

/** What the HTTP door is made of. */
export type ApiParts = {
  database: Database
  secret: Buffer
  metrics: HttpMetrics
  services: Services
  address: Address
}

export function createServices(deps: AppDeps, parts: ServiceDeps) {
  const { config, log } = deps
  const { database, masterKeys, secret, watch } = parts
  const { environment } = config
  const nowMs = watch.databaseNow
  const pages = createPages(deriveKey(secret, 'page tokens'))
  const auditKey = deriveKey(secret, 'audit')
  const audit = createAudit(auditKey)
  const organizations = createOrganizationService(database, pages, audit)
  const sealingKey = deriveKey(secret, 'signing keys')
  const tokens = createTokenService({ database, sealingKey, audience: `svc:${environment}`, audit, nowMs })
  const credentials = createCredentialService({
    ...{ database, pages, environment, organizations, tokens, audit, nowMs },
    isFresh: watch.isFresh,
    requestsPerMinute: (tier, limits) => limits.requestsPerMinute ?? config.requestsPerMinute[tier as Tier],
    onWrongEnvironment: () => log.warn('a key of the other environment was refused'),
  })
  const vault = createVault(database, masterKeys, { isFresh: watch.isFresh })
  const ledger = createLedgerService({
    ...{ database, pages, audit, onIncrease: createBalanceIncreaseListener(config.ruleCoolDownSeconds) },
    onHalted: (violated) => log.error({ violated }, 'the ledger does not add up: payouts are halted'),
  })
  const custody = createCustodyService(database)
  const customerServices = createCustomerServices(deps, { ...parts, pages, audit, vault })
  const { customers } = customerServices
  const quoteServices = createQuoteServices(deps, { ...parts, customers })
  const { rates } = quoteServices
  const webhookServices = createWebhookServices(deps, { ...parts, pages, audit, vault })
  const openData: OpenData = (sealed) => openEvents(vault, sealed)
  const events = createEventService(database, pages, openData)
  const { quotes, quoteOptions } = quoteServices
  const accountParts = { ...parts, pages, audit, vault, customers, custody, ledger, rates }
  const accountServices = createPaymentAccountServices(deps, accountParts)
  const { paymentAccounts } = accountServices
  const transactionServices = createTransactionServices(deps, {
    ...{ ...accountParts, ...customerServices, paymentAccounts, quotes, quoteOptions },
    deliveryLog: webhookServices.deliveries.logOf,
  })
  const { transactions } = transactionServices
  return {
    ...customerServices,
    ...quoteServices,
    ...accountServices,
    ...webhookServices,
    ...transactionServices,
    ...createRuleServices(deps, { ...accountParts, quotes, quoteOptions, transactions }),
    audit,
    vault,
    organizations,
    tokens,
    credentials,
    custody,
    ledger,
    events,
    eventStreams: createEventStreamService({
      ...{ database, openData, cursorKey: deriveKey(secret, 'event cursors') },
      onError: (error) => log.warn({ err: error }, 'a stream of events could not be served and goes on later'),
    }),
    sandboxClock: createSandboxClockService(database, audit),
    inboxes: createInboxService({
      ...{ database, pages, vault, nowMs, tokenKey: deriveKey(secret, 'sandbox inboxes') },
      baseUrl: () => parts.address.baseUrl,
      secretsFor: webhookServices.webhooks.secretsFor,
      findEventKey: events.findKey,
    }),
    checks: [...listChecks(auditKey), ...ledger.checks],
    forget: createCacheEviction(log, { vault, ...quoteServices, ...customerServices, credentials, tokens }),
  }
}

type Rememberers = {
  vault: Vault
  rates: RateService
  screening: ScreeningService
  credentials: CredentialService
  tokens: TokenService
}

/** Drops what this process remembers of things that another one changed. */
function createCacheEviction(log: Logger, { vault, rates, screening, credentials, tokens }: Rememberers) {
  return (name: RevisionName): void => {
    const onFailure = (error: unknown) => log.warn({ err: error, name }, 'what changed could not be read again')
    if (name === 'data keys') vault.forgetAll()
    if (name === 'rates') rates.load().catch(onFailure)
    if (name === 'watch list') screening.load().catch(onFailure)
    if (name !== 'credentials') return
    credentials.forget()
    tokens.load().catch(onFailure)
  }
}

function listChecks(auditKey: Buffer): Check[] {
  return [
    ...[...databaseChecks, ...encryptionChecks, ...eventChecks, ...webhookChecks, ...auditChecks(auditKey)],
    ...[...reviewChecks, ...providerChecks, ...custodyChecks, ...paymentAccountChecks, ...transactionChecks],
    ...runChecks,
  ]
}

/** Every check of every part. A broken ledger halts payouts, whoever found it out. */
export async function verifyAll(
  database: Database,
  { checks, ledger }: Pick<Services, 'checks' | 'ledger'>,
  actor: 'worker' | 'command line',
): Promise<Verification> {
  const result = await verify(database, checks)
  await ledger.haltIfBroken(result, actor)
  return result
}
