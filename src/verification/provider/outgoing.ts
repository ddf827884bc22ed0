import type { Profile } from '../../customers/customer.ts'
import { findImages } from '../../customers/identity/document-fields.ts'
import type { StoredImage } from '../../customers/identity/identity.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { ProviderDocument, ProviderSubmission } from './provider.ts'

/** Describes a submission for the provider. Documents are numbered in their order, so that a retry sends the same. */
export function describeForProvider(customers: CustomerService, opened: OpenCustomer): ProviderSubmission {
  const identity = customers.readIdentity(opened)
  const documents = findImages(identity).map((image, at): ProviderDocument => {
    const { blobId, mediaType } = image.value as StoredImage
    const documentId = String(at + 1)
    image.replace({ documentId })
    return { documentId, mediaType, read: () => customers.readImage(opened, blobId) }
  })
  return { customerType: opened.customer.customerType, profile: profileOf(opened), identity, documents }
}

function profileOf({ profile }: OpenCustomer): Profile {
  const { firstName, lastName, businessName, email = '' } = profile ?? {}
  return {
    email,
    ...(firstName ? { firstName } : {}),
    ...(lastName ? { lastName } : {}),
    ...(businessName ? { businessName } : {}),
  }
}
