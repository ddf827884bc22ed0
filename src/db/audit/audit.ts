import { newId } from '../../lib/ids.ts'
import type { Database, Tx } from '../database.ts'
import type { Check } from '../verify.ts'
import type { Job } from '../work.ts'
import { compareAnchors } from './anchors.ts'
import { exportLines } from './export.ts'
import { type AuditMac, type AuditRow, createAuditMac, timeText } from './mac.ts'
import { addressOfActor } from './request-source.ts'
import { createSealerJob, type OnSealed } from './sealer.ts'
import { findAuditViolations } from './violations.ts'

export type AuditEntry = {
  organizationId: string
  /** One of `api_key:<id>`, `operator:<name>`, `command line`, `hosted form`, `worker`. */
  actor: string
  /** The act, such as `api_key.created`. */
  action: string
  subjectId: string
  /** Holds no personal data: the audit log outlives an erasure. */
  details?: object
}

/** Names the actor of a command: the person that SVC_OPERATOR names, if it is set. */
export function commandActor(operator: string | undefined): string {
  return operator === undefined ? 'command line' : `operator:${operator}`
}

export type Audit = ReturnType<typeof createAudit>

export function createAudit(key: Buffer) {
  const mac = createAuditMac(key)
  return {
    /** Records a privileged act in the act's own database transaction and returns the row's id. */
    append: (tx: Tx, entry: AuditEntry): Promise<string> => appendRow(tx, mac, entry),

    /** Seals every row well within a second after its commit. */
    sealerJob: (database: Database, leaseMs: number, onSealed: OnSealed = () => {}): Job =>
      createSealerJob(database, mac, leaseMs, onSealed),

    /** Names every row and seal that was altered, inserted or removed outside of Svc. */
    findViolations: (database: Database): Promise<string[]> => findAuditViolations(database, mac),

    exportLines,
    compareAnchors,
  }
}

export function auditChecks(key: Buffer): Check[] {
  return [
    { name: 'the audit log is complete and unaltered', find: createAudit(key).findViolations },
    {
      // A log that was deleted as a whole shows no gap; the keys that its acts created reveal the deletion.
      name: 'every API key was created by an audited act',
      sql: `select format('the creation of API key %s of organization %s is not in the audit log',
                     key.api_key_id, key.organization_id) as violation
              from svc.api_keys as key
              left join svc.audit as act on act.organization_id = key.organization_id
               and act.subject_id = key.api_key_id::text and act.action = 'api_key.created'
             where act.audit_id is null`,
    },
  ]
}

async function appendRow(tx: Tx, mac: AuditMac, entry: AuditEntry): Promise<string> {
  const { organizationId, actor, action, subjectId, details = {} } = entry
  // The database first returns each value as it will store it, times in microseconds: the MAC covers exactly these.
  const [row] = await tx.query<AuditRow>({
    name: 'prepare audit row',
    text: `select $1::uuid as "organizationId", $2::uuid as "auditId", ${timeText('clock_timestamp()')} as at,
                  $3::text as actor, $4::text as action, $5::text as "subjectId",
                  $6::text as "sourceAddress", $7::jsonb::text as details`,
    values: [
      organizationId,
      newId(),
      actor,
      action,
      subjectId,
      addressOfActor(actor),
      JSON.stringify(details, toStorable),
    ],
  })
  if (!row) throw new Error('PostgreSQL returned no row for the audit entry')
  await tx.query({
    name: 'append audit row',
    text: `with queued as (insert into svc.audit_queue (organization_id, audit_id) values ($1, $2))
           insert into svc.audit (organization_id, audit_id, at, actor, action, subject_id, source_address, details, mac)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      row.organizationId,
      row.auditId,
      row.at,
      row.actor,
      row.action,
      row.subjectId,
      row.sourceAddress,
      row.details,
      mac.ofRow(row),
    ],
  })
  return row.auditId
}

/** Replaces lone surrogates and NUL, which PostgreSQL cannot store: an act must not fail because of its record. */
function toStorable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
}
