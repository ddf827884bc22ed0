import { makeFolderBlobs } from '../adapters/blobs/folder-blobs.ts'
import { makeDocumentChecker } from '../adapters/documents/document-checker.ts'
import { paymentMethods } from '../catalog/payment-methods.ts'
import { makeCustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { makeVerificationService } from '../verification/service.ts'
import type { AppOptions, CustomerParts } from './parts.ts'

export function makeCustomerServices({ config, log }: AppOptions, parts: CustomerParts) {
  const { database, secret, pages, audit, vault, metrics, address } = parts
  const documents = makeDocumentChecker({ threads: 2 })
  const customers = makeCustomerService({
    ...{ database, pages, vault, audit, documents },
    blobs: makeFolderBlobs(config.blobFolder),
    formKey: deriveKey(secret, 'form links'),
    formsUrl: () => config.formsUrl ?? `${address.baseUrl}/forms`,
    reviewDelayMs: config.verificationDelayMs,
    configuredMethods: Object.keys(paymentMethods),
    retentionDays: config.retentionDays,
    erasureObstacles: [],
  })
  const verification = makeVerificationService({
    ...{ database, customers },
    identityKey: deriveKey(secret, 'identities'),
    hasMagicNames: config.environment === 'sandbox',
    onDecided: metrics.observeVerification,
    onFailure: (error) => {
      metrics.countJobFailure('verification')
      log.error({ err: error }, 'a submission could not be verified and is tried again later')
    },
  })
  return {
    customers,
    verification,
    closeDocuments: documents.close,
    /** Not waited for: the workers do it too, a moment later. */
    startReview: (organizationId: string, customerId: string) => {
      customers
        .startReview(organizationId, customerId)
        .catch((error: unknown) => log.warn({ err: error }, 'a review starts later'))
    },
  }
}
