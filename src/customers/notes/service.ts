import type { Tx } from '../../db/database.ts'
import type { CustomerDeps } from '../access.ts'
import type { OpenCustomer } from '../sealed-customer.ts'
import * as store from './store.ts'

/** The reason of an act on a customer, in the words of its author. */
export type Note = { act: string; text: string; writtenAt: Date }

const mostShown = 100

/** Stores reasons sealed with the customer's key, because free text may name people: an erasure destroys them too. */
export function createNoteService({ database, audit }: Pick<CustomerDeps, 'database' | 'audit'>) {
  return {
    /**
     * Records an act on a customer, or on the resource `subjectId` of that customer, in the audit log. The reason goes
     * into a note, which an erasure destroys.
     */
    recordAct: async (
      tx: Tx,
      { customer, key }: OpenCustomer,
      { reason, ...act }: { actor: string; action: string; subjectId?: string; details?: object; reason: string },
    ): Promise<void> => {
      const { organizationId, customerId } = customer
      const auditId = await audit.append(tx, { organizationId, subjectId: customerId, ...act })
      const sealedText = key?.seal(placeOf(auditId), reason)
      if (sealedText) await store.insertNote(tx, customer, { auditId, act: act.action, sealedText })
    },

    /** Reads the latest notes, newest first; none after an erasure. */
    readNotes: async ({ customer, key }: OpenCustomer): Promise<Note[]> => {
      if (!key) return []
      const notes = await store.listNotes(database, customer, mostShown)
      return notes.map(({ auditId, act, sealedText, writtenAt }) => {
        return { act, text: key.open(placeOf(auditId), sealedText).toString(), writtenAt }
      })
    },
  }
}

function placeOf(auditId: string) {
  return { table: 'customer_notes', row: auditId, column: 'text' }
}
