import { createHmac } from 'node:crypto'

/** A row of svc.audit as the database shows it: exactly what its MAC covers. */
export type AuditRow = {
  organizationId: string
  auditId: string
  /** With microseconds, as stored: a JS Date would cut them off. */
  at: string
  actor: string
  action: string
  subjectId: string
  /** As jsonb prints it, which is the same text however it was written. */
  details: string
}

export type Seal = { sequence: bigint; hash: Buffer }

/** Before the first seal. */
export const noSeal: Seal = { sequence: 0n, hash: Buffer.alloc(32) }

const timeFormat = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** SQL for a time in one form, whatever the settings of the session. */
export function timeText(expression: string): string {
  return `to_char(${expression} at time zone 'utc', ${timeFormat})`
}

/** Every column of svc.audit but the MAC itself, as an AuditRow. */
export const auditColumns = `audit.organization_id as "organizationId", audit.audit_id as "auditId",
  ${timeText('audit.at')} as at, audit.actor, audit.action, audit.subject_id as "subjectId",
  audit.details::text as details`

export type AuditMac = ReturnType<typeof createAuditMac>

/**
 * A JSON list of texts can be read in one way only, so no two rows have the same. The words in front keep the three uses
 * of the key apart.
 */
export function createAuditMac(key: Buffer) {
  const sign = (...texts: string[]) => createHmac('sha256', key).update(JSON.stringify(texts)).digest()
  return {
    ofRow: ({ organizationId, auditId, at, actor, action, subjectId, details }: AuditRow): Buffer =>
      sign('row', organizationId, auditId, at, actor, action, subjectId, details),

    /** A seal stands for its row and, through the hash before it, for everything before its row. */
    ofLink: (hashBefore: Buffer, mac: Buffer): Buffer =>
      createHmac('sha256', key).update(hashBefore).update(mac).digest(),

    ofHead: (organizationId: string, { sequence, hash }: Seal): Buffer =>
      sign('head', organizationId, String(sequence), hash.toString('hex')),
  }
}
