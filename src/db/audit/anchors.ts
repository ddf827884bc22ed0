import type { Database, Queryable } from '../database.ts'
import type { Duty } from '../duties.ts'
import { firstOf } from '../workers/due.ts'
import type { ChainHead } from './export.ts'

/** Keeps heads of chains at a place outside the database, and returns once they are stored there. */
export type Anchor = (heads: readonly ChainHead[]) => Promise<void>

const headsAtOnce = 500
const everyMs = 10_000

const hasUnanchored = firstOf('svc.audit_heads where last_sequence > anchored_sequence order by organization_id')

/**
 * Anchors the heads of chains that have grown. It marks a head as anchored after the anchor has stored it, outside of a
 * database transaction: after a crash between the two it stores the head again.
 */
export function anchorDuty(database: Database, anchor: Anchor): Duty {
  return {
    name: 'anchor audit',
    everyMs,
    due: hasUnanchored,
    run: async () => {
      const heads = await readUnanchored(database)
      if (heads.length > 0) await anchor(heads)
      await markAnchored(database, heads)
      return heads.length
    },
    pauseMs: (count) => (count === headsAtOnce ? 0 : everyMs),
  }
}

async function readUnanchored(database: Queryable): Promise<ChainHead[]> {
  const heads = await database.query<Omit<ChainHead, 'sequence'> & { sequence: string }>({
    name: 'read heads to anchor',
    text: `select organization_id as "organizationId", last_sequence as sequence,
                  encode(last_hash, 'hex') as "chainHash"
             from svc.audit_heads where last_sequence > anchored_sequence order by organization_id limit $1`,
    values: [headsAtOnce],
  })
  return heads.map((head) => ({ ...head, sequence: Number(head.sequence) }))
}

async function markAnchored(database: Queryable, heads: readonly ChainHead[]): Promise<void> {
  await database.query({
    name: 'mark anchored heads',
    text: `update svc.audit_heads as head set anchored_sequence = greatest(head.anchored_sequence, stored.sequence)
             from unnest($1::uuid[], $2::bigint[]) as stored (organization_id, sequence)
            where head.organization_id = stored.organization_id`,
    values: [heads.map((head) => head.organizationId), heads.map((head) => head.sequence)],
  })
}

/** Stored chains compared with anchored heads. */
export type AnchorComparison = {
  compared: number
  /** Each anchored seal that the stored chain lacks or contradicts, and each line that is none. */
  differences: string[]
  /** Chains with seals after their last anchor, which the anchors do not prove; old ones should have been anchored. */
  unproven: { organizationId: string; anchored: number; sealed: number; isOld: boolean }[]
}

/** Limits the list: after the loss of a database every anchor would be a difference. */
const mostDifferences = 1_000

/** Compares stored chains with lines of anchored heads, or of an export: each names a seal and its hash. */
export async function compareAnchors(database: Queryable, lines: AsyncIterable<string>): Promise<AnchorComparison> {
  const newest = new Map<string, number>()
  const differences: string[] = []
  let [compared, number] = [0, 0]
  let batch: ChainHead[] = []
  const compareBatch = async () => {
    differences.push(...(await findDifferences(database, batch)))
    compared += batch.length
    batch = []
  }
  for await (const line of lines) {
    number += 1
    if (line.trim() === '') continue
    const head = readHead(line)
    if (!head) differences.push(`line ${number} is not an anchored head`)
    else {
      newest.set(head.organizationId, Math.max(newest.get(head.organizationId) ?? 0, head.sequence))
      batch.push(head)
    }
    if (batch.length >= headsAtOnce) await compareBatch()
    if (differences.length >= mostDifferences) return { compared, differences, unproven: [] }
  }
  await compareBatch()
  return { compared, differences, unproven: await findUnproven(database, newest) }
}

const hexHash = /^[0-9a-f]{64}$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function readHead(line: string): ChainHead | undefined {
  try {
    const { organizationId, sequence, chainHash } = JSON.parse(line) as Partial<ChainHead>
    const isHead = uuid.test(organizationId ?? '') && Number.isSafeInteger(sequence) && hexHash.test(chainHash ?? '')
    return isHead ? ({ organizationId, sequence, chainHash } as ChainHead) : undefined
  } catch {
    return undefined
  }
}

async function findDifferences(database: Queryable, heads: readonly ChainHead[]): Promise<string[]> {
  const rows = await database.query<{ organizationId: string; sequence: string; isMissing: boolean }>({
    name: 'compare anchored heads',
    text: `select anchored.organization_id as "organizationId", anchored.sequence, seal.sequence is null as "isMissing"
             from unnest($1::uuid[], $2::bigint[], $3::text[]) with ordinality
                  as anchored (organization_id, sequence, chain_hash, place)
             left join svc.audit_seals as seal on seal.organization_id = anchored.organization_id
              and seal.sequence = anchored.sequence
            where seal.chain_hash is distinct from decode(anchored.chain_hash, 'hex') order by anchored.place`,
    values: [
      heads.map((head) => head.organizationId),
      heads.map((head) => head.sequence),
      heads.map((head) => head.chainHash),
    ],
  })
  return rows.map(({ organizationId, sequence, isMissing }) => {
    const seal = `seal ${sequence} of organization ${organizationId}`
    return isMissing ? `${seal} was anchored, and is missing` : `${seal} differs from the anchored one`
  })
}

async function findUnproven(
  database: Queryable,
  newest: ReadonlyMap<string, number>,
): Promise<AnchorComparison['unproven']> {
  type Row = { organizationId: string; anchored: string; sealed: string; isOld: boolean | null }
  const rows = await database.query<Row>({
    name: 'find heads beyond their anchors',
    text: `select head.organization_id as "organizationId", coalesce(anchored.sequence, 0) as anchored,
                  head.last_sequence as sealed, act.at < clock_timestamp() - interval '5 minutes' as "isOld"
             from svc.audit_heads as head
             left join unnest($1::uuid[], $2::bigint[]) as anchored (organization_id, sequence)
               on anchored.organization_id = head.organization_id
             left join svc.audit_seals as seal on seal.organization_id = head.organization_id
              and seal.sequence = coalesce(anchored.sequence, 0) + 1
             left join svc.audit as act on act.organization_id = seal.organization_id and act.audit_id = seal.audit_id
            where head.last_sequence > coalesce(anchored.sequence, 0) order by head.organization_id`,
    values: [[...newest.keys()], [...newest.values()]],
  })
  return rows.map(({ organizationId, anchored, sealed, isOld }) => ({
    organizationId,
    anchored: Number(anchored),
    sealed: Number(sealed),
    // A seal or act that is gone proves nothing either.
    isOld: isOld ?? true,
  }))
}
