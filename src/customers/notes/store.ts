import type { Queryable, Tx } from '../../db/database.ts'

export type SealedNote = { auditId: string; act: string; sealedText: Buffer; writtenAt: Date }

export async function insertNote(
  tx: Tx,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  { auditId, act, sealedText }: Omit<SealedNote, 'writtenAt'>,
): Promise<void> {
  await tx.query({
    name: 'insert customer note',
    text: `insert into svc.customer_notes (organization_id, audit_id, customer_id, act, sealed_text)
           values ($1, $2, $3, $4, $5)`,
    values: [organizationId, auditId, customerId, act, sealedText],
  })
}

/** Lists newest first: audit ids are ordered by time. */
export function listNotes(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  limit: number,
): Promise<SealedNote[]> {
  return database.query<SealedNote>({
    name: 'list customer notes',
    text: `select audit_id as "auditId", act, sealed_text as "sealedText", written_at as "writtenAt"
             from svc.customer_notes where organization_id = $1 and customer_id = $2 order by audit_id desc limit $3`,
    values: [organizationId, customerId, limit],
  })
}
