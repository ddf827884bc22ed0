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
    append: async (tx: Tx, entry: AuditEntry): Promise<string> => (await appendRows(tx, mac, [entry]))[0] as string,

    /** Records many acts in two statements, in this order: one that takes long would hold the locks of all. */
    appendAll: (tx: Tx, entries: readonly AuditEntry[]): Promise<string[]> => appendRows(tx, mac, entries),

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

async function appendRows(tx: Tx, mac: AuditMac, entries: readonly AuditEntry[]): Promise<string[]> {
  if (entries.length === 0) return []
  // The database first returns each value as it will store it, times in microseconds: the MAC covers exactly these.
  const rows = await tx.query<AuditRow>({
    name: 'prepare audit rows',
    text: `select "organizationId", "auditId", ${timeText('clock_timestamp()')} as at, actor, action, "subjectId",
                  "sourceAddress", details::jsonb::text as details
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                  with ordinality as entry ("organizationId", "auditId", actor, action, "subjectId", "sourceAddress",
                  details, place)
            order by place`,
    values: [
      entries.map((entry) => entry.organizationId),
      entries.map(() => newId()),
      entries.map((entry) => entry.actor),
      entries.map((entry) => entry.action),
      entries.map((entry) => entry.subjectId),
      entries.map((entry) => addressOfActor(entry.actor)),
      entries.map(({ details = {} }) => JSON.stringify(details, toStorable)),
    ],
  })
  if (rows.length < entries.length) throw new Error('PostgreSQL returned too few rows for the audit entries')
  await tx.query({
    name: 'append audit rows',
    text: `with entry as materialized (
             select organization_id, audit_id, at, actor, action, subject_id, source_address, details, mac, place
               from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[],
                           $8::text[], $9::bytea[])
                    with ordinality as given (organization_id, audit_id, at, actor, action, subject_id, source_address,
                    details, mac, place)),
           queued as (
             insert into svc.audit_queue (organization_id, audit_id)
             select organization_id, audit_id from entry order by place)
           insert into svc.audit (organization_id, audit_id, at, actor, action, subject_id, source_address, details, mac)
           select organization_id, audit_id, at, actor, action, subject_id, source_address, details::jsonb, mac
             from entry order by place`,
    values: [
      rows.map((row) => row.organizationId),
      rows.map((row) => row.auditId),
      rows.map((row) => row.at),
      rows.map((row) => row.actor),
      rows.map((row) => row.action),
      rows.map((row) => row.subjectId),
      rows.map((row) => row.sourceAddress),
      rows.map((row) => row.details),
      rows.map((row) => mac.ofRow(row)),
    ],
  })
  return rows.map((row) => row.auditId)
}

/** Replaces lone surrogates and NUL, which PostgreSQL cannot store: an act must not fail because of its record. */
function toStorable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
}
