import type { Database, Tx } from '../database.ts'
import { type AuditMac, type AuditRow, auditColumns, noSeal, type Seal } from './mac.ts'

type SealedRow = (AuditRow | { [Column in keyof AuditRow]: null }) & {
  mac: Buffer | null
  sealOf: string
  sealedId: string
  sequence: string
  chainHash: Buffer
}

type Head = Seal & { organizationId: string; mac: Buffer }

/** Progress along an organization's chain. After an alteration both the stored and the expected hash are accepted. */
type Chain = { organizationId: string; sequence: bigint; hashes: readonly Buffer[] }

const batchSize = 5_000
/** Limits the list: with a wrong key every row would be a violation. */
const mostViolations = 1_000

/** Checks every row against its MAC, every seal against its row and predecessor, and every chain against its head. */
export function findAuditViolations(database: Database, mac: AuditMac): Promise<string[]> {
  return database.inTx(async (tx) => {
    // All reads share one snapshot: the sealer keeps working meanwhile.
    await tx.query({ text: 'set transaction isolation level repeatable read, read only' })
    return [...(await checkChains(tx, mac)), ...(await checkUnsealed(tx, mac)), ...(await findRemovedUnsealed(tx))]
  })
}

async function checkChains(tx: Tx, mac: AuditMac): Promise<string[]> {
  const heads = new Map((await readHeads(tx)).map((head) => [head.organizationId, head]))
  const violations: string[] = []
  const finish = (chain: Chain) => {
    violations.push(...checkHead(chain, heads.get(chain.organizationId), mac))
    heads.delete(chain.organizationId)
  }
  let chain: Chain | undefined
  for (let rows = await readSeals(tx, undefined); rows.length > 0; ) {
    for (const row of rows) {
      if (chain && chain.organizationId !== row.sealOf) finish(chain)
      if (chain?.organizationId !== row.sealOf) chain = startOf(row.sealOf)
      const checked = checkSeal(chain, row, mac)
      violations.push(...checked.violations)
      chain = checked.chain
    }
    if (violations.length >= mostViolations) return violations
    rows = await readSeals(tx, rows.at(-1))
  }
  if (chain) finish(chain)
  for (const { organizationId } of [...heads.values()]) finish(startOf(organizationId))
  return violations
}

function startOf(organizationId: string): Chain {
  return { organizationId, sequence: noSeal.sequence, hashes: [noSeal.hash] }
}

function checkSeal(chain: Chain, row: SealedRow, mac: AuditMac): { chain: Chain; violations: string[] } {
  const { organizationId } = chain
  const sequence = BigInt(row.sequence)
  const violations: string[] = []
  const isNext = sequence === chain.sequence + 1n
  if (!isNext) violations.push(missingSeals(organizationId, chain.sequence + 1n, sequence - 1n))
  if (row.mac === null || row.auditId === null) {
    violations.push(`audit row ${row.sealedId} of organization ${organizationId} was removed`)
    return { chain: { organizationId, sequence, hashes: [row.chainHash] }, violations }
  }
  const rowMac = mac.ofRow(row)
  const isAltered = !rowMac.equals(row.mac)
  if (isAltered) violations.push(badRow(row))
  const macs = isAltered ? [row.mac, rowMac] : [rowMac]
  const isLinked = chain.hashes.some((hash) => macs.some((each) => mac.ofLink(hash, each).equals(row.chainHash)))
  // After a gap the previous hash is unknown, and the sealed content of an altered row is too. Both are reported above.
  if (!isLinked && isNext && !isAltered)
    violations.push(`seal ${sequence} of organization ${organizationId} was altered`)
  const before = chain.hashes.at(-1) ?? noSeal.hash
  const hashes = isLinked || !isNext ? [row.chainHash] : [row.chainHash, mac.ofLink(before, rowMac)]
  return { chain: { organizationId, sequence, hashes }, violations }
}

function checkHead({ organizationId, sequence, hashes }: Chain, head: Head | undefined, mac: AuditMac): string[] {
  const theHead = `the head of the audit chain of organization ${organizationId}`
  if (!head) return [`${theHead} was removed`]
  if (!mac.ofHead(organizationId, head).equals(head.mac)) return [`${theHead} was altered`]
  if (head.sequence > sequence) return [missingSeals(organizationId, sequence + 1n, head.sequence)]
  if (head.sequence < sequence || !hashes.some((hash) => hash.equals(head.hash))) {
    return [`seals of organization ${organizationId} from ${head.sequence} on differ from the head of the chain`]
  }
  return []
}

function missingSeals(organizationId: string, first: bigint, last: bigint): string {
  return `seals ${first} to ${last} of organization ${organizationId} are missing`
}

function badRow({ auditId, organizationId }: Pick<AuditRow, 'auditId' | 'organizationId'>): string {
  return `audit row ${auditId} of organization ${organizationId} was altered or inserted outside of Svc`
}

async function readHeads(tx: Tx): Promise<Head[]> {
  const rows = await tx.query<Omit<Head, 'sequence'> & { sequence: string }>({
    text: `select organization_id as "organizationId", last_sequence as sequence, last_hash as hash, mac
             from svc.audit_heads order by organization_id`,
  })
  return rows.map((row) => ({ ...row, sequence: BigInt(row.sequence) }))
}

function readSeals(tx: Tx, after: SealedRow | undefined): Promise<SealedRow[]> {
  return tx.query<SealedRow>({
    text: `select seal.organization_id as "sealOf", seal.audit_id as "sealedId", seal.sequence,
                  seal.chain_hash as "chainHash", audit.mac, ${auditColumns}
             from svc.audit_seals as seal left join svc.audit using (organization_id, audit_id)
            where (seal.organization_id, seal.sequence) > ($1, $2)
            order by seal.organization_id, seal.sequence limit $3`,
    values: [after?.sealOf ?? '00000000-0000-0000-0000-000000000000', after?.sequence ?? 0, batchSize],
  })
}

/** Checks the rows without a seal. The sealer works within a second; a row that waits for a minute is a violation. */
async function checkUnsealed(tx: Tx, mac: AuditMac): Promise<string[]> {
  const rows = await tx.query<AuditRow & { mac: Buffer; isLate: boolean }>({
    text: `select audit.mac, audit.at < clock_timestamp() - interval '1 minute' as "isLate", ${auditColumns}
             from svc.audit left join svc.audit_seals as seal using (organization_id, audit_id)
            where seal.sequence is null order by audit.at limit ${batchSize}`,
  })
  return rows.flatMap((row) => {
    if (!mac.ofRow(row).equals(row.mac)) return [badRow(row)]
    const { auditId, organizationId } = row
    return row.isLate ? [`audit row ${auditId} of organization ${organizationId} was not sealed within a minute`] : []
  })
}

/** Finds rows that were removed before they had a seal: only the queue still names them. */
async function findRemovedUnsealed(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ organizationId: string; auditId: string }>({
    text: `select queue.organization_id as "organizationId", queue.audit_id as "auditId"
             from svc.audit_queue as queue
             left join svc.audit using (organization_id, audit_id)
             left join svc.audit_seals as seal using (organization_id, audit_id)
            where audit.audit_id is null and seal.audit_id is null limit ${mostViolations}`,
  })
  return rows.map(({ auditId, organizationId }) => `audit row ${auditId} of organization ${organizationId} was removed`)
}
