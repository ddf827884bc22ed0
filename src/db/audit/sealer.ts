import { firstOf } from '../../db/workers/due.ts'
import type { Database, Tx } from '../database.ts'
import { standingDutyJob } from '../standing-duty.ts'
import type { Job } from '../work.ts'
import { type AuditMac, noSeal, type Seal } from './mac.ts'

/** Receives the act of each sealed row. */
export type OnSealed = (action: string) => void

/** Chains committed audit rows. One worker of the deployment holds this duty, so that no chain forks. */
export function createSealerJob(database: Database, mac: AuditMac, leaseMs: number, onSealed: OnSealed): Job {
  let actions: string[] = []
  const sealNext = async (tx: Tx) => {
    actions = await sealBatch(tx, mac)
    return actions.length
  }
  const job = standingDutyJob(database, { name: 'seal audit', due: hasUnsealed, runBatch: sealNext }, leaseMs)
  return {
    ...job,
    runBatch: async () => {
      const count = await job.runBatch()
      // Only after the commit: a batch that fails is sealed again.
      if (count > 0) actions.forEach(onSealed)
      return count
    },
  }
}

type Unsealed = { organizationId: string; auditId: string; action: string; mac: Buffer }

const mostInBatch = 1_000

// A row that was removed before its seal cannot be sealed; findViolations reports it.
const unsealed = `from svc.audit_queue as queue join svc.audit using (organization_id, audit_id) where not queue.sealed`

const hasUnsealed = firstOf(`${unsealed.slice('from '.length)} order by queue.position`)

async function sealBatch(tx: Tx, mac: AuditMac): Promise<string[]> {
  const rows = await tx.query<Unsealed>({
    name: 'read unsealed audit rows',
    text: `select organization_id as "organizationId", audit_id as "auditId", audit.action, audit.mac ${unsealed}
            order by queue.position limit $1`,
    values: [mostInBatch],
  })
  const heads = await readHeads(tx, [...new Set(rows.map((row) => row.organizationId))])
  const seals = rows.map((row): Seal => {
    const before = heads.get(row.organizationId) ?? noSeal
    const seal = { sequence: before.sequence + 1n, hash: mac.ofLink(before.hash, row.mac) }
    heads.set(row.organizationId, seal)
    return seal
  })
  await insertSeals(tx, rows, seals)
  await writeHeads(tx, mac, heads)
  return rows.map((row) => row.action)
}

async function readHeads(tx: Tx, organizationIds: readonly string[]): Promise<Map<string, Seal>> {
  const rows = await tx.query<{ organizationId: string; sequence: string; hash: Buffer }>({
    name: 'read audit heads',
    text: `select organization_id as "organizationId", last_sequence as sequence, last_hash as hash
             from svc.audit_heads where organization_id = any($1)`,
    values: [organizationIds],
  })
  return new Map(
    rows.map(({ organizationId, sequence, hash }) => [organizationId, { sequence: BigInt(sequence), hash }]),
  )
}

async function insertSeals(tx: Tx, rows: readonly Unsealed[], seals: readonly Seal[]): Promise<void> {
  await tx.query({
    name: 'insert audit seals',
    text: `with sealed as (
             insert into svc.audit_seals (organization_id, audit_id, sequence, chain_hash)
             select organization_id, audit_id, sequence, chain_hash
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[])
                    as seals (organization_id, audit_id, sequence, chain_hash)
             returning organization_id, audit_id)
           update svc.audit_queue as queue set sealed = true from sealed
            where queue.organization_id = sealed.organization_id and queue.audit_id = sealed.audit_id`,
    values: [
      rows.map((row) => row.organizationId),
      rows.map((row) => row.auditId),
      seals.map((seal) => seal.sequence),
      seals.map((seal) => seal.hash),
    ],
  })
}

async function writeHeads(tx: Tx, mac: AuditMac, heads: ReadonlyMap<string, Seal>): Promise<void> {
  const all = [...heads]
  await tx.query({
    name: 'write audit heads',
    text: `insert into svc.audit_heads (organization_id, last_sequence, last_hash, mac)
           select organization_id, last_sequence, last_hash, mac
             from unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::bytea[])
                  as heads (organization_id, last_sequence, last_hash, mac)
               on conflict (organization_id) do update
              set last_sequence = excluded.last_sequence, last_hash = excluded.last_hash, mac = excluded.mac`,
    values: [
      all.map(([organizationId]) => organizationId),
      all.map(([, seal]) => seal.sequence),
      all.map(([, seal]) => seal.hash),
      all.map(([organizationId, seal]) => mac.ofHead(organizationId, seal)),
    ],
  })
}
