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

export type NewTransfer = { reference: string; behaviour: Behaviour; amount: bigint; settlesInSeconds: number }

/** Records a transfer by its reference. The first request sets its terms; a repeated one only marks it as arrived. */
export async function recordTransfer(memory: Queryable, transfer: NewTransfer): Promise<RecordedTransfer> {
  const { reference, behaviour, amount, settlesInSeconds } = transfer
  const [recorded] = await memory.query<RecordedTransfer>({
    name: 'record sandbox transfer',
    text: `insert into svc.sandbox_transfers as known (reference, behaviour, has_arrived, amount, settles_at, returns_at,
                  created_at)
           values ($1, $2, $2 <> 'LOSE_REQUEST', $3, svc.now() + $4 * interval '1 second',
                  case when $2 = 'RETURN' then svc.now() + ($4 + 86400) * interval '1 second' end, svc.now())
               on conflict (reference) do update
              set requests = known.requests + 1, has_arrived = known.requests > 0 or excluded.has_arrived,
                  behaviour = case known.requests when 0 then excluded.behaviour else known.behaviour end,
                  amount = case known.requests when 0 then excluded.amount else known.amount end,
                  returns_at = case known.requests when 0 then excluded.returns_at else known.returns_at end
        returning ${columns}`,
    values: [reference, behaviour, amount, settlesInSeconds],
  })
  if (!recorded) throw new Error(`svc.sandbox_transfers did not store the transfer ${reference}`)
  return recorded
}

export async function findTransfer(memory: Queryable, reference: string): Promise<RecordedTransfer | undefined> {
  const [found] = await memory.query<RecordedTransfer>({
    name: 'find sandbox transfer',
    text: `select ${columns} from svc.sandbox_transfers where reference = $1 and has_arrived`,
    values: [reference],
  })
  return found
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
