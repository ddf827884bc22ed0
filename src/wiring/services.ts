import { makeCredentialService } from '../credentials/service.ts'
import { auditChecks, makeAudit } from '../db/audit.ts'
import type { Database } from '../db/database.ts'
import type { RevisionName } from '../db/revisions.ts'
import { eventChecks } from '../db/sequencer.ts'
import { databaseChecks } from '../db/verify.ts'
import { makeVault } from '../encryption/data-keys.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { encryptionChecks } from '../encryption/store.ts'
import type { OpenData } from '../events/event.ts'
import { openEvents } from '../events/open.ts'
import { makeEventService } from '../events/service.ts'
import { makeEventStreams } from '../events/stream-service.ts'
import type { HttpMetrics } from '../http/metrics.ts'
import { makePages } from '../lib/pages.ts'
import type { Tier } from '../organizations/organization.ts'
import { makeOrganizationService } from '../organizations/service.ts'
import { reviewChecks } from '../reviews/store.ts'
import { makeSandboxClock } from '../sandbox/clock.ts'
import { makeInboxService } from '../sandbox/inbox/service.ts'
import { makeTokenService } from '../tokens/service.ts'
import { webhookChecks } from '../webhooks/turn-store.ts'
import { makeCustomerServices } from './customer-services.ts'
import type { Address, AppOptions, ServiceParts } from './parts.ts'
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
  const customerServices = makeCustomerServices(options, { ...parts, pages, audit, vault })
  const webhookServices = makeWebhookServices(options, { ...parts, pages, audit, vault })
  const openData: OpenData = (sealed) => openEvents(vault, sealed)
  const events = makeEventService(database, pages, openData)
  return {
    ...customerServices,
    ...webhookServices,
    audit,
    vault,
    organizations,
    tokens,
    credentials,
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
    checks: [
      ...[...databaseChecks, ...encryptionChecks, ...eventChecks, ...webhookChecks],
      ...[...auditChecks(auditKey), ...reviewChecks],
    ],
    /** Drops what this process remembers of things that another one changed. */
    forget: (name: RevisionName) => {
      if (name === 'data keys') return vault.forgetAll()
      if (name === 'watch list') {
        const onFailure = (error: unknown) => log.warn({ err: error }, 'the watch list could not be loaded')
        return void customerServices.screening.load().catch(onFailure)
      }
      credentials.forget()
      tokens.load().catch((error: unknown) => log.warn({ err: error }, 'the signing keys could not be read again'))
    },
  }
}
