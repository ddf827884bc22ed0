import { newId } from '../../lib/ids.ts'
import type { Database, Tx } from '../database.ts'
import type { Check } from '../verify.ts'
import type { Job } from '../work.ts'
import { type AuditMac, type AuditRow, createAuditMac, timeText } from './mac.ts'
import { createSealerJob } from './sealer.ts'
import { findAuditViolations } from './violations.ts'

export type AuditEntry = {
  organizationId: string
  /** Who acts: `api_key:<id>`, `operator:<id>`, `command line`, `worker`. */
  actor: string
  /** What was done, such as `api_key.created`. */
  action: string
  subjectId: string
  /** Never personal data: this outlives an erasure. */
  details?: object
}

export type Audit = ReturnType<typeof createAudit>

export function createAudit(key: Buffer) {
  const mac = createAuditMac(key)
  return {
    /** Records a privileged act in the transaction of the act, and answers the row's id. */
    append: (tx: Tx, entry: AuditEntry): Promise<string> => appendRow(tx, mac, entry),

    /** Seals every row well within a second after its commit. */
    sealerJob: (database: Database, leaseMs: number): Job => createSealerJob(database, mac, leaseMs),

    /** Names whatever was altered, inserted or removed behind our back. */
    findViolations: (database: Database): Promise<string[]> => findAuditViolations(database, mac),
  }
}

export function auditChecks(key: Buffer): Check[] {
  return [
    { name: 'the audit log is whole', find: createAudit(key).findViolations },
    {
      // A log that was wiped as a whole has no gap; what the acts left behind tells that there was one.
      name: 'every key was created by an audited act',
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
  // First the database says how it will store each value, the time to the microsecond: the MAC is over just that.
  const [row] = await tx.query<AuditRow>({
    name: 'prepare audit row',
    text: `select $1::uuid as "organizationId", $2::uuid as "auditId", ${timeText('clock_timestamp()')} as at,
                  $3::text as actor, $4::text as action, $5::text as "subjectId", $6::jsonb::text as details`,
    values: [organizationId, newId(), actor, action, subjectId, JSON.stringify(details, storableOf)],
  })
  if (!row) throw new Error('the database answered nothing')
  await tx.query({
    name: 'append audit row',
    text: `with queued as (insert into svc.audit_queue (organization_id, audit_id) values ($1, $2))
           insert into svc.audit (organization_id, audit_id, at, actor, action, subject_id, details, mac)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      row.organizationId,
      row.auditId,
      row.at,
      row.actor,
      row.action,
      row.subjectId,
      row.details,
      mac.ofRow(row),
    ],
  })
  return row.auditId
}

/** The database stores neither half characters nor zeros; an act must not fail because of its record. */
function storableOf(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
}
