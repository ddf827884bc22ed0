import { createFolderBlobs } from '../adapters/blobs/folder-blobs.ts'
import { createDocumentChecker } from '../adapters/documents/document-checker.ts'
import { whyNotErase as rulesObject } from '../automation-rules/service.ts'
import { recordCustomerIncrease } from '../automation-rules/triggers/threshold-store.ts'
import { createCustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { whyNotErase as ledgerObjects } from '../ledger/service.ts'
import { whyNotErase as accountsObject } from '../payment-accounts/service.ts'
import { createRescreenService } from '../reviews/rescreen.ts'
import { createReviewService } from '../reviews/service.ts'
import { whyNotErase as reviewsObject } from '../reviews/store.ts'
import { createScreeningService } from '../screening/service.ts'
import { followReview } from '../transactions/resolutions/review.ts'
import { wakeStopped } from '../transactions/resolutions/store.ts'
import { whyNotEraseYet } from '../transactions/service.ts'
import { createVerificationService } from '../verification/service.ts'
import type { AppDeps, CustomerDeps } from './deps.ts'
import { createProviderServices } from './provider-services.ts'

export function createCustomerServices({ config, log }: AppDeps, parts: CustomerDeps) {
  const { database, secret, pages, audit, vault, metrics, address } = parts
  const documents = createDocumentChecker({ threads: 2 })
  const customers = createCustomerService({
    ...{ database, pages, vault, audit, documents },
    blobs: createFolderBlobs(config.blobFolder),
    formKey: deriveKey(secret, 'form links'),
    formsUrl: () => config.formsUrl ?? `${address.baseUrl}/forms`,
    reviewDelayMs: config.verificationDelayMs,
    configuredMethods: config.paymentMethods,
    retentionDays: config.retentionDays,
    erasureObstacles: [reviewsObject, accountsObject, whyNotEraseYet, ledgerObjects, rulesObject],
    // Rules last: whoever moves money locks it before the rules that it may raise.
    onActive: async (tx, organizationId, customerId) => {
      await wakeStopped(tx, { organizationId, customerId })
      await recordCustomerIncrease(tx, organizationId, customerId)
    },
  })
  const screening = createScreeningService({
    ...{ database, audit },
    onLoaded: (list) => {
      if (list) log.info({ version: list.version, entries: list.entryCount }, 'the watch list is loaded')
      else if (config.environment === 'production') log.warn('no watch list was imported: nobody is screened')
    },
  })
  metrics.watch('svc_watch_list_age_seconds', 'Time since the watch list in force was last imported', screening.listAge)
  const verification = createVerificationService({
    ...{ database, customers, screening },
    identityKey: deriveKey(secret, 'identities'),
    hasMagicNames: config.environment === 'sandbox',
    asksProvider: config.verificationProvider !== undefined,
    onDecided: metrics.observeVerification,
    onFailure: (error) => {
      metrics.countJobFailure('verification')
      log.error({ err: error }, 'a submission could not be verified and is tried again later')
    },
  })
  const reviews = createReviewService({ database, pages, audit, customers, verification, followDecision: followReview })
  const rescreening = createRescreenService({
    ...{ database, customers, reviews, watchList: screening },
    onFailure: (error) => {
      metrics.countJobFailure('rescreen customers')
      log.error({ err: error }, 'a customer could not be compared with the watch list and is tried again later')
    },
  })
  metrics.watch('svc_customers_to_rescreen', 'Customers not yet compared with the newest watch list', () =>
    rescreening.countUnscreened().catch(() => Number.NaN),
  )
  return {
    customers,
    screening,
    verification,
    reviews,
    rescreening,
    ...createProviderServices({ config, log }, { database, metrics, customers, verification }),
    closeDocuments: documents.close,
    /** Not waited for: the workers do it too, a moment later. */
    startReview: (organizationId: string, customerId: string) => {
      customers
        .startReview(organizationId, customerId)
        .catch((error: unknown) => log.warn({ err: error }, 'a review starts later'))
    },
  }
}
