import { createHmac } from 'node:crypto'

/** A row of svc.audit as the database returns it: exactly the values that its MAC covers. */
export type AuditRow = {
  organizationId: string
  auditId: string
  /** The stored time with its microseconds, which a JS Date would lose. */
  at: string
  actor: string
  action: string
  subjectId: string
  /** The IP address of the request; null for the act of a command or a worker. */
  sourceAddress: string | null
  /** The output of jsonb: one canonical text per value. */
  details: string
}

export type Seal = { sequence: bigint; hash: Buffer }

/** The state before the first seal. */
export const noSeal: Seal = { sequence: 0n, hash: Buffer.alloc(32) }

const timeFormat = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** SQL for a time in one fixed form, regardless of session settings. */
export function timeText(expression: string): string {
  return `to_char(${expression} at time zone 'utc', ${timeFormat})`
}

/** Every column of svc.audit except the MAC, as an AuditRow. */
export const auditColumns = `audit.organization_id as "organizationId", audit.audit_id as "auditId",
  ${timeText('audit.at')} as at, audit.actor, audit.action, audit.subject_id as "subjectId",
  audit.source_address as "sourceAddress", audit.details::text as details`

export type AuditMac = ReturnType<typeof createAuditMac>

/**
 * Computes the MACs of audit rows, seals and chain heads. A JSON list of texts and nulls is unambiguous, so two different rows
 * never give the same input. The leading word separates the uses of the key.
 */
export function createAuditMac(key: Buffer) {
  const sign = (...texts: (string | null)[]) => createHmac('sha256', key).update(JSON.stringify(texts)).digest()
  return {
    ofRow: ({ organizationId, auditId, at, actor, action, subjectId, sourceAddress, details }: AuditRow): Buffer =>
      sign('row', organizationId, auditId, at, actor, action, subjectId, sourceAddress, details),

    /** Covers the row and, through the previous hash, every row before it. */
    ofLink: (hashBefore: Buffer, mac: Buffer): Buffer =>
      createHmac('sha256', key).update(hashBefore).update(mac).digest(),

    ofHead: (organizationId: string, { sequence, hash }: Seal): Buffer =>
      sign('head', organizationId, String(sequence), hash.toString('hex')),
  }
}
