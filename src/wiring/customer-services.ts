import { createFolderBlobs } from '../adapters/blobs/folder-blobs.ts'
import { createDocumentChecker } from '../adapters/documents/document-checker.ts'
import { findErasureObstacle as findRuleObstacle } from '../automation-rules/service.ts'
import { recheckThresholdsOfCustomer } from '../automation-rules/triggers/threshold-store.ts'
import type { DocumentChecker } from '../customers/ports.ts'
import { createCustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { findErasureObstacle as findLedgerObstacle } from '../ledger/service.ts'
import { findErasureObstacle as findAccountObstacle } from '../payment-accounts/service.ts'
import { createRescreenService } from '../reviews/rescreen.ts'
import { enrolForScreening } from '../reviews/screening-store.ts'
import { createReviewService } from '../reviews/service.ts'
import { findErasureObstacle as findReviewObstacle } from '../reviews/store.ts'
import { closeReview, eraseReviewMatches, openSubmissionReview } from '../reviews/submission-store.ts'
import { createScreeningService } from '../screening/service.ts'
import { resumeWork } from '../transactions/resolutions/review.ts'
import { wakeStoppedWork } from '../transactions/resolutions/store.ts'
import { findErasureObstacle as findTransactionObstacle } from '../transactions/service.ts'
import { createVerificationService } from '../verification/service.ts'
import {
  eraseSubmissions,
  hasOpenSubmission,
  insertSubmission,
  startReviewing,
} from '../verification/submission-store.ts'
import type { Deps } from './deps.ts'
import { createProviderServices } from './provider-services.ts'

export type CustomerServices = ReturnType<typeof createCustomerServices>

export function createCustomerServices(deps: Deps) {
  const { config, log, database, secret, pages, audit, metrics } = deps
  const documents = createDocumentChecker({ threads: 2 })
  const customers = createCustomers(deps, documents)
  const screening = createScreeningService({
    database,
    audit,
    onLoaded: (list) => {
      if (list) log.info({ version: list.version, entries: list.entryCount }, 'the watch list is loaded')
      else if (config.environment === 'production') log.warn('no watch list was imported: no customer is screened')
    },
  })
  metrics.addGauge(
    'svc_watch_list_age_seconds',
    'Time since the watch list in force was last imported',
    screening.listAge,
  )
  const verification = createVerificationService({
    database,
    customers,
    screening,
    reviews: { open: openSubmissionReview, close: closeReview },
    identityKey: deriveKey(secret, 'identities'),
    hasMagicNames: config.environment === 'sandbox',
    asksProvider: config.verificationProvider !== undefined,
    onDecided: metrics.observeVerification,
    onFailure: deps.onJobFailure('verification', 'a submission could not be verified and is retried later'),
  })
  const reviews = createReviewService({ database, pages, audit, customers, verification, followDecision: resumeWork })
  const rescreening = createRescreenService({
    database,
    customers,
    reviews,
    watchList: screening,
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
    ...createProviderServices(deps, { customers, verification }),
    closeDocuments: documents.close,
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
    formsUrl: () => config.formsUrl ?? `${processState.baseUrl}/forms`,
    reviewDelayMs: config.verificationDelayMs,
    configuredMethods: config.paymentMethods,
    retentionDays: config.retentionDays,
    submissions: { insert: insertSubmission, startReviewing, hasOpen: hasOpenSubmission },
    erasures: [eraseSubmissions, eraseReviewMatches],
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
