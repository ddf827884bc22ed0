import { createFolderBlobs } from '../adapters/blobs/folder-blobs.ts'
import { createDocumentChecker } from '../adapters/documents/document-checker.ts'
import { createZoneReader } from '../adapters/documents/mrz/zone-reader.ts'
import { findErasureObstacle as findRuleObstacle } from '../automation-rules/service.ts'
import { eraseRuleMetadata } from '../automation-rules/store.ts'
import { recheckThresholdsOfCustomer } from '../automation-rules/triggers/threshold-store.ts'
import type { Config } from '../config.ts'
import type { DocumentChecker } from '../customers/ports.ts'
import { createCustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { discardDraft, eraseDraft } from '../forms/store.ts'
import { findErasureObstacle as findLedgerObstacle } from '../ledger/service.ts'
import type { OrganizationService } from '../organizations/service.ts'
import { findErasureObstacle as findAccountObstacle } from '../payment-accounts/service.ts'
import { findExternalWallets } from '../payment-accounts/store.ts'
import { eraseQuoteMetadata } from '../quotes/store.ts'
import { createReviewAuthority } from '../reviews/authority.ts'
import { createRescreenService } from '../reviews/rescreen.ts'
import { enrolForScreening } from '../reviews/screening-store.ts'
import { createReviewService } from '../reviews/service.ts'
import { findErasureObstacle as findReviewObstacle } from '../reviews/store.ts'
import { closeReview, eraseReviewMatches, openSubmissionReview } from '../reviews/submission-store.ts'
import { createScreeningService } from '../screening/service.ts'
import { eraseSenderMatches } from '../transactions/deposits/sightings/sender-store.ts'
import { resumeWork } from '../transactions/resolutions/review.ts'
import { wakeStoppedWork } from '../transactions/resolutions/store.ts'
import { findErasureObstacle as findTransactionObstacle } from '../transactions/service.ts'
import { eraseTransactionMetadata } from '../transactions/store.ts'
import { manualDue } from '../verification/promise.ts'
import { findDue } from '../verification/requirements.ts'
import type { FindWallets } from '../verification/screening/screen-customer.ts'
import { createVerificationService } from '../verification/service.ts'
import type { DocumentPolicy } from '../verification/submission.ts'
import {
  eraseSubmissions,
  hasOpenSubmission,
  insertSubmission,
  startReviewing,
} from '../verification/submission-store.ts'
import type { Deps } from './deps.ts'
import { createProviderServices } from './provider-services.ts'

export type CustomerServices = ReturnType<typeof createCustomerServices>

export function createCustomerServices(deps: Deps, organizations: OrganizationService) {
  const { config, log, database, secret, pages, audit, metrics } = deps
  const documents = createDocumentChecker()
  const zones = createZones(deps)
  const customers = createCustomers(deps, documents)
  const screening = createScreening(deps)
  const findWallets: FindWallets = (...wanted) => findExternalWallets(database, ...wanted)
  const verification = createVerificationService({
    database,
    customers,
    screening,
    findWallets,
    reviews: { open: openSubmissionReview, close: closeReview },
    identityKey: deriveKey(secret, 'identities'),
    hasMagicNames: config.environment === 'sandbox',
    documentPolicy: documentPolicyOf(config),
    ...(config.verificationProvider === undefined ? { readZone: zones.read } : {}),
    asksProvider: config.verificationProvider !== undefined,
    onDecided: metrics.observeVerification,
    onFailure: deps.onJobFailure('verification', 'a submission could not be verified and is retried later'),
  })
  const authority = createReviewAuthority({ customers, organizations, needsTwo: config.reviewsNeedTwo })
  const reviews = createReviewService({
    database,
    pages,
    audit,
    customers,
    verification,
    watermark: documents.watermark,
    authority,
    followDecision: resumeWork,
  })
  const rescreening = createRescreenService({
    database,
    customers,
    reviews,
    watchList: screening,
    findWallets,
    onFailure: deps.onJobFailure('rescreen customers', 'a customer could not be re-screened and is retried later'),
  })
  metrics.addGauge('svc_customers_to_rescreen', 'Customers not yet screened against the newest watch list', () =>
    rescreening.countUnscreened().catch(() => Number.NaN),
  )
  return {
    customers,
    screening,
    verification,
    reviews,
    rescreening,
    findWallets,
    ...createProviderServices(deps, { customers, verification }),
    reviewAuthority: authority,
    closeDocuments: () => Promise.all([documents.close(), zones.close()]),
    /** Starts the review early, without waiting for it: a worker starts it a moment later anyway. */
    startReview: (organizationId: string, customerId: string) => {
      customers
        .startReview(organizationId, customerId)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'a review could not be started and a worker starts it later'),
        )
    },
  }
}

/** Reads machine-readable zones, and counts and logs what came of it. */
function createZones({ log, metrics }: Deps) {
  const help = 'Pictures searched for a machine-readable zone'
  const readings = metrics.addCounter('svc_zone_readings_total', help, 'outcome')
  return createZoneReader({
    onFailure: (outcome) => {
      readings.inc({ outcome })
      log.warn({ outcome }, 'a picture could not be searched for a machine-readable zone and counts as one without')
    },
    onRead: (isFound) => readings.inc({ outcome: isFound ? 'found' : 'none' }),
  })
}

function createScreening({ config, log, database, audit, metrics }: Deps) {
  const screening = createScreeningService({
    database,
    audit,
    freshness: {
      maxAgeSeconds: config.watchLists.maxAgeSeconds,
      // A provider screens the customers that it verifies.
      isRequired: !config.watchLists.acceptsUnscreened && config.verificationProvider === undefined,
    },
    onLoaded: (loaded) => {
      for (const { list, version, entryCount: entries } of loaded)
        log.info({ list, version, entries }, 'a watch list is loaded')
    },
  })
  metrics.addGauge(
    'svc_watch_list_age_seconds',
    'Time since the oldest watch list in force was last imported',
    screening.listAge,
  )
  metrics.addGauge(
    'svc_watch_list_not_current',
    '1 while approvals and payouts wait for a current watch list',
    async () => Number((await screening.findGap()) !== undefined),
  )
  return screening
}

/** A provider's approval is an outside check of the documents. The sandbox records unreadable files and accepts them. */
function documentPolicyOf(config: Config): DocumentPolicy {
  const hasProvider = config.verificationProvider !== undefined
  return {
    mustBePlausible: config.environment === 'production' && !hasProvider,
    mayApprove: hasProvider || config.builtinDocumentChecksApprove,
  }
}

function createCustomers(
  { config, database, secret, pages, audit, vault, processState }: Deps,
  documents: DocumentChecker,
) {
  return createCustomerService({
    database,
    pages,
    vault,
    audit,
    documents,
    blobs: createFolderBlobs(config.blobFolder),
    formKey: deriveKey(secret, 'form links'),
    searchKey: deriveKey(secret, 'customer search'),
    formsUrl: () => config.formsUrl ?? `${processState.baseUrl}/forms`,
    reviewDelayMs: config.verificationDelayMs,
    configuredMethods: config.paymentMethods,
    retentionDays: config.retentionDays,
    mostFileBytes: config.mostFileBytes,
    rules: { findDue: (about) => findDue(about, documentPolicyOf(config)), reviewDue: manualDue },
    submissions: { insert: insertSubmission, startReviewing, hasOpen: hasOpenSubmission },
    erasures: [
      eraseSubmissions,
      eraseReviewMatches,
      eraseSenderMatches,
      eraseDraft,
      eraseQuoteMetadata,
      eraseTransactionMetadata,
      eraseRuleMetadata,
    ],
    discardDraft,
    onApproved: enrolForScreening,
    erasureObstacles: [
      findReviewObstacle,
      findAccountObstacle,
      findTransactionObstacle,
      findLedgerObstacle,
      findRuleObstacle,
    ],
    // Rules last: the lock order is money first, then the rules that it may trigger.
    onActive: async (tx, organizationId, customerId) => {
      await wakeStoppedWork(tx, { organizationId, customerId })
      await recheckThresholdsOfCustomer(tx, organizationId, customerId)
    },
  })
}
