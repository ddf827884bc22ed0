import type { Tx } from '../../db/database.ts'
import type { CustomerDeps } from '../access.ts'
import type { OpenCustomer } from '../sealed-customer.ts'
import * as store from './store.ts'

/** Why somebody acted on a customer, in their own words. */
export type Note = { act: string; text: string; writtenAt: Date }

const mostShown = 100

/** Free text about a customer may name people: it is sealed with the customer's key, and goes with it. */
export function createNoteService({ database, audit }: Pick<CustomerDeps, 'database' | 'audit'>) {
  return {
    /**
     * Records an act on a customer, or on something of the customer's that `subjectId` names, in the audit log, and its
     * reason beside it, where it can be forgotten.
     */
    recordAct: async (
      tx: Tx,
      { row, key }: OpenCustomer,
      { reason, ...act }: { actor: string; action: string; subjectId?: string; details?: object; reason: string },
    ): Promise<void> => {
      const { organizationId, customerId } = row
      const auditId = await audit.append(tx, { organizationId, subjectId: customerId, ...act })
      const sealedText = key?.seal(placeOf(auditId), reason)
      if (sealedText) await store.insertNote(tx, row, { auditId, act: act.action, sealedText })
    },

    /** The latest ones, newest first; none after an erasure. */
    readNotes: async ({ row, key }: OpenCustomer): Promise<Note[]> => {
      if (!key) return []
      const notes = await store.listNotes(database, row, mostShown)
      return notes.map(({ auditId, act, sealedText, writtenAt }) => {
        return { act, text: key.open(placeOf(auditId), sealedText).toString(), writtenAt }
      })
    },
  }
}

function placeOf(auditId: string) {
  return { table: 'customer_notes', row: auditId, column: 'text' }
}
