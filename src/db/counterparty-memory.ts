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

const columns = `behaviour, requests, has_arrived as "hasArrived", amount, (select svc.now()) >= settles_at as "isSettled",
  coalesce((select svc.now()) >= returns_at, false) as "isReturned"`

export type NewTransfer = {
  reference: string
  behaviour: Behaviour
  amount: string
  notAfter: string
  settlesInSeconds: number
}

/**
 * Records transfers by their references, each once in the list; undefined for one that comes too late. The first request
 * sets the terms of a transfer; a repeated one only marks it as arrived.
 */
export async function recordTransfers(
  memory: Queryable,
  transfers: readonly NewTransfer[],
): Promise<(RecordedTransfer | undefined)[]> {
  const recorded = await memory.query<RecordedTransfer & { reference: string }>({
    name: 'record sandbox transfers',
    text: `insert into svc.sandbox_transfers as known (reference, behaviour, has_arrived, amount, settles_at, returns_at,
                  created_at)
           select reference, behaviour, behaviour <> 'LOSE_REQUEST', amount, (select svc.now()) + settles_in * interval '1 second',
                  case when behaviour = 'RETURN' then (select svc.now()) + (settles_in + 86400) * interval '1 second' end, (select svc.now())
             from unnest($1::uuid[], $2::text[], $3::numeric[], $4::float8[], $5::timestamptz[])
                  as sent (reference, behaviour, amount, settles_in, not_after)
            where (select svc.now()) <= not_after
            order by reference
               on conflict (reference) do update
              set requests = known.requests + 1, has_arrived = known.requests > 0 or excluded.has_arrived,
                  behaviour = case known.requests when 0 then excluded.behaviour else known.behaviour end,
                  amount = case known.requests when 0 then excluded.amount else known.amount end,
                  returns_at = case known.requests when 0 then excluded.returns_at else known.returns_at end
        returning reference, ${columns}`,
    values: [
      transfers.map(({ reference }) => reference),
      transfers.map(({ behaviour }) => behaviour),
      transfers.map(({ amount }) => amount),
      transfers.map(({ settlesInSeconds }) => settlesInSeconds),
      transfers.map(({ notAfter }) => notAfter),
    ],
  })
  const byReference = new Map(recorded.map((each) => [each.reference, each]))
  return transfers.map(({ reference }) => byReference.get(reference))
}

export type FoundTransfer = { transfer: RecordedTransfer | undefined; now: Date }

/** Finds the transfers that have arrived, and tells the time of that look. */
export async function findTransfers(memory: Queryable, references: readonly string[]): Promise<FoundTransfer[]> {
  const found = await memory.query<RecordedTransfer & { place: string; now: Date }>({
    name: 'find sandbox transfers',
    text: `select wanted.place, (select svc.now()) as now, ${columns}
             from unnest($1::uuid[]) with ordinality as wanted (reference, place)
             left join svc.sandbox_transfers as transfer on transfer.reference = wanted.reference and has_arrived
            order by wanted.place`,
    values: [references],
  })
  if (found.length !== references.length) throw new Error('the database returned fewer rows than it was asked for')
  return found.map(({ place: _, now, ...transfer }) => ({
    transfer: transfer.behaviour === null ? undefined : transfer,
    now,
  }))
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
           select unnest($1::uuid[]), 'SETTLE', 0, false, 0, (select svc.now()), (select svc.now())
               on conflict (reference) do update set ${what === 'settle' ? 'settles_at' : 'returns_at'} = (select svc.now())`,
    values: [references],
  })
}
