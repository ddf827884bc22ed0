import { runChecks } from '../automation-rules/runs/check-store.ts'
import { makeRaising } from '../automation-rules/triggers/threshold.ts'
import { type CredentialService, makeCredentialService } from '../credentials/service.ts'
import { makeCustodyService } from '../custody/service.ts'
import { custodyChecks } from '../custody/store.ts'
import { auditChecks, makeAudit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { eventChecks } from '../db/outbox/sequencer.ts'
import type { RevisionName } from '../db/revisions.ts'
import { type Check, databaseChecks, type Verification, verify } from '../db/verify.ts'
import { makeVault, type Vault } from '../encryption/data-keys.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { encryptionChecks } from '../encryption/store.ts'
import type { OpenData } from '../events/event.ts'
import { openEvents } from '../events/open.ts'
import { makeEventService } from '../events/service.ts'
import { makeEventStreams } from '../events/stream.ts'
import type { Logger } from '../http/log.ts'
import type { HttpMetrics } from '../http/metrics.ts'
import { makeLedgerService } from '../ledger/service.ts'
import { makePages } from '../lib/pages.ts'
import type { Tier } from '../organizations/organization.ts'
import { makeOrganizationService } from '../organizations/service.ts'
import { paymentAccountChecks } from '../payment-accounts/store.ts'
import type { RateService } from '../quotes/rates/service.ts'
import { reviewChecks } from '../reviews/store.ts'
import { makeSandboxClock } from '../sandbox/clock.ts'
import { makeInboxService } from '../sandbox/inbox/service.ts'
import type { ScreeningService } from '../screening/service.ts'
import { makeTokenService, type TokenService } from '../tokens/service.ts'
import { transactionChecks } from '../transactions/check-store.ts'
import { providerChecks } from '../verification/provider/store.ts'
import { webhookChecks } from '../webhooks/delivery/turn-store.ts'
import { makeCustomerServices } from './customer-services.ts'
import type { Address, AppOptions, ServiceParts } from './parts.ts'
import { makePaymentAccountServices } from './payment-account-services.ts'
import { makeQuoteServices } from './quote-services.ts'
import { makeRuleServices } from './rule-services.ts'
import { makeTransactionServices } from './transaction-services.ts'
import { makeWebhookServices } from './webhook-services.ts'

export type Services = ReturnType<typeof makeServices>

/** What the HTTP door is made of. */
export type ApiParts = {
  database: Database
  secret: Buffer
  metrics: HttpMetrics
  services: Services
  address: Address
}

export function makeServices(options: AppOptions, parts: ServiceParts) {
  const { config, log } = options
  const { database, masterKeys, secret, watch } = parts
  const { environment } = config
  const nowMs = watch.databaseNow
  const pages = makePages(deriveKey(secret, 'page tokens'))
  const auditKey = deriveKey(secret, 'audit')
  const audit = makeAudit(auditKey)
  const organizations = makeOrganizationService(database, pages, audit)
  const sealingKey = deriveKey(secret, 'signing keys')
  const tokens = makeTokenService({ database, sealingKey, audience: `svc:${environment}`, audit, nowMs })
  const credentials = makeCredentialService({
    ...{ database, pages, environment, organizations, tokens, audit, nowMs },
    isFresh: watch.isFresh,
    requestsPerMinute: (tier, limits) => limits.requestsPerMinute ?? config.requestsPerMinute[tier as Tier],
    onWrongEnvironment: () => log.warn('a key of the other environment was refused'),
  })
  const vault = makeVault(database, masterKeys, { isFresh: watch.isFresh })
  const ledger = makeLedgerService({
    ...{ database, pages, audit, onRaised: makeRaising(config.ruleCoolDownSeconds) },
    onHalted: (violated) => log.error({ violated }, 'the ledger does not add up: payouts are halted'),
  })
  const custody = makeCustodyService(database)
  const customerServices = makeCustomerServices(options, { ...parts, pages, audit, vault })
  const { customers } = customerServices
  const quoteServices = makeQuoteServices(options, { ...parts, customers })
  const { rates } = quoteServices
  const webhookServices = makeWebhookServices(options, { ...parts, pages, audit, vault })
  const openData: OpenData = (sealed) => openEvents(vault, sealed)
  const events = makeEventService(database, pages, openData)
  const { quotes, quoteOptions } = quoteServices
  const accountParts = { ...parts, pages, audit, vault, customers, custody, ledger, rates }
  const accountServices = makePaymentAccountServices(options, accountParts)
  const { paymentAccounts } = accountServices
  const transactionServices = makeTransactionServices(options, {
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
    ...makeRuleServices(options, { ...accountParts, quotes, quoteOptions, transactions }),
    audit,
    vault,
    organizations,
    tokens,
    credentials,
    custody,
    ledger,
    events,
    eventStreams: makeEventStreams({
      ...{ database, openData, cursorKey: deriveKey(secret, 'event cursors') },
      onError: (error) => log.warn({ err: error }, 'a stream of events could not be served and goes on later'),
    }),
    sandboxClock: makeSandboxClock(database, audit),
    inboxes: makeInboxService({
      ...{ database, pages, vault, nowMs, tokenKey: deriveKey(secret, 'sandbox inboxes') },
      baseUrl: () => parts.address.baseUrl,
      secretsFor: webhookServices.webhooks.secretsFor,
      findEventKey: events.findKey,
    }),
    checks: [...listChecks(auditKey), ...ledger.checks],
    forget: makeForgetting(log, { vault, ...quoteServices, ...customerServices, credentials, tokens }),
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
function makeForgetting(log: Logger, { vault, rates, screening, credentials, tokens }: Rememberers) {
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
