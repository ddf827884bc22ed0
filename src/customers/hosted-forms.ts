import type { Tx } from '../db/database.ts'
import { readFormToken } from '../lib/form-link.ts'
import { newId } from '../lib/ids.ts'
import { badField, type FieldProblem, Refusal } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import { type CustomerDeps, emit, openStored } from './access.ts'
import type { Requirement } from './customer.ts'
import { keepFiles, requireRoomForFiles } from './files/quota.ts'
import { releaseBlobs } from './files/store.ts'
import type { Identity, StoredImage } from './identity/identity.ts'
import { checkFile, inspectIdentity, storeFile } from './identity/intake.ts'
import { createNoteService } from './notes/service.ts'
import type { CustomerView } from './present.ts'
import { type OpenCustomer, openIdentity } from './sealed-customer.ts'
import * as store from './store.ts'

/** Serves the hosted form of a customer: finds it by its link, and prepares a submission before it is made. */
export function createHostedFormOperations(deps: CustomerDeps) {
  const notes = createNoteService(deps)
  // The customer cannot free space: the page says that the service is at fault.
  const quota = { ...deps, quotaCode: 'SERVICE_UNAVAILABLE' } as const
  return {
    /** Opens the customer whose link this is; undefined when the link is invalid, revoked or of another purpose. */
    openByLink: async (token: string): Promise<OpenCustomer | undefined> => {
      const read = readFormToken(deps.formKey, 'verify', token)
      const customer = read && (await store.findCustomerOfLink(deps.database, read.subjectId))
      if (!customer || customer.erasedAt || customer.linkVersion !== read.version) return undefined
      return openStored(deps.vault, customer)
    },

    /** Revokes the link of a customer, with every session that it opened. The answer shows the new link. Audited. */
    revokeLink: async (
      tx: Tx,
      opened: OpenCustomer,
      { actor, reason }: { actor: string; reason: string },
    ): Promise<CustomerView> => {
      const customer = await store.replaceLink(tx, opened.customer)
      if (!customer) throw new Refusal('CONFLICT', 'An erased customer has no link')
      const changed = { ...opened, customer }
      await notes.recordAct(tx, changed, { actor, action: 'customer.link_revoked', reason })
      return emit(deps, tx, 'customer.updated', changed)
    },

    /** Lists the problems for which a submission would be refused. Stores nothing. */
    findProblems: async (opened: OpenCustomer, inspected: Validated<object>): Promise<readonly FieldProblem[]> => {
      try {
        const intake = { ...deps, organizationId: opened.customer.organizationId, createId: newId }
        await inspectIdentity(intake, opened.customer.customerType, inspected, openIdentity(opened))
        return []
      } catch (error) {
        if (error instanceof Refusal && error.details) return error.details
        throw error
      }
    },

    /** Lists what would still be due if the customer had submitted this data. */
    findDueOf: ({ customer, profile }: OpenCustomer, identity: Identity): Requirement[] =>
      profile ? deps.rules.findDue({ ...customer, profile, identity }) : [],

    /** Checks a file and stores it sealed, before the database transaction that records its owner. */
    storeImage: async (opened: OpenCustomer, field: string, pieces: readonly Buffer[]): Promise<StoredImage> => {
      if (!opened.key) throw new Error('the key of the customer was destroyed')
      const checked = await checkFile({ ...deps, organizationId: opened.customer.organizationId }, field, pieces)
      if ('message' in checked) throw badField(field, checked.message)
      await requireRoomForFiles(quota, opened.customer.organizationId, checked.byteLength)
      return storeFile({ ...deps, createId: newId }, checked, opened.key)
    },

    /** Keeps the status, the data and the link of a customer as they are until the database transaction ends. */
    lockForDraft: (tx: Tx, { customer }: OpenCustomer) => store.lockForDraft(tx, customer),

    /** Records the owner of a stored file, so that an erasure removes it. */
    ownImages: (tx: Tx, { customer }: OpenCustomer, images: readonly StoredImage[]): Promise<void> =>
      keepFiles(quota, tx, customer, images),

    /** Lets a worker remove files that no submission refers to. */
    releaseImages: (tx: Tx, organizationId: string, blobIds: readonly string[]): Promise<void> =>
      releaseBlobs(tx, organizationId, blobIds),
  }
}
