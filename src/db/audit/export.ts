import type { Queryable } from '../database.ts'
import { type AuditRow, auditColumns } from './mac.ts'

/** The part of the log to export: of one organization, from a moment on, until before another. */
export type ExportRange = { organizationId?: string; from?: Date; to?: Date }

/** The end of a chain, as exports and anchors write it. */
export type ChainHead = { organizationId: string; sequence: number; chainHash: string }

const headsAtOnce = 500
const rowsAtOnce = 1_000
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Writes the sealed rows of each chain in order, a JSON line each, and the chain's head after its last row. Rows and
 * seals never change, so no database transaction spans the export; rows after the head that was read are left out.
 */
export async function* exportLines(database: Queryable, range: ExportRange): AsyncGenerator<string> {
  let after = firstId
  for (;;) {
    const heads = await readChainHeads(database, after, range.organizationId)
    for (const head of heads) {
      yield* exportChain(database, head, range)
      yield `${JSON.stringify({ kind: 'head', ...head })}\n`
    }
    const last = heads.at(-1)
    if (!last || heads.length < headsAtOnce) return
    after = last.organizationId
  }
}

async function* exportChain(database: Queryable, head: ChainHead, range: ExportRange): AsyncGenerator<string> {
  for (let after = 0; after < head.sequence; ) {
    const rows = await readSealedRows(database, head, after, range)
    for (const { sequence, chainHash, sealedId, mac, ...row } of rows) {
      const seal = { kind: 'entry', organizationId: head.organizationId, sequence: Number(sequence), chainHash }
      // A row that was removed still has its seal.
      const content = row.auditId === null ? { auditId: sealedId, isMissing: true } : { ...shown(row), mac }
      yield `${JSON.stringify({ ...seal, ...content })}\n`
    }
    after = rows.length < rowsAtOnce ? head.sequence : Number(rows.at(-1)?.sequence)
  }
}

function shown({ auditId, at, actor, action, subjectId, sourceAddress, details }: AuditRow) {
  return { auditId, at, actor, act: action, subjectId, sourceAddress, details: JSON.parse(details) as object }
}

async function readChainHeads(database: Queryable, after: string, organizationId?: string): Promise<ChainHead[]> {
  const heads = await database.query<Omit<ChainHead, 'sequence'> & { sequence: string }>({
    name: 'read chain heads',
    text: `select organization_id as "organizationId", last_sequence as sequence,
                  encode(last_hash, 'hex') as "chainHash"
             from svc.audit_heads where organization_id > $1 and ($2::uuid is null or organization_id = $2)
            order by organization_id limit $3`,
    values: [after, organizationId ?? null, headsAtOnce],
  })
  return heads.map((head) => ({ ...head, sequence: Number(head.sequence) }))
}

type SealedRow = (AuditRow | { [Column in keyof AuditRow]: null }) & {
  sequence: string
  chainHash: string
  sealedId: string
  mac: string | null
}

function readSealedRows(
  database: Queryable,
  { organizationId, sequence }: ChainHead,
  after: number,
  { from, to }: ExportRange,
): Promise<SealedRow[]> {
  return database.query<SealedRow>({
    name: 'read sealed audit rows',
    text: `select seal.sequence, encode(seal.chain_hash, 'hex') as "chainHash", seal.audit_id as "sealedId",
                  encode(audit.mac, 'hex') as mac, ${auditColumns}
             from svc.audit_seals as seal left join svc.audit using (organization_id, audit_id)
            where seal.organization_id = $1 and seal.sequence > $2 and seal.sequence <= $3
              and (audit.at is null or $4::timestamptz is null or audit.at >= $4)
              and (audit.at is null or $5::timestamptz is null or audit.at < $5)
            order by seal.sequence limit $6`,
    values: [organizationId, after, sequence, from ?? null, to ?? null, rowsAtOnce],
  })
}
