import type { Tx } from '../../../db/database.ts'

/** Serializes the recording of files: two messages about one payment or entry are compared one after the other. */
export async function lockRecording(tx: Tx): Promise<void> {
  await tx.query({ text: `select pg_advisory_xact_lock(hashtext('svc bank files'))` })
}
