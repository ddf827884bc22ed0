import type { Queryable } from './database.ts'

/** The ways in which a sandbox counterparty (bank or chain) treats a transfer. */
export const behaviours = ['SETTLE', 'REFUSE', 'RETURN', 'LOSE_REPLY', 'LOSE_REQUEST', 'SLOW'] as const
export type Behaviour = (typeof behaviours)[number]

export type RecordedTransfer = {
  behaviour: Behaviour
  requests: number
  hasArrived: boolean
  amount: string
  isSettled: boolean
  isReturned: boolean
}

const columns = `behaviour, requests, has_arrived as "hasArrived", amount, svc.now() >= settles_at as "isSettled",
  coalesce(svc.now() >= returns_at, false) as "isReturned"`

export type NewTransfer = {
  reference: string
  behaviour: Behaviour
  amount: string
  notAfter: string
  settlesInSeconds: number
}

/**
 * Records a transfer by its reference; undefined when it comes too late. The first request sets its terms; a repeated
 * one only marks it as arrived.
 */
export async function recordTransfer(memory: Queryable, transfer: NewTransfer): Promise<RecordedTransfer | undefined> {
  const { reference, behaviour, amount, notAfter, settlesInSeconds } = transfer
  const [recorded] = await memory.query<RecordedTransfer>({
    name: 'record sandbox transfer',
    text: `insert into svc.sandbox_transfers as known (reference, behaviour, has_arrived, amount, settles_at, returns_at,
                  created_at)
           select $1, $2, $2 <> 'LOSE_REQUEST', $3, svc.now() + $4 * interval '1 second',
                  case when $2 = 'RETURN' then svc.now() + ($4 + 86400) * interval '1 second' end, svc.now()
            where svc.now() <= $5
               on conflict (reference) do update
              set requests = known.requests + 1, has_arrived = known.requests > 0 or excluded.has_arrived,
                  behaviour = case known.requests when 0 then excluded.behaviour else known.behaviour end,
                  amount = case known.requests when 0 then excluded.amount else known.amount end,
                  returns_at = case known.requests when 0 then excluded.returns_at else known.returns_at end
        returning ${columns}`,
    values: [reference, behaviour, amount, settlesInSeconds, notAfter],
  })
  return recorded
}

/** Finds a transfer that has arrived, and tells the time of that look. */
export async function findTransfer(
  memory: Queryable,
  reference: string,
): Promise<{ transfer: RecordedTransfer | undefined; now: Date }> {
  const [found] = await memory.query<RecordedTransfer & { now: Date }>({
    name: 'find sandbox transfer',
    text: `select svc.now() as now, transfer.* from (select 1) as one
             left join (select ${columns} from svc.sandbox_transfers where reference = $1 and has_arrived) as transfer
               on true`,
    values: [reference],
  })
  if (!found) throw new Error('the database returned no row')
  const { now, ...transfer } = found
  return { transfer: transfer.behaviour === null ? undefined : transfer, now }
}

/** Lets these transfers settle or return now. One that has not arrived yet settles on arrival. */
export async function expediteTransfers(
  memory: Queryable,
  references: readonly string[],
  what: 'settle' | 'return',
): Promise<void> {
  await memory.query({
    name: `expedite sandbox transfers to ${what}`,
    text: `insert into svc.sandbox_transfers (reference, behaviour, requests, has_arrived, amount, settles_at, created_at)
           select unnest($1::uuid[]), 'SETTLE', 0, false, 0, svc.now(), svc.now()
               on conflict (reference) do update set ${what === 'settle' ? 'settles_at' : 'returns_at'} = svc.now()`,
    values: [references],
  })
}
